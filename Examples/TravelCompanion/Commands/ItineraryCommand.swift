// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// `travel-companion itinerary Kyoto --days 3`
struct ItineraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "itinerary", abstract: "Plan a journey day by day.")

  @Argument(help: "Where to go.") var destination: String
  @Option(help: "How many days, from 1 to 30.") var days = 3
  @Option(
    help: """
      culturale (culture), relax (at ease), avventura (adventure) or gastronomico (food); the \
      model's choice if left out.
      """)
  var style: TravelStyle?
  @Flag(help: "Keep it with the trip to this destination.") var save = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var options: GeneratorOptions

  func validate() throws {
    guard (1...30).contains(days) else {
      throw ValidationError("--days is a number from 1 to 30; found \(days)")
    }
    try destination.checkDestination()
  }

  func run() async throws {
    // What cannot be kept is not written first.
    let store = save ? try self.store.open() : nil
    let trip = try await store?.trip(to: destination)
    let itinerary = try await options.generator().write(
      Itinerary.self,
      prompt: options.language.choose(
        "Plan \(days) days in \(destination).", "Pianifica \(days) giorni a \(destination)."),
      schema: try Itinerary.schema(
        destination: destination, days: days, style: style, language: options.language),
      examples: Itinerary.examples(in: options.language), rules: Itinerary.semanticRules)
    guard let store, let trip else { return }
    try await store.add(itinerary, in: options.language, to: trip)
    if !options.json { say("Kept with the trip to \(trip.destination).") }
  }
}

extension TravelStyle: ExpressibleByArgument {}
