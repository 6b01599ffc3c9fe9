// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Paragraphs of Documentation/Conversations.md and of the comments of Sources/EspalierCore/Conversations.

func saving(_ model: some LanguageModel, _ folder: URL) async throws {
  let store = try FileConversationStore(folder: folder)
  let conversation = try await store.create(title: "Kyoto in April")
  let session = LanguageModelSession(model: model, instructions: "You plan trips.")
    .saving(to: store, as: conversation.id)
  try await session.respond(to: "Three days, please")
}

func commentOfSaving(
  _ model: some LanguageModel, _ store: FileConversationStore
) async throws {
  let chat = try await store.create(title: "Kyoto")
  let session = LanguageModelSession(model: model).saving(to: store, as: chat.id)
  _ = session
}

func resuming(
  _ model: some LanguageModel, _ store: FileConversationStore, _ chat: Conversation
) async throws {
  let session = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
  _ = session
}

func listing(_ folder: URL) async throws {
  let store = try FileConversationStore(folder: folder)
  for conversation in try await store.conversations(limit: 20) { print(conversation.title) }
}

func searching(_ store: FileConversationStore) async throws {
  for match in try await store.search("golden temple", limit: 20) {
    print(match.conversation.title, match.excerpt)
  }
}
