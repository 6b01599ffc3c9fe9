// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import GRDB
import Testing

@testable import EspalierSQLite

/// Conversations in a database: what is kept, found and told of, and what is said of other files.
@Suite struct SQLiteConversationStoreTests {
  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "chats.sqlite"))
  }

  private func prompt(_ text: String) -> Transcript.Entry {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  @Test func whatWasAddedIsThereAgain() async throws {
    try await withFile { file in
      var store = try SQLiteConversationStore(file: file)
      let first = try await store.create(title: "First")
      let second = try await store.create(title: "Zweite 🗻\n")
      var added: [Transcript.Entry] = []
      for number in 0..<30 {
        let entries = [prompt("\(number)a"), prompt("\(number)b \"ü\"\n")]
        try await store.append(entries, to: second.id)
        added += entries
      }
      try await store.append([], to: first.id)
      store = try SQLiteConversationStore(file: file)
      #expect(try await store.conversations().map(\.title) == ["Zweite 🗻\n", "First"])
      #expect(try await store.entries(of: first.id).isEmpty)
      for count in [0, 1, 2, 3, 20, 59, 60, 61, Int.max] {
        let latest = try await store.entries(of: second.id, latest: count)
        #expect(latest == Array(added.suffix(count)), "\(count)")
      }
    }
  }

  /// A commit waits for the disk.
  @Test func writesAreSynchronised() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let modes = try await store.pool.write { database in
        [
          try Int.fetchOne(database, sql: "PRAGMA synchronous"),
          try Int.fetchOne(database, sql: "PRAGMA fullfsync"),
        ]
      }
      #expect(modes == [2, 1])
    }
  }

  @Test func changesOfOthersAreSeen() async throws {
    try await withFile { file in
      let one = try SQLiteConversationStore(file: file)
      let other = try SQLiteConversationStore(file: file)
      let reader = try SQLiteConversationStore(file: file, isReadOnly: true)
      let conversation = try await one.create(title: "A")
      try await other.append([prompt("Hello")], to: conversation.id)
      try await other.rename(conversation.id, to: "B")
      #expect(try await reader.conversation(conversation.id).title == "B")
      #expect(try await reader.entries(of: conversation.id).map(\.description).count == 1)
      try await one.delete(conversation.id)
      let late = await #expect(throws: ConversationStoreError.self) {
        try await other.append([prompt("Late")], to: conversation.id)
      }
      #expect(late?.kind == .noSuchConversation)
      #expect(try await reader.conversations().isEmpty)
      #expect(try await reader.search("Hello", limit: 9).isEmpty)
      let error = await #expect(throws: ConversationStoreError.self) {
        try await reader.create(title: "C")
      }
      #expect(error?.kind == .cannotWrite)
    }
  }

  /// Writers of one file wait for each other, and none is refused.
  @Test func writersWait() async throws {
    try await withFile { file in
      let conversation = try await SQLiteConversationStore(file: file).create(title: "A")
      try await withThrowingTaskGroup { group in
        for writer in 0..<4 {
          group.addTask {
            let store = try SQLiteConversationStore(file: file)
            for number in 0..<25 {
              try await store.append([prompt("\(writer) \(number)")], to: conversation.id)
            }
          }
        }
        try await group.waitForAll()
      }
      let store = try SQLiteConversationStore(file: file, isReadOnly: true)
      #expect(try await store.entries(of: conversation.id).count == 100)
    }
  }

  @Test func wordsAreFound() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let kyoto = try await store.create(title: "Kyoto")
      let rome = try await store.create(title: "Rome")
      let instructions = Transcript.Entry.instructions(
        .init(segments: [.text(.init(content: "You love temples"))], toolDefinitions: []))
      let golden = prompt("The Golden Temple at noon")
      let ryoan = prompt("Ryōan-ji")
      try await store.append([instructions, golden, ryoan], to: kyoto.id)
      let vesta = prompt("A temple of Vesta")
      let tiber = prompt("ÜBER den \"Tiber\" AND OR NOT*")
      try await store.append([vesta, tiber], to: rome.id)
      func found(_ text: String, _ limit: Int = 10) async throws -> [Transcript.Entry] {
        try await store.search(text, limit: limit).map(\.entry)
      }
      #expect(try await found("TEMPLE") == [vesta, golden])
      #expect(try await found("noon temple") == [golden])
      #expect(try await found("über") == [tiber])
      #expect(try await found("ryoan") == [ryoan])
      // Nothing in a text is an operator.
      #expect(try await found("\"Tiber\"") == [tiber])
      #expect(try await found("temple OR noon").isEmpty)
      #expect(try await found("text:temple").isEmpty)
      #expect(try await found("temples").isEmpty)
      #expect(try await found("* \"").isEmpty)
      #expect(try await found(" ").isEmpty)
      #expect(try await found("temple", 1) == [vesta])
      let match = try await store.search("golden", limit: 1).first
      #expect(match?.conversation.title == "Kyoto")
      #expect(match?.excerpt == "The Golden Temple at noon")
    }
  }

  @Test func sessionGoesOn() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let chat = try await store.create(title: "A")
      let model = ScriptedLanguageModel([.text("Fine."), .text("Good.")])
      let session = LanguageModelSession(model: model, instructions: "Be brief.")
        .saving(to: store, as: chat.id)
      _ = try await session.respond(to: "How are you?")
      let resumed = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
      #expect(resumed.transcript == session.transcript)
      _ = try await resumed.respond(to: "And now?")
      #expect(try await store.entries(of: chat.id) == Array(resumed.transcript))
    }
  }

  @Test func changesAreTold() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let chat = try await store.create(title: "A")
      var lists = store.conversationUpdates(limit: 5).makeAsyncIterator()
      #expect(try await lists.next()?.map(\.title) == ["A"])
      try await store.rename(chat.id, to: "B")
      #expect(try await lists.next()?.map(\.title) == ["B"])

      var entries = store.entryUpdates(of: chat.id, latest: 2).makeAsyncIterator()
      #expect(try await entries.next()?.isEmpty == true)
      let added = (0..<3).map { prompt("\($0)") }
      try await store.append(added, to: chat.id)
      #expect(try await entries.next() == Array(added.suffix(2)))
      try await store.delete(chat.id)
      await #expect(throws: ConversationStoreError.self) { try await entries.next() }
    }
  }

  // MARK: Files that are not what they should be

  private func expectRefusal(
    _ file: URL, _ kind: ConversationStoreError.Kind, isReadOnly: Bool = false
  ) throws {
    let before = try? Data(contentsOf: file)
    let error = #expect(throws: ConversationStoreError.self) {
      try SQLiteConversationStore(file: file, isReadOnly: isReadOnly)
    }
    #expect(error?.kind == kind)
    #expect(error?.place == file.path)
    #expect((try? Data(contentsOf: file)) == before)
  }

  @Test func newerVersionsAndOtherFilesAreLeftAlone() async throws {
    try await withFile { file in
      try expectRefusal(file, .cannotRead, isReadOnly: true)
      #expect(!FileManager.default.fileExists(atPath: file.path))
      try Data(String(repeating: "This is a letter. ", count: 500).utf8).write(to: file)
      try expectRefusal(file, .damaged)
      try FileManager.default.removeItem(at: file)
      let queue = try DatabaseQueue(path: file.path)
      try await queue.write { try $0.execute(sql: "CREATE TABLE recipe (name TEXT)") }
      try queue.close()
      try expectRefusal(file, .damaged)
    }
    try await withFile { file in
      _ = try await SQLiteConversationStore(file: file).create(title: "A")
      let queue = try DatabaseQueue(path: file.path)
      try await queue.write { try $0.execute(sql: "PRAGMA user_version = 12") }
      try queue.close()
      try expectRefusal(file, .newerVersion)
    }
  }

  @Test func impossibleVersionsAndPathsAreErrors() async throws {
    try await withFile { file in
      _ = try await SQLiteConversationStore(file: file).create(title: "A")
      let queue = try DatabaseQueue(path: file.path)
      try await queue.write { try $0.execute(sql: "PRAGMA user_version = -3") }
      try queue.close()
      try expectRefusal(file, .damaged)
    }
    try await withFile { file in
      func problem(_ file: URL, isReadOnly: Bool = false) -> String? {
        #expect(throws: ConversationStoreError.self) {
          _ = try SQLiteConversationStore(file: file, isReadOnly: isReadOnly)
        }?.problem
      }
      let folder = file.deletingLastPathComponent()
      #expect(problem(folder) == "This is a folder.")
      let missing = folder.appending(path: "nowhere")
      #expect(problem(missing.appending(path: "a")) == "There is no folder '\(missing.path)'.")
      try Data().write(to: file)
      #expect(problem(file, isReadOnly: true) == "There is nothing in the file.")
    }
  }

  @Test func excerptsShowWordsThatDifferInAccents() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let chat = try await store.create(title: "A")
      let start = String(repeating: "Nothing to see here. ", count: 20)
      try await store.append([prompt(start + "The garden of\nRyōan-ji is quiet.")], to: chat.id)
      let excerpt = try await store.search("ryoan", limit: 1).first?.excerpt
      #expect(excerpt?.contains("of Ryōan-ji is") == true, "\(excerpt ?? "")")
    }
  }

  /// SQLite ends a text at U+0000.
  @Test func titlesAreNotCutOff() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let chat = try await store.create(title: "A\u{0}B")
      #expect(chat.title == "A\u{FFFD}B")
      #expect(try await store.conversation(chat.id).title == chat.title)
      try await store.append([prompt("one\u{0} two")], to: chat.id)
      #expect(try await store.search("two", limit: 1).count == 1)
    }
  }

  /// A page that was overwritten gives an error, and nothing that is wrong.
  @Test func damageIsAnError() async throws {
    try await withFile { file in
      let store = try SQLiteConversationStore(file: file)
      let chat = try await store.create(title: "A")
      try await store.append(
        (0..<400).map { prompt("\($0) " + String(repeating: "word ", count: 40)) }, to: chat.id)
      let queue = try DatabaseQueue(path: file.path)
      try await queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
      try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try queue.close()
      var bytes = try Data(contentsOf: file)
      for page in 2..<bytes.count / 4096 {
        let start = page * 4096
        bytes.replaceSubrange(start..<start + 16, with: Data(repeating: 0xA5, count: 16))
      }
      let copy = file.deletingLastPathComponent().appending(path: "damaged.sqlite")
      try bytes.write(to: copy)
      let damaged = try SQLiteConversationStore(file: copy)
      let error = await #expect(throws: ConversationStoreError.self) {
        try await damaged.entries(of: chat.id)
      }
      #expect(error?.kind == .damaged)
      await #expect(throws: ConversationStoreError.self) {
        try await damaged.append([prompt("More")], to: chat.id)
      }
      #expect(try Data(contentsOf: copy) == bytes)
    }
  }
}
