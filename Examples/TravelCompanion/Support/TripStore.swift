// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier
import Foundation

/// The journeys of a traveller, each kept as a conversation: where it goes, the notes and the
/// itineraries are entries of it. So they are safe from the moment they are added, and found by
/// their words.
///
/// An entry's text is for people; the value that it was made of is attached to it.
struct TripStore: Sendable {
  let conversations: FileConversationStore

  /// What the entries are of, by what is attached to them.
  private enum Attachment {
    static let facts = "trip"
    static let note = "note"
    static let itinerary = "itinerary"
  }

  /// All trips, the latest last.
  var all: [Trip] {
    get async throws {
      var trips: [Trip] = []
      for conversation in try await conversations.conversations().sorted(by: {
        ($0.created, $0.id) < ($1.created, $1.id)
      }) {
        if let trip = try await trip(conversation) { trips.append(trip) }
      }
      return trips
    }
  }

  private func trip(_ conversation: Conversation) async throws -> Trip? {
    var trip: Trip?
    for entry in try await conversations.entries(of: conversation.id) {
      switch entry {
      case .prompt(let prompt):
        if let facts = prompt.metadata[Attachment.facts] {
          trip = Trip(id: conversation.id, facts: try Trip.Facts(facts))
        } else if let note = prompt.metadata[Attachment.note] {
          trip?.notes.append(try Trip.Note(note))
        }
      case .response(let response):
        if let itinerary = response.metadata[Attachment.itinerary] {
          trip?.itinerary = try Itinerary(itinerary)
        }
      default: break
      }
    }
    return trip
  }

  /// The trip to a destination, or the last one where none is named.
  func trip(to destination: String?) async throws -> Trip {
    let all = try await all
    guard let destination else {
      guard let last = all.last else { throw TripProblem("There is no trip yet.") }
      return last
    }
    guard let trip = all.last(where: { $0.destination.lowercased() == destination.lowercased() })
    else {
      let known = all.map(\.destination).joined(separator: ", ")
      throw TripProblem(
        known.isEmpty
          ? "There is no trip yet." : "There is no trip to \(destination). Trips: \(known).")
    }
    return trip
  }

  func create(_ facts: Trip.Facts) async throws {
    let trip = Trip(facts: facts)
    try trip.check()
    let id = try await conversations.create(title: trip.title).id
    try await append(
      .prompt(
        .init(metadata: [Attachment.facts: facts], segments: text(trip.title), options: .init())),
      to: id)
  }

  func add(_ note: Trip.Note, to trip: Trip) async throws {
    try trip.checkDay(note.day)
    try await append(
      .prompt(
        .init(
          metadata: [Attachment.note: note], segments: text("Day \(note.day): \(note.text)"),
          options: .init())),
      to: trip.id)
  }

  func add(_ itinerary: Itinerary, in language: Language, to trip: Trip) async throws {
    let lines = Itinerary.lines(itinerary.asPartiallyGenerated(), in: language)
    try await append(
      .response(
        .init(
          metadata: [Attachment.itinerary: itinerary],
          segments: text(lines.joined(separator: "\n")))),
      to: trip.id)
  }

  private func text(_ text: String) -> [Transcript.Segment] { [.text(.init(content: text))] }

  private func append(_ entry: Transcript.Entry, to id: Conversation.ID) async throws {
    try await conversations.append([entry], to: id)
  }
}

/// Where trips and chats are kept.
struct StoreOptions: ParsableArguments {
  @Option(help: "The folder of the trips and chats.", completion: .directory)
  var store = "\(NSHomeDirectory())/.travel-companion"

  func open() throws -> TripStore { TripStore(conversations: try folder("trips")) }

  func openChats() throws -> FileConversationStore { try folder("chats") }

  private func folder(_ name: String) throws -> FileConversationStore {
    try FileConversationStore(folder: URL(filePath: store).appending(path: name))
  }
}
