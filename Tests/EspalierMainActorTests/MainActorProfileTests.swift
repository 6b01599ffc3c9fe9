// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

// Profiles of an app are on its main actor, and so is what their callbacks do.

final class Diary {
  var lines: [String] = []
}

struct Companion: LanguageModelSession.DynamicProfile {
  let model: ScriptedLanguageModel
  let diary: Diary

  var body: some DynamicProfile {
    MainActor.assertIsolated()
    return Profile { "You chat for the \(diary.lines.count + 1). time." }
      .model(model)
      .onPrompt { prompt in
        MainActor.assertIsolated()
        diary.lines.append("\(prompt)")
      }
      .onActivate { diary.lines.append("active") }
  }
}

@Suite struct MainActorProfileTests {
  @Test func profilesAreAskedOnTheMainActor() async throws {
    let diary = Diary()
    let model = ScriptedLanguageModel([.text("1"), .text("2")])
    let session = LanguageModelSession(profile: Companion(model: model, diary: diary))
    try await session.respond(to: "A")
    let answer = try await session.streamResponse(to: "B").collect().content
    #expect(answer == "2")
    #expect(diary.lines == ["active", "A", "B"])
    #expect(session.transcript.first?.description == "Instructions: You chat for the 3. time.")
  }
}
