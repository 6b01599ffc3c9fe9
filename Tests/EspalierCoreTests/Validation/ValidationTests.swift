// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

extension Person: SemanticallyValidated {
  static var semanticRules: [SemanticRule<Person>] {
    [
      SemanticRule("name") { $0.name.isEmpty ? "The name is empty." : nil },
      SemanticRule("age", severity: .warning) { $0.age == nil ? "There is no age." : nil },
      SemanticRule("children", severity: .needsReview) {
        $0.children.contains { $0.name == "?" } ? "A child has no name." : nil
      },
    ]
  }
}

@Suite struct ValidationTests {
  private func json(_ name: String, child: String = "B") -> String {
    #"{"children":[{"children":[],"name":"\#(child)"}],"name":"\#(name)"}"#
  }

  @Test func repair() async throws {
    let model = ScriptedLanguageModel([
      .text(json("")), .text(json("Ada", child: "?")), .text(json("Ada")),
    ])
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: Prompt("Who?"), validating: Person.self)
    #expect(response.content.name == "Ada")
    #expect(response.attemptCount == 3)
    #expect(response.report.severity == .warning)
    #expect(model.requests[1].transcript.last?.description.contains("The name is empty.") == true)
    #expect(
      model.requests[2].transcript.last?.description.contains("A child has no name.") == true)
  }

  @Test func bounded() async throws {
    let model = ScriptedLanguageModel([.text(json(""))], repeats: true)
    let session = LanguageModelSession(model: model)
    let error = await #expect(throws: LanguageModelSession.ValidationError.self) {
      try await session.respond(to: "Who?", validating: Person.self, maximumRepairs: 1)
    }
    #expect(error?.attemptCount == 2)
    #expect(error?.report.severity == .failed)
    #expect(model.requests.count == 2)
  }
}
