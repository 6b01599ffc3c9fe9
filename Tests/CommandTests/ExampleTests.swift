// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The examples with the sampling model: what they write is decoded and held to their rules by
/// themselves, and is the same as what was recorded. `ESPALIER_RECORD=1` records anew.
@Suite struct ExampleTests {
  private static let recordings = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Recordings")

  private func expect(_ text: String, asRecordedIn name: String) throws {
    let file = Self.recordings.appending(path: name)
    if ProcessInfo.processInfo.environment["ESPALIER_RECORD"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(name)")
  }

  private func companion(
    _ arguments: [String], input: String = ""
  ) async throws -> CommandRun {
    // A model that was fetched on this machine would answer otherwise.
    let model =
      arguments.contains("--model") || ["trip", "search"].contains(arguments.first)
      ? [] : ["--model", "sampling"]
    return try await CommandRun.run("travel-companion", arguments + model, input: input)
  }

  /// A store with a trip and a note.
  private func store(in folder: borrowing TemporaryFolder) async throws -> String {
    let store = folder.url.appending(path: "travel").path
    let created = try await companion([
      "trip", "create", "Kyoto", "--from", "2026-04-01", "--to", "2026-04-03", "--store", store,
    ])
    #expect(created.exitCode == 0, "\(created.errors)")
    let noted = try await companion([
      "note", "Ramen at the station, 12 euro, wonderful", "--day", "2", "--save", "--store", store,
    ])
    #expect(noted.exitCode == 0, "\(noted.errors)")
    return store
  }

  /// The six generators, and one of them twice.
  private func generators(store: String) -> [(name: String, arguments: [String])] {
    [
      ("itinerary", ["itinerary", "Kyoto", "--days", "3"]),
      ("itinerary-long", ["itinerary", "Japan", "--days", "12", "--style", "relax"]),
      ("packing", ["packing", "Oslo", "--season", "winter", "--language", "italiano"]),
      ("briefing", ["briefing", "Japan"]),
      ("journal", ["journal", "--day", "2", "--store", store]),
      ("note", ["note", "A quiet temple", "--store", store]),
      ("summary", ["summary", "--variant", "longer", "--store", store]),
    ]
  }

  /// Holds what a generator wrote as JSON to what its type and its request ask for.
  private func expectValue(of generator: String, in json: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    switch generator {
    case "itinerary":
      let plans = value?["dailyPlans"] as? [[String: Any]]
      #expect(plans?.compactMap { $0["dayNumber"] as? Int } == [1, 2, 3])
    case "itinerary-long": #expect((value?["overview"] as? [Any])?.isEmpty == false)
    case "packing": #expect((5...10).contains((value?["clothing"] as? [Any])?.count ?? 0))
    case "briefing": #expect((5...8).contains((value?["usefulPhrases"] as? [Any])?.count ?? 0))
    case "journal": #expect(value?["date"] as? String == "2026-04-02")
    case "note": #expect(value?["category"] is String)
    default:
      #expect((value?["highlights"] as? [Any])?.count == 3)
      #expect((400...900).contains((value?["narrative"] as? String)?.count ?? 0))
    }
  }

  @Test func sixGenerators() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    for (name, arguments) in generators(store: store) {
      let run = try await companion(arguments + ["--json"])
      #expect(run.exitCode == 0, "\(name): \(run.errors)")
      try expectValue(of: name, in: run.output)
      try expect(run.output, asRecordedIn: "\(name).json")
      // For people there is the same as text, and a line that says who wrote it.
      let text = try await companion(arguments)
      #expect(text.exitCode == 0)
      #expect(text.lines.last?.hasPrefix("Written by the sampling model (seed 7)") == true)
      #expect(!text.output.contains("\u{1B}["))
    }
  }

  /// The file of SmolLM2-135M-Instruct, where the environment names one.
  private static let realModel = ProcessInfo.processInfo.environment["ESPALIER_MODEL"]

