// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier
import Foundation
import Synchronization

/// A journey and what was noted on it.
struct Trip: Codable, Sendable, Equatable {
  struct Note: Codable, Sendable, Equatable {
    /// From 1.
    var day: Int
    var text: String
    var structured: StructuredNote?

    static func == (left: Note, right: Note) -> Bool {
      left.day == right.day && left.text == right.text
    }
  }

  var destination: String
  /// Days as `2026-04-01`: in this form the order of texts is the order of time.
  var startDate: String
  var endDate: String
  var notes: [Note] = []

  /// The number of days, both ends included.
  var dayCount: Int {
    guard let start = Self.day(startDate), let end = Self.day(endDate) else { return 0 }
    return Int((end.timeIntervalSince(start) / 86_400).rounded()) + 1
  }

  /// The date of a day, counted from 1.
  func date(ofDay number: Int) -> String? {
    guard (1...max(1, dayCount)).contains(number), let start = Self.day(startDate) else {
      return nil
    }
    return start.addingTimeInterval(Double(number - 1) * 86_400)
      .formatted(.iso8601.year().month().day())
  }

  /// - Throws: ``TripProblem`` where the trip has no such day.
  func checkDay(_ number: Int) throws {
    guard (1...max(1, dayCount)).contains(number) else {
      throw TripProblem(
        "The trip to \(destination) has \(dayCount) days; there is no day \(number).")
    }
  }

  /// A day that is on the calendar: what does not come back as it was written (2026-02-30) is none.
  static func day(_ text: String) -> Date? {
    let style = Date.ISO8601FormatStyle.iso8601.year().month().day()
    guard let date = try? Date(text, strategy: style), date.formatted(style) == text else {
      return nil
    }
    return date
  }
}

/// Why the store does not take something.
struct TripProblem: LocalizedError {
  var errorDescription: String?

  init(_ description: String) { errorDescription = description }
}

/// The journeys of a traveller, in a JSON file.
final class TripStore: Sendable {
  private let file: URL
  private let trips: Mutex<[Trip]>

  init(file: URL) throws {
    self.file = file
    var known: [Trip] = []
    if FileManager.default.fileExists(atPath: file.path) {
      let data = try Data(contentsOf: file)
      do {
        known = try JSONDecoder().decode([Trip].self, from: data)
      } catch {
        throw TripProblem(
          "'\(file.path)' holds no trips: move it away, or name another with --store.")
      }
    }
    trips = Mutex(known)
  }

  var all: [Trip] { trips.withLock { $0 } }

  /// The trip to a destination, or the last one where none is named.
  func trip(to destination: String?) throws -> Trip {
    let all = all
    guard let destination else {
      guard let last = all.last else { throw TripProblem("There is no trip yet.") }
      return last
    }
    guard let trip = all.last(where: { $0.destination.lowercased() == destination.lowercased() })
    else {
      let known = all.map(\.destination).joined(separator: ", ")
      throw TripProblem("There is no trip to \(destination). Trips: \(known).")
    }
    return trip
  }

  func create(_ trip: Trip) throws {
    guard !trip.destination.allSatisfy(\.isWhitespace) else {
      throw TripProblem("A trip needs a destination.")
    }
    guard Trip.day(trip.startDate) != nil, Trip.day(trip.endDate) != nil else {
      throw TripProblem(
        "Dates look like 2026-04-01; found \(trip.startDate) and \(trip.endDate).")
    }
    guard trip.startDate <= trip.endDate else {
      throw TripProblem("The trip ends on \(trip.endDate), before it begins on \(trip.startDate).")
    }
    try change { $0.append(trip) }
  }

  func add(_ note: Trip.Note, to destination: String?) throws -> Trip {
    let trip = try trip(to: destination)
    try trip.checkDay(note.day)
    try change { trips in
      guard let index = trips.lastIndex(of: trip) else { return }
      trips[index].notes.append(note)
    }
    return trip
  }

  private func change(_ body: (inout [Trip]) -> Void) throws {
    let changed = trips.withLock { trips in
      body(&trips)
      return trips
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try encoder.encode(changed).write(to: file, options: .atomic)
  }
}

/// Where the journeys are.
struct StoreOptions: ParsableArguments {
  @Option(help: "The file of the trips.", completion: .file())
  var store = "\(NSHomeDirectory())/.travel-companion/trips.json"

  func open() throws -> TripStore { try TripStore(file: URL(filePath: store)) }

  /// The chats, in a folder beside the trips.
  func openChats() throws -> FileConversationStore {
    try FileConversationStore(
      folder: URL(filePath: store).deletingLastPathComponent().appending(path: "chats"))
  }
}
