// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierLocal
import EspalierServer
import Foundation

// Paragraphs of Documentation/Knowledge.md and of the comments of Sources/EspalierCore/Knowledge,
// Sources/EspalierLocal/Embeddings and Sources/EspalierServer/Embeddings.

func adding(_ index: some KnowledgeIndex, _ text: String) async throws -> [KnowledgeMatch] {
  try await index.add([KnowledgeDocument(id: "fees", title: "Fees", text: text)])
  let matches = try await index.search("What does cancelling cost?", limit: 5)
  return matches
}

func lookingUp(
  _ model: some LanguageModel, _ index: some KnowledgeIndex
) async throws -> Transcript {
  let session = LanguageModelSession(
    model: model, tools: [KnowledgeTool(index, about: "the rules of the library")])
  let answer = try await session.respond(to: "How long may I keep a film?")
  _ = answer
  return session.transcript
}

func prompting(
  _ session: LanguageModelSession, _ index: some KnowledgeIndex, _ question: String,
  _ show: ([String]) -> Void
) async throws {
  let passages = KnowledgePassages(try await index.search(question), tokenLimit: 1000)
  try await session.respond {
    passages
    question
  }
  show(passages.matches.map(\.title))
}

func embedding(_ model: some EmbeddingModel) async throws -> [[Float]] {
  let vectors = try await model.vectors(for: ["a temple of gold", "kinkaku-ji"], as: .document)
  return vectors
}

func embeddingLocally() async throws {
  let model = try LocalEmbeddingModel(path: "all-MiniLM-L6-v2.gguf")
  let vectors = try await model.vectors(for: ["a temple of gold"], as: .document)
  _ = vectors
}

func embeddingByServer() async throws {
  let model = try ServerEmbeddingModel(
    url: URL(string: "http://localhost:11434")!, model: "all-minilm", dimensions: 384)
  let vectors = try await model.vectors(for: ["a temple of gold"], as: .document)
  _ = vectors
}

func filtering(
  _ index: some KnowledgeIndex, _ text: String
) async throws -> [KnowledgeMatch] {
  let garden = KnowledgeDocument(
    id: "moss", title: "Moss", text: text, metadata: ["kind": "sights"])
  let sights = try await index.search("a quiet garden", where: ["kind": "sights"])
  _ = garden
  return sights
}