  /// What a real model writes is its own, and another on another processor; that it is of the type
  /// is ours. Those that write most are left to the model of tests: they take minutes.
  @Test(.enabled(if: realModel != nil))
  func generatorsWithARealModel() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    let model = ["--model", Self.realModel ?? ""]
    for (name, arguments) in generators(store: store)
    where ["packing", "journal", "note"].contains(name) {
      let run = try await companion(arguments + ["--json"] + model)
      #expect(run.exitCode == 0, "\(name): \(run.errors)")
      try expectValue(of: name, in: run.output)
    }
    let chat = try await companion(
      ["chat", "--store", store] + model, input: "What did I note on day 2?\n\n")
    #expect(chat.exitCode == 0, "\(chat.errors)")
    let meal = try await CommandRun.run("diet-log", ["8,000 calories of popcorn"] + model)
    #expect([0, 1].contains(meal.exitCode), "\(meal.errors)")
  }

  /// Each process has another seed for its hashes.
  @Test func theSameBytesInTenProcesses() async throws {
    var outputs: Set<String> = []
    for _ in 0..<10 { outputs.insert(try await companion(["packing", "Oslo", "--json"]).output) }
    #expect(outputs.count == 1)
  }

  /// The last line of the only trip's file.
  private static func lastRecord(of store: String) throws -> String {
    let folder = URL(filePath: store).appending(path: "trips/entries")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    // Records begin with bytes that are no text.
    let text = try String(decoding: Data(contentsOf: #require(files.first)), as: UTF8.self)
    return String(text.split(separator: "\n").last ?? "")
  }

  /// A note is shown, changed field by field, and saved as it then is.
  @Test func noteIsShownForEditing() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    let edits = """
      summary: Rain all day
      place: Gion
      rating: 9
      rating: 4
      cost: 12.5
      category: sight
      tags: rain, tea
      colour: red

      """
    let run = try await companion(
      ["note", "Rain and tea", "--review", "--store", store], input: edits + "\n")
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(run.output.contains("The rating is a number from 1 to 5."))
    #expect(run.output.contains("The fields are category"))
    #expect(run.lines.last == "Saved for day 1 in Kyoto.")
    let shown = try await companion(["trip", "list", "--store", store])
    #expect(shown.lines.last == "  1. Rain all day")
    let saved = try await companion(["search", "rain and tea", "--store", store])
    #expect(saved.lines.last == "    Day 1: Rain and tea")
    let note = try Self.lastRecord(of: store)
    for field in [
      #""summary":"Rain all day""#, #""place":"Gion""#, #""rating":4"#, #""cost":12.5"#,
      #""category":"sight""#, #""tags":["rain","tea"]"#,
    ] {
      #expect(note.contains(field), "\(note)")
    }
    // Given up, and given up by the end of the input.
    for input in ["discard\n", "summary: Something else\n"] {
      let run = try await companion(
        ["note", "Snow", "--review", "--store", store], input: input)
      #expect(run.exitCode == 0 && !run.output.contains("Saved"))
    }
    let found = try await companion(["search", "snow", "--store", store])
    #expect(found.exitCode == 1 && found.lines == ["Nothing was found."])
  }

  @Test func tripsNotesAndItinerariesAreKept() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    let early = try await companion(["itinerary", "Oslo", "--save", "--store", store])
    #expect(early.exitCode != 0 && early.output.isEmpty)
    #expect(early.errors.contains("There is no trip to Oslo. Trips: Kyoto."), "\(early.errors)")
    let planned = try await companion([
      "itinerary", "kyoto", "--days", "3", "--save", "--store", store,
    ])
    #expect(planned.lines.last == "Kept with the trip to Kyoto.", "\(planned.output)")
    let shown = try await companion(["trip", "show", "--store", store])
    #expect(shown.lines.first == "Kyoto, 2026-04-01 to 2026-04-03", "\(shown.output)")
    #expect(shown.lines.dropFirst().first?.hasPrefix("  2. ") == true, "\(shown.output)")
    // The plan is shown as it was written.
    #expect(shown.lines.contains(Array(planned.lines.prefix(5))), "\(shown.output)")
    let found = try await companion(["search", "RAMEN", "--store", store])
    #expect(found.lines.first?.hasSuffix("Kyoto, 2026-04-01 to 2026-04-03") == true)
    #expect(
      found.lines.last == "    Day 2: Ramen at the station, 12 euro, wonderful", "\(found.output)")
  }

  @Test func chatsAreKept() async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "travel").path
    let none = try await companion(["chat", "--list", "--store", store])
    #expect(none.lines == ["There is no chat yet."])
    let first = try await companion(["chat", "Three days in Kyoto", "--store", store])
    #expect(first.exitCode == 0, "\(first.errors)")
    _ = try await companion(["chat", "Off to Rome", "--store", store])
    let list = try await companion(["chat", "--list", "--store", store])
    try #require(list.lines.count == 2)
    #expect(list.lines[0].hasSuffix("Off to Rome"))
    #expect(list.lines[1].hasSuffix("Three days in Kyoto"))
    let last = try await companion(["chat", "And then?", "--resume", "--store", store])
    #expect(last.lines.contains("> Off to Rome"), "\(last.output)")
    let id = String(list.lines[1].prefix(8))
    let chosen = try await companion([
      "chat", "How many days?", "--resume-chat", id.lowercased(), "--store", store,
    ])
    #expect(chosen.lines.contains("> Three days in Kyoto"), "\(chosen.output)")
    let found = try await companion(["search", "DAYS", "--store", store, "--limit", "9"])
    #expect(found.lines.first?.hasPrefix(id) == true, "\(found.output)")
    #expect(found.lines.contains("    Three days in Kyoto"), "\(found.output)")
    #expect(found.lines.contains("    How many days?"), "\(found.output)")
    let unknown = try await companion(["chat", "Hi", "--resume-chat", "x", "--store", store])
    #expect(unknown.exitCode == 64)
    #expect(unknown.errors.contains("--list"))
  }

  @Test func chatWithTools() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    let chat = try await companion(
      ["chat", "--store", store], input: "Hello\nWhat did I note?\nAnd then?\nThank you\n\n")
    #expect(chat.exitCode == 0, "\(chat.errors)")
    // Tools were called, and what they gave came before the answer.
    #expect(chat.lines.contains { $0.hasPrefix("  ⚙ ") })
    #expect(chat.lines.contains { $0.hasPrefix("  ↳ ") })
    try expect(chat.output, asRecordedIn: "chat.txt")
  }

  @Test func whatCannotBeIsRefused() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    for arguments in [
      ["itinerary", "Kyoto", "--days", "31"], ["journal", "--day", "1", "--store", store],
      ["journal", "--day", "9", "--store", store],
      ["trip", "create", "Oslo", "--from", "2026-05-02", "--to", "2026-05-01", "--store", store],
      ["trip", "create", "Oslo", "--from", "tomorrow", "--to", "2026-05-01", "--store", store],
      ["trip", "create", "Oslo", "--from", "2026-02-30", "--to", "2026-05-01", "--store", store],
      ["trip", "list", "--store", try folder.file("junk.json", "no trips")],
      ["summary", "--trip", "Oslo", "--store", store],
      ["briefing", "Japan", "--model", "/no/such.gguf"],
      ["briefing", " "], ["packing", "Oslo", "--days", "0"], ["itinerary", ""],
      ["note", "  ", "--store", store], ["note", "Rain", "--day", "9", "--store", store],
    ] {
      let run = try await companion(arguments)
      #expect(run.exitCode != 0 && !run.errors.isEmpty, "\(arguments)")
    }
    // Without a terminal and without --save, a note is shown and not saved.
    let before = try await companion(["trip", "list", "--store", store]).output
    #expect(try await companion(["note", "Rain", "--store", store]).exitCode == 0)
    #expect(try await companion(["trip", "list", "--store", store]).output == before)
  }

  @Test func whatIsFoundHeedsCorrections() async throws {
    let folder = try TemporaryFolder()
    let memory = folder.url.appending(path: "memory.json").path
    func run(_ arguments: [String]) async throws -> CommandRun {
      try await CommandRun.run("diet-log", arguments + ["--memory", memory])
    }
    let before = try await run(["--find", "my porridge"])
    #expect(!before.output.contains("(yours)"))
    let learned = try await run([
      "--learn", "my porridge = oatmeal, cooked", "--learn", "my porridge = 300 g", "--learn",
      "my porridge = 90 kcal", "--learn", "power bar xyzzy = 410 kcal",
    ])
    #expect(learned.exitCode == 0, "\(learned.errors)")
    let own = try await run(["--find", "my porridge"])
    let first = try #require(own.lines.first)
    #expect(first.hasPrefix("oatmeal, cooked, in 100 g: 90 kcal (yours), "), "\(first)")
    #expect(first.hasSuffix("you eat 300 g"), "\(first)")
    let unlisted = try await run(["--find", "power bar xyzzy"])
    #expect(
      unlisted.lines.first == "power bar xyzzy, in 100 g: 410 kcal (yours)", "\(unlisted.output)")
  }

  @Test func diet() async throws {
    let popcorn = try await CommandRun.run(
      "diet-log", ["8,000 calories of popcorn", "--json", "--model", "sampling"])
    #expect(popcorn.exitCode == 1)
    #expect(popcorn.output.contains(#""name":"popcorn""#))
    #expect(popcorn.output.contains(#""verdict":"failed""#))
    #expect(popcorn.output.contains("8000 kcal at once"))
    try expect(popcorn.output, asRecordedIn: "diet-popcorn.json")
    let typed = try await CommandRun.run(
      "diet-log",
      ["--food", "popcorn", "--grams", "100", "--calories", "8000", "--model", "sampling"])
    #expect(typed.exitCode == 1 && typed.output.contains("failed: popcorn"))
    #expect(try await CommandRun.run("diet-log", [" "]).exitCode == 64)
    #expect(
      try await CommandRun.run("diet-log", ["--food", "kale", "--model", "sampling"]).exitCode != 64
    )
    #expect(
      try await CommandRun.run("diet-log", ["soup", "--model", "/no/such.gguf"]).exitCode == 2)
    // The same meal twice is asked once. The sampling model cannot say how sure it is, so that the
    // quick model's answers are taken.
    let meal = "two eggs with toast, butter, jam and a cup of coffee"
    let table = try await CommandRun.run(
      "diet-log", [meal, meal, "an apple", "--model", "sampling", "--quick", "sampling"])
    func requests(_ name: String) -> String? {
      table.lines.first { $0.hasPrefix(name) }.map { line in
        line.dropFirst(name.count).split(separator: " ").first.map(String.init) ?? ""
      }
    }
    #expect(requests("answers") == "3")
    #expect(requests("quick model") == "2")
    #expect(requests("thorough model") == "0")
  }
}
