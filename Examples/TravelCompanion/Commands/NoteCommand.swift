// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Espalier
import Foundation

/// `travel-companion note "Ramen at Ichiran, 12 euro, wonderful" --day 2`
struct NoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Take a note apart, show it for editing, and save it.",
    discussion: """
      On a terminal the note is shown before it is saved: an empty line saves it, "summary: …" or \
      "rating: 4" changes a field, "place:" empties one, and "discard" gives up. Elsewhere --save \
      saves it as it is, and --review reads the changes from the standard input.
      """)

  @Argument(help: "The note, as it comes.") var text: String
  @Option(help: "Which day of the trip, from 1.") var day = 1
  @Option(help: "Which trip; the last one where left out.") var trip: String?
  @Flag(help: "Save without asking.") var save = false
  @Flag(help: "Ask for changes, whether there is a terminal or not.") var review = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var options: GeneratorOptions

  func validate() throws {
    guard !text.allSatisfy(\.isWhitespace) else { throw ValidationError("the note is empty") }
  }

  func run() async throws {
    let store = try store.open()
    let trip = try await store.trip(to: trip)
    try trip.checkDay(day)
    let clean = InputHygiene(maximumLength: 2000).clean(text)
    var note = try await options.generator().write(
      StructuredNote.self,
      prompt: options.language.choose("Take this note apart:\n", "Analizza questa nota:\n")
        + clean.text)
    guard save || confirm(&note) else { return }
    try await store.add(Trip.Note(day: day, text: text, structured: note), to: trip)
    if !options.json { say("Saved for day \(day) in \(trip.destination).") }
  }

  /// Lets a person change the note; whether it is to be saved.
  private func confirm(_ note: inout StructuredNote) -> Bool {
    guard review || isatty(0) == 1 else {
      let remark = "Not saved: use --save or --review where there is no terminal.\n"
      StandardError.write(remark)
      return false
    }
    say("Enter saves; \"field: text\" changes a field; \"discard\" gives up.")
    while true {
      // The input ends without a word: nothing was agreed to.
      guard let line = readLine() else { return false }
      if line.isEmpty { return true }
      if line == "discard" { return false }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      do {
        guard parts.count == 2 else { throw TripProblem("Write \"field: text\".") }
        try note.set(parts[0].lowercased(), to: parts[1])
      } catch {
        say(error.localizedDescription)
        continue
      }
      say(
        StructuredNote.lines(note.asPartiallyGenerated(), in: options.language)
          .joined(separator: "\n"))
    }
  }
}
