// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

private struct CityIndex: SearchIndex {
  func search(_ words: String, limit: Int) async throws -> [String] {
    Array(["Gion", "Nara", "Uji"].prefix(limit)).map { "\($0) for \(words)" }
  }
}

/// The sources of services and view models, run.
@Suite struct ServiceTests {
  @Test(arguments: UInt64(0)..<5) @MainActor func recipe(seed: UInt64) async throws {
    let model = RecipeViewModel(model: SamplingLanguageModel(seed: seed))
    model.ingredients = ["leeks", "rice"]
    await model.generate(servings: 2, allergies: nil)
    guard case .done(let recipe) = model.phase else {
      Issue.record("seed \(seed): \(model.phase)")
      return
    }
    #expect((1...12).contains(recipe.ingredients.count) && (1...10).contains(recipe.steps.count))
    #expect(["easy", "medium", "hard"].contains(recipe.difficulty))
    #expect(!describe(recipe.asPartiallyGenerated()).isEmpty)
    let saved = try JSONEncoder().encode(recipe)
    #expect(try JSONDecoder().decode(SuggestedRecipe.self, from: saved) == recipe)
    let prompt = model.session.transcript.first { if case .prompt = $0 { true } else { false } }
    #expect(
      prompt?.description
        == "Prompt: A recipe for 2.\nThere are no allergies.\n- leeks\n- rice")
  }

  @Test @MainActor func stoppedAndFailed() async throws {
    let slow = RecipeViewModel(
      model: SlowLanguageModel(SamplingLanguageModel(seed: 1), delay: .milliseconds(20)))
    slow.start(servings: 1, allergies: "nuts")
    while !slow.isBusy { await Task.yield() }
    slow.stop()
    while slow.isBusy { await Task.yield() }
    #expect(slow.session.transcript.count == 1)
    let refusing = RecipeViewModel(
      model: ScriptedLanguageModel([
        .failure(LanguageModelError.refusal(.init(explanation: "I would rather not.")))
      ]))
    await refusing.generate(servings: 1, allergies: nil)
    guard case .failed("I would rather not.") = refusing.phase else {
      Issue.record("\(refusing.phase)")
      return
    }
    let calling = RecipeViewModel(
      model: ScriptedLanguageModel([
        .toolCall(
          "CalendarTool", arguments: #"{"day":"2026-04-01","calendar":"work","kinds":[]}"#)
      ]), tools: [CalendarTool()])
    await calling.generate(servings: 1, allergies: nil)
    guard case .failed("CalendarTool: There is no access to the calendar.") = calling.phase else {
      Issue.record("\(calling.phase)")
      return
    }
  }

  @Test @MainActor func toolsOfEveryKind() async throws {
    let model = ScriptedLanguageModel([
      .init([
        .toolCall(name: "count", arguments: #"{"step":3}"#),
        .toolCall(name: "screen", arguments: #"{"title":"Map"}"#),
        .toolCall(name: "search", arguments: #"{"words":"tea","limit":2}"#),
        .toolCall(name: "CalendarTool", arguments: #"{"day":"2026-04-01","kinds":["event"]}"#),
      ]), .text("Done."),
    ])
    let screen = ScreenTool()
    let session = LanguageModelSession(
      model: model, tools: [CounterTool(), screen, SearchTool(index: CityIndex()), CalendarTool()])
    #expect(try await session.respond(to: "Go").content == "Done.")
    #expect(screen.shown == ["Map"])
    let shown = bubbles(session.transcript)
    #expect(
      shown.map(\.role) == [
        "user", "tools", "count", "screen", "search", "CalendarTool", "assistant",
      ]
    )
    #expect(shown[2].text == "3" && shown[4].text.contains("Hit: Gion for tea"))
    #expect(shown[5].text.contains("isFree"))
    // Saved, and restored with the newest entries.
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONEncoder().encode(session.transcript).write(to: file)
    let again = try restored(from: file, tools: [CounterTool()])
    #expect(bubbles(again.transcript).last?.text == "Done.")
  }

  @Test(arguments: UInt64(0)..<5) func forms(seed: UInt64) async throws {
    let address = FormField(
      name: "address",
      kind: .group([
        FormField(name: "street", kind: .text), FormField(name: "floor", kind: .number),
      ]))
    let schema = try formSchema(
      "Guest",
      [
        FormField(name: "name", help: "As in the passport", kind: .text),
        FormField(name: "meal", kind: .choice(["fish", "beans"])),
        FormField(name: "wishes", kind: .list, isRequired: false), address,
      ])
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
    let content = try await session.respond(to: "Fill it in", schema: schema).content
    let fields = try filled(content)
    #expect(["fish", "beans"].contains(fields["meal"]), "seed \(seed)")
    #expect(fields["address"]?.hasPrefix(#"{"street":"#) == true, "seed \(seed)")
    #expect(fields["name"] != nil)
    #expect(throws: GenerationSchema.SchemaError.self) {
      try formSchema("Twice", [address, address])
    }
    let temperature = try await session.respond(to: "How warm?", generating: Temperature.self)
    #expect((-90...60).contains(temperature.content.celsius))
  }

  @Test func streamsThatAreGivenOn() async throws {
    let model = ScriptedLanguageModel([.text("one two three")], repeats: true)
    let session = LanguageModelSession(model: model)
    #expect(try await lines(session).collect().content == "one two three")
    var pieces: [String] = []
    for try await text in texts(session) { pieces.append(text) }
    #expect(pieces.prefix(3) == ["one", "one two", "one two three"])
    var last = ""
    let stream = boxed(session)
    for try await text in stream { last = text }
    #expect(last == "one two three")
  }

  /// Rows of a view whose types another file declares, while they stream.
  @Test func partialValuesOfTypesDeclaredLater() async throws {
    let json =
      #"{"title":"Coast","stops":[{"name":"Nara","mood":"quiet","transport":{"type":"walk","#
      + #""value":"lively"}}],"related":[]}"#
    let session = LanguageModelSession(model: ScriptedLanguageModel([.text(json)]))
    var view = JourneyView()
    for try await snapshot in session.streamResponse(to: "A journey", generating: Journey.self) {
      view.journey = snapshot.content
    }
    #expect(view.rows == ["Nara: quiet"])
    let journey = try Journey(GeneratedContent(json: json))
    #expect(view.show([journey.asPartiallyGenerated()]) == 1 && view.selected.count == 1)
    let ann = Person(
      name: "Ann", children: [Person(name: "Bo", children: [], pets: [])], pets: [])
    #expect(FamilyTree().count(ann.asPartiallyGenerated()) == 2)
  }
}
