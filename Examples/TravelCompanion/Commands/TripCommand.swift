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

/// `travel-companion note "Ramen at Ichiran, 12 euro, wonderful" --day 2`
struct NoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Take a note apart, show it for editing, and save it.",
    discussion: """
      On a terminal the note is shown before it is saved: an empty line saves it, "summary: …" or \
      "place: …" changes a field, and "discard" gives up. Elsewhere --save decides.
      """)

  @Argument(help: "The note, as it comes.") var text: String
  @Option(help: "Which day of the trip, from 1.") var day = 1
  @Option(help: "Which trip; the last one where left out.") var trip: String?
  @Flag(help: "Save without asking.") var save = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var options: GeneratorOptions

  func run() async throws {
    let store = try store.open()
    _ = try store.trip(to: trip)
    let clean = InputHygiene(maximumLength: 2000).clean(text)
    var note = try await options.generator().write(
      StructuredNote.self,
      prompt: options.language.choose("Take this note apart:\n", "Analizza questa nota:\n")
        + clean.text)
    guard save || confirm(&note) else { return }
    let trip = try store.add(Trip.Note(day: day, text: text, structured: note), to: trip)
    if !options.json { say("Saved for day \(day) in \(trip.destination).") }
  }

  /// Lets a person change the note; whether it is to be saved.
  private func confirm(_ note: inout StructuredNote) -> Bool {
    guard isatty(0) == 1 else { return false }
    while true {
      say("Enter saves; \"field: text\" changes summary or place; \"discard\" gives up.")
      guard let line = readLine() else { return false }
      if line.isEmpty { return true }
      if line == "discard" { return false }
      let parts = line.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      switch parts.first {
      case "summary" where parts.count == 2: note.summary = parts[1]
      case "place" where parts.count == 2: note.place = parts[1]
      default: say("There is no such field.")
      }
      say(
        StructuredNote.lines(note.asPartiallyGenerated(), in: options.language)
          .joined(separator: "\n"))
    }
  }
}
