// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierSQLite
import Foundation
import Testing

/// What the pages show of databases is run.
@Suite struct SQLiteSnippetRunTests {
  @Test func pages() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "conversations")
    let store = try SQLiteConversationStore(file: file)
    _ = try await store.create(title: "Kyoto")
    try await searchingTheDatabase(file)
    let (shown, shows) = AsyncStream.makeStream(of: [String].self)
    let watcher = Task { try await watching(store) { shows.yield($0) } }
    for await titles in shown {
      #expect(titles == ["Kyoto"])
      break
    }
    watcher.cancel()
    _ = await watcher.result
    try await knowing(
      folder.appending(path: "knowledge"), CharacterGramEmbeddingModel(), "Cancelling is free.")
  }
}
