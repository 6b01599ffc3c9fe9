// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierSQLite
import Foundation

// Paragraphs of Documentation/Conversations.md and of the comments of Sources/EspalierSQLite.

func searchingTheDatabase(_ file: URL) async throws {
  let store = try SQLiteConversationStore(file: file)
  for match in try await store.search("golden temple", limit: 20) { print(match.excerpt) }
}

func watching(_ store: SQLiteConversationStore, print: ([String]) -> Void) async throws {
  for try await chats in store.conversationUpdates(limit: 50) { print(chats.map(\.title)) }
}

// Paragraphs of Documentation/Knowledge.md.

func knowing(_ file: URL, _ model: some EmbeddingModel, _ text: String) async throws {
  let index = try SQLiteKnowledgeIndex(file: file, model: model)
  try await index.add([KnowledgeDocument(id: "fees", title: "Fees", text: text)])
  for match in try await index.search("What does cancelling cost?") { print(match.title) }
}
