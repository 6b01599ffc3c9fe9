// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierSQLite
import Foundation

// Paragraphs of Documentation/Conversations.md and of the comments of Sources/EspalierSQLite.

private func searching(_ file: URL) async throws {
  let store = try SQLiteConversationStore(file: file)
  for match in try await store.search("golden temple", limit: 20) { print(match.excerpt) }
}

private func watching(_ store: SQLiteConversationStore) async throws {
  for try await chats in store.conversationUpdates(limit: 50) { print(chats.map(\.title)) }
}

// Paragraphs of Documentation/Knowledge.md.

private func knowing(_ file: URL, _ model: some EmbeddingModel, _ text: String) async throws {
  let index = try SQLiteKnowledgeIndex(file: file, model: model)
  try await index.add([KnowledgeDocument(id: "fees", title: "Fees", text: text)])
  for match in try await index.search("What does cancelling cost?") { print(match.title) }
}
