// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

struct SecuritySnippets {
  struct Message { var text: String }

  func clean(_ message: Message, _ session: LanguageModelSession) async throws {
    let clean = InputHygiene().clean(message.text)
    try await session.respond {
      "Summarise this message:"
      clean.text
    }
  }

  func veto(_ session: LanguageModelSession) {
    session.toolCallPolicy.decide = { call in
      call.toolName == "deleteTrip" ? .deny(reason: "Ask the traveller first.") : .allow
    }
  }

  func guardrails(_ model: SamplingLanguageModel) {
    let guarded = GuardedLanguageModel(
      model,
      output: [
        Guardrail { text in
          text.contains("password") ? .block(reason: "The answer speaks of a password.") : .pass
        }
      ])

    _ = guarded
  }

  func limits(_ text: String) throws {
    let limits = GeneratedContentParser.Limits(depth: 32, byteCount: 1 << 20)
    var parser = GeneratedContentParser(limits: limits)
    try parser.append(text)
  }
}
