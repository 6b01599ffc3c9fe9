// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

/// What the page on knowledge shows, with an index that is a list.
@Suite struct KnowledgeSnippetRunTests {
  private actor ListedDocuments: KnowledgeIndex {
    private var documents: [KnowledgeDocument] = []

    func add(_ documents: [KnowledgeDocument]) { self.documents += documents }

    func remove(_ ids: [KnowledgeDocument.ID]) { documents.removeAll { ids.contains($0.id) } }

    func document(_ id: KnowledgeDocument.ID) -> KnowledgeDocument? {
      documents.first { $0.id == id }
    }

    func search(
      _ query: String, limit: Int, where filter: [String: String], by mode: KnowledgeSearchMode
    ) -> [KnowledgeMatch] {
      documents.filter { document in filter.allSatisfy { document.metadata[$0.key] == $0.value } }
        .prefix(limit).map {
          KnowledgeMatch(
            document: $0.id, title: $0.title, metadata: $0.metadata, position: 0, text: $0.text,
            score: 1)
        }
    }
  }

  @Test func passages() async throws {
    let index = ListedDocuments()
    #expect(try await adding(index, "Cancelling is free.").map(\.title) == ["Fees"])
    let model = ScriptedLanguageModel([
      .toolCall("lookUp", arguments: #"{"query": "films"}"#), .text("A week."),
      .text("Nothing."),
    ])
    #expect(try await "\(lookingUp(model, index))".contains("Cancelling is free."))
    var shown: [String] = []
    try await prompting(LanguageModelSession(model: model), index, "What does it cost?") {
      shown = $0
    }
    #expect(shown == ["Fees"])
    #expect(try await filtering(index, "Moss is green.").isEmpty)
    #expect(try await embedding(CharacterGramEmbeddingModel()).count == 2)
  }
}
