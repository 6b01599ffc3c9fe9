// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier
import Foundation

/// `travel-companion trip`: the journeys, without a model.
struct TripCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trip", abstract: "Create and list trips.",
    subcommands: [Create.self, List.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a trip.")

    @Argument(help: "Where to go.") var destination: String
    @Option(help: "The first day, as 2026-04-01.") var from: String
    @Option(help: "The last day, as 2026-04-05.") var to: String
    @OptionGroup var store: StoreOptions

    func run() throws {
      try store.open().create(Trip(destination: destination, startDate: from, endDate: to))
      say("Created the trip to \(destination).")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List trips and their notes.")

    @OptionGroup var store: StoreOptions

    func run() throws {
      for trip in try store.open().all {
        say("\(trip.destination), \(trip.startDate) to \(trip.endDate)")
        for note in trip.notes { say("  \(note.day). \(note.structured?.summary ?? note.text)") }
      }
    }
  }
}
