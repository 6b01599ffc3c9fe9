// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The terminal pictures of the documentation show what their commands write. `Scripts/terminal-pictures`
/// draws them anew.
@Suite struct PictureTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The lines of text of a picture, as they were before they became XML.
  private func rows(of picture: String) throws -> [String] {
    let file = Self.root.appending(path: "Documentation/Pictures/\(picture).svg")
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.matches(of: /<text[^>]*>([^<]*)<\/text>/).map { match in
      [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&amp;", "&")]
        .reduce(String(match.1)) { $0.replacing($1.0, with: $1.1) }
    }
  }

  @Test(arguments: [
    (
      "chat",
      [
        "travel-companion", "chat", "Hello", "Plan something", "What did I note?", "--store",
        "travel", "--model", "sampling",
      ]
    ),
    (
      "validate",
      [
        "espalier", "validate", "Examples/Schemas/booking.json",
        "Examples/Schemas/booking-wrong.json",
      ]
    ),
    (
      "mask",
      [
        "espalier", "mask", "Examples/Schemas/booking.json", "--prefix",
        #"{"guest":"Ada","nights":1"#, "--text", "5}",
      ]
    ),
  ])
  func showsWhatIsWritten(picture: String, command: [String]) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: Self.root.appending(path: "Examples/Schemas"),
      to: folder.url.appending(path: "Schemas"))
    let arguments = command.dropFirst().map { argument in
      argument.replacing("Examples/", with: folder.url.path + "/")
        .replacing("travel", with: folder.url.appending(path: "travel").path)
    }
    let run = try await CommandRun.run(command[0], arguments)
    var shown = try rows(of: picture).joined()
    if run.exitCode != 0 { shown = shown.replacing("[exit code \(run.exitCode)]", with: "") }
    let written = run.output.replacing("\n", with: "")
    // The prompt and the command come first; lines are folded, so what is compared has none.
    #expect(shown.hasPrefix("$ swift run \(command[0])"))
    #expect(shown.hasSuffix(written), "\(picture): run Scripts/terminal-pictures")
    #expect(!written.isEmpty)
  }

  /// The itinerary is by a real model, whose words depend on the processor in the last digit of its
  /// numbers: what is compared is what the command writes around them.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ESPALIER_MODEL"] != nil))
  func showsAnItineraryOfTheModel() async throws {
    let shown = try rows(of: "itinerary")
    let model = try #require(ProcessInfo.processInfo.environment["ESPALIER_MODEL"])
    let run = try await CommandRun.run(
      "travel-companion",
      ["itinerary", "Kyoto", "--days", "3", "--model", model])
    let written = run.output.split(separator: "\n").map(String.init)
    func labels(_ rows: [String]) -> [String] {
      rows.compactMap { row in
        row.firstMatch(of: /^ {3}(morning|lunch|afternoon|dinner|on the way) +\S/).map {
          String($0.1)
        }
      }
    }
    #expect(shown[0].hasPrefix("$ swift run travel-companion itinerary Kyoto --days 3"))
    #expect(shown[1].hasPrefix("Kyoto · 3 days"))
    #expect(labels(shown).count == 15)
    #expect(labels(shown) == labels(written))
    // The last line is folded.
    #expect(shown.joined().hasSuffix(try #require(written.last)))
  }
}
