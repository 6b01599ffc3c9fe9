// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

/// A journey, with what was noted and planned.
struct Trip: Sendable {
  /// Where it goes, and when.
  @Generable
  struct Facts: Equatable {
    var destination: String
    /// Days as `2026-04-01`: in this form the order of texts is the order of time.
    var startDate: String
    var endDate: String
  }

  @Generable
  struct Note {
    /// From 1.
    var day: Int
    var text: String
    var structured: StructuredNote?
  }

  /// The conversation that it is kept as; empty before.
  var id = ""
  var facts: Facts
  var notes: [Note] = []
  /// The itinerary that was kept last.
  var itinerary: Itinerary?

  var destination: String { facts.destination }

  /// Where it goes and when, as a list shows it.
  var title: String { "\(facts.destination), \(facts.startDate) to \(facts.endDate)" }

  /// The number of days, both ends included.
  var dayCount: Int {
    guard let start = Self.day(facts.startDate), let end = Self.day(facts.endDate) else { return 0 }
    return Int((end.timeIntervalSince(start) / 86_400).rounded()) + 1
  }

  /// The date of a day, counted from 1.
  func date(ofDay number: Int) -> String? {
    guard (1...max(1, dayCount)).contains(number), let start = Self.day(facts.startDate) else {
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

  /// - Throws: ``TripProblem`` where it goes nowhere, or ends before it begins.
  func check() throws {
    guard !destination.allSatisfy(\.isWhitespace) else {
      throw TripProblem("A trip needs a destination.")
    }
    let (start, end) = (facts.startDate, facts.endDate)
    guard Self.day(start) != nil, Self.day(end) != nil else {
      throw TripProblem("Dates look like 2026-04-01; found \(start) and \(end).")
    }
    guard start <= end else {
      throw TripProblem("The trip ends on \(end), before it begins on \(start).")
    }
  }

  /// A day that is on the calendar: what does not come back as it was written (2026-02-30) is none.
  private static func day(_ text: String) -> Date? {
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
