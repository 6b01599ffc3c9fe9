// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// `travel-companion journal --day 2`
struct JournalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Tell a day of a trip from its notes.")

  @Option(help: "Which day of the trip, from 1.") var day = 1
  @Option(help: "Which trip; the last one where left out.") var trip: String?
  @OptionGroup var store: StoreOptions
  @OptionGroup var options: GeneratorOptions

  func run() async throws {
    let trip = try await store.open().trip(to: trip)
    try trip.checkDay(day)
    guard let date = trip.date(ofDay: day) else { throw TripProblem("The trip has no dates.") }
    guard trip.notes.contains(where: { $0.day == day }) else {
      throw TripProblem("There are no notes of day \(day): nothing can be told of it.")
    }
    _ = try await options.generator(tools: [GetDay(trip: trip, day: day)]).write(
      JournalEntry.self,
      prompt: options.language.choose(
        "Write the journal of day \(day) in \(trip.destination). Get its notes first.",
        "Scrivi il diario del giorno \(day) a \(trip.destination). Prima leggi le note."),
      schema: try JournalEntry.schema(of: date),
      options: GenerationOptions(toolCallingMode: .required))
  }
}

/// `travel-companion summary --variant shorter`
struct SummaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Look back on a trip.")

  @Option(help: "Which trip; the last one where left out.") var trip: String?
  @Option(help: "standard, shorter, longer, emotional or factual.")
  var variant = SummaryVariant.standard
  @OptionGroup var store: StoreOptions
  @OptionGroup var options: GeneratorOptions

  func run() async throws {
    let trip = try await store.open().trip(to: trip)
    guard !trip.notes.isEmpty else {
      throw TripProblem("There are no notes of the trip to \(trip.destination).")
    }
    let notes = trip.notes.map { "Day \($0.day): \($0.text)" }.joined(separator: "\n")
    _ = try await options.generator().write(
      TripSummary.self,
      prompt: options.language.choose(
        "Sum up my \(trip.dayCount) days in \(trip.destination).",
        "Riassumi i miei \(trip.dayCount) giorni a \(trip.destination).")
        + " \(variant.request(in: options.language))\n\(notes)",
      schema: try TripSummary.schema(of: variant))
  }
}
