// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

/// Creates a trip in the store.
struct CreateTrip: Tool {
  let store: TripStore
  let name = "createTrip"
  let description = "Creates a trip."

  @Generable
  struct Arguments {
    @Guide(description: "Where the trip goes", .length(2...60)) var destination: String
    @Guide(description: "The first day", .format(.date)) var startDate: String
    @Guide(description: "The last day", .format(.date)) var endDate: String
  }

  func call(arguments: Arguments) async throws -> String {
    try await store.create(
      Trip.Facts(
        destination: arguments.destination, startDate: arguments.startDate,
        endDate: arguments.endDate))
    return "Created the trip to \(arguments.destination)."
  }
}

/// Adds a note to a trip.
struct AddNote: Tool {
  let store: TripStore
  let name = "addNote"
  let description = "Adds a note to a day of a trip."

  @Generable
  struct Arguments {
    @Guide(description: "Where the trip goes; the last trip where left out", .length(2...60))
    var destination: String?
    @Guide(description: "Which day, from 1", .range(1...365)) var day: Int
    @Guide(description: "What to note", .length(2...280)) var text: String
  }

  func call(arguments: Arguments) async throws -> String {
    let trip = try await store.trip(to: arguments.destination)
    try await store.add(Trip.Note(day: arguments.day, text: arguments.text), to: trip)
    return "Noted for day \(arguments.day) in \(trip.destination)."
  }
}

/// Says what is known of a trip.
struct GetTripInfo: Tool {
  let store: TripStore
  let name = "getTripInfo"
  let description = "Gives the dates and notes of a trip."

  @Generable
  struct Arguments {
    @Guide(description: "Where the trip goes; the last trip where left out", .length(2...60))
    var destination: String?
  }

  func call(arguments: Arguments) async throws -> String {
    let trip = try await store.trip(to: arguments.destination)
    let notes = trip.notes.map { "Day \($0.day): \($0.text)" }
    let plans = (trip.itinerary?.dailyPlans ?? []).map {
      "Plan of day \($0.dayNumber): \($0.theme)"
    }
    return (["\(trip.title)."] + notes + plans).joined(separator: "\n")
  }
}

/// Gives the notes of one day: what a journal may tell.
struct GetDay: Tool {
  let trip: Trip
  let day: Int
  let name = "getDay"
  let description = "Gives the notes of the day."

  @Generable
  struct Arguments {
    @Guide(description: "What the notes are wanted for", .length(1...40)) var purpose: String
  }

  func call(arguments: Arguments) async throws -> [String] {
    trip.notes.filter { $0.day == day }.map(\.text)
  }
}
