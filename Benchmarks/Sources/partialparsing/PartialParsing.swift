// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore
import Foundation

/// Reads generated JSON in small pieces and looks at a snapshot after each: the parser of this
/// package against Foundation, which has to read the whole text again every time.
@main
struct PartialParsing: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "partialparsing",
    abstract: "Measures incremental parsing in MB/s of processor time.")

  @Option(help: "The number of bytes in a piece.")
  var pieceSize = 4

  @Option(help: "The number of runs of each measurement; the median is shown, and the fastest.")
  var runs = 9

  @Flag(help: "Leave Foundation out.")
  var withoutFoundation = false

  func run() throws {
    let pieceSize = pieceSize
    print("document      bytes    pieces  snapshots MB/s    parsing only MB/s  Foundation MB/s")
    for (name, size) in [("1 KB", 1_000), ("100 KB", 100_000), ("10 MB", 10_000_000)] {
      let document = Array(Self.document(ofAbout: size).utf8)
      let repetitions = max(1, 10_000_000 / document.count)
      let bytes = document.count * repetitions
      let snapshots = try speeds(bytes: bytes) {
        for _ in 0..<repetitions {
          try Self.parse(document, pieceSize: pieceSize, takingSnapshots: true)
        }
      }
      let parsing = try speeds(bytes: bytes) {
        for _ in 0..<repetitions {
          try Self.parse(document, pieceSize: pieceSize, takingSnapshots: false)
        }
      }
      let line = [
        name.padding(toLength: 10, withPad: " ", startingAt: 0),
        String(format: "%9d %9d", document.count, (document.count + pieceSize - 1) / pieceSize),
        snapshots, parsing, withoutFoundation ? "" : try foundation(document),
      ]
      print(line.joined(separator: " "))
    }
  }

  /// What is measured takes its settings as arguments: reading an option costs more than a piece.
  private static func parse(
    _ document: [UInt8], pieceSize: Int, takingSnapshots: Bool
  ) throws {
    var parser = GeneratedContentParser()
    var completed = 0
    var start = 0
    let span = document.span
    while start < span.count {
      let end = min(start + pieceSize, span.count)
      try parser.append(span.extracting(start..<end))
      if takingSnapshots, parser.content.isComplete { completed += 1 }
      start = end
    }
    guard parser.isComplete, completed == 1 || !takingSnapshots else {
      throw ValidationError("The document was not read to its end.")
    }
  }

  /// Foundation on the whole buffer at each piece. Of a long document only as many pieces as take a
  /// second, spread over it; the time of all follows.
  private func foundation(_ document: [UInt8]) throws -> String {
    let pieces = (document.count + pieceSize - 1) / pieceSize
    let samples = min(pieces, max(20, 20_000_000 / document.count))
    let start = Self.processorTime
    for sample in 1...samples {
      let end = document.count * sample / samples
      // Cut off JSON is an error to it, which is all that it can say.
      _ = try? JSONSerialization.jsonObject(with: Data(document[..<end]))
    }
    let total = (Self.processorTime - start) * Double(pieces) / Double(samples)
    return String(format: "%16.6f", Double(document.count) / 1e6 / total)
  }

  /// The median speed of some runs, and the greatest.
  private func speeds(bytes: Int, _ body: () throws -> Void) rethrows -> String {
    var speeds: [Double] = []
    for _ in 0..<runs {
      let start = Self.processorTime
      try body()
      speeds.append(Double(bytes) / 1e6 / (Self.processorTime - start))
    }
    speeds.sort()
    return String(format: "%7.1f (%6.1f)   ", speeds[speeds.count / 2], speeds[speeds.count - 1])
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// An object like those that models write: text, numbers, nested objects and arrays.
  private static func document(ofAbout size: Int) -> String {
    var result = #"{"title":"Itinerary","days":["#
    var number = 0
    while result.utf8.count < size - 220 {
      if number > 0 { result += "," }
      result +=
        #"{"id":\#(number),"name":"Day \#(number) in Kyōto","rating":\#(Double(number % 50) / 10),"#
        + #""activities":[{"kind":"walk","minutes":\#(number % 90),"note":"Past the \"old\" mill"},"#
        + #"{"kind":"eat","open":true,"price":null}]}"#
      number += 1
    }
    return result + "]}"
  }
}
