// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier
import Foundation

/// `travel-companion trip`: the journeys, without a model.
struct TripCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trip", abstract: "Create and list trips.",
    subcommands: [Create.self, List.self, Show.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a trip.")

    @Argument(help: "Where to go.") var destination: String
    @Option(help: "The first day, as 2026-04-01.") var from: String
    @Option(help: "The last day, as 2026-04-05.") var to: String
    @OptionGroup var store: StoreOptions

    func run() async throws {
      try await store.open().create(
        Trip.Facts(destination: destination, startDate: from, endDate: to))
      say("Created the trip to \(destination).")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List trips and their notes.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
      let trips = try await store.open().all
      if trips.isEmpty { say("There is no trip yet.") }
      for trip in trips { TripCommand.show(trip) }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a trip with its notes and its itinerary.")

    @Argument(help: "Where it goes; the last one where left out.") var destination: String?
    @Option(help: "english or italiano.") var language = Language.english
    @OptionGroup var store: StoreOptions

    func run() async throws {
      let trip = try await store.open().trip(to: destination)
      TripCommand.show(trip)
      guard let itinerary = trip.itinerary else { return }
      say()
      for line in Itinerary.lines(itinerary.asPartiallyGenerated(), in: language) { say(line) }
    }
  }

  private static func show(_ trip: Trip) {
    say(trip.title)
    for note in trip.notes { say("  \(note.day). \(note.structured?.summary ?? note.text)") }
  }
}
