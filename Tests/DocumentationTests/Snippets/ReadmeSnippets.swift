// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

@Generable(description: "A place worth a visit")
struct Sight {
  var name: String
  @Guide(description: "In hours", .range(1...8)) var duration: Int
  var note: String?
}

struct ReadmeSnippets {
  func thirtySeconds() async throws -> Sight {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 7))
    let sight = try await session.respond(to: "A temple in Kyoto", generating: Sight.self).content
    print(sight.generatedContent.jsonString)

    return sight
  }

  func stream(_ session: LanguageModelSession) async throws {
    for try await snapshot in session.streamResponse(to: "A temple", generating: Sight.self) {
      print(snapshot.content.name ?? "…")
    }
  }
}
