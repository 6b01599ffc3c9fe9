// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

/// Conversations in plain files: what is kept, and what is said where files are not what they were.
@Suite struct FileConversationStoreTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    do {
      try await body(folder)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    try? FileManager.default.removeItem(at: folder)
  }

  private func prompt(_ text: String) -> Transcript.Entry {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  private func texts(_ entries: [Transcript.Entry]) -> [String] { entries.map(\.content) }

  private func entryFile(_ folder: URL, _ conversation: Conversation) -> URL {
    folder.appending(path: "entries").appending(path: conversation.id + ".log")
  }

  @Test func whatWasAddedIsThereAgain() async throws {
    try await withFolder { folder in
      var store = try FileConversationStore(folder: folder)
      let first = try await store.create(title: "First")
      let second = try await store.create(title: "Zweite 🗻\n")
      for number in 0..<30 {
        try await store.append(
          [prompt("\(number)a"), prompt("\(number)b \"ü\"\n")], to: second.id)
      }
      try await store.append([], to: first.id)
      store = try FileConversationStore(folder: folder)
      #expect(try await store.conversations().map(\.title) == ["Zweite 🗻\n", "First"])
      #expect(try await store.entries(of: first.id).isEmpty)
      let all = try await store.entries(of: second.id)
      #expect(all.count == 60)
      for count in [0, 1, 2, 3, 20, 59, 60, 61, Int.max] {
        let latest = try await store.entries(of: second.id, latest: count)
        #expect(latest == Array(all.suffix(count)), "\(count)")
      }
      #expect(texts(all).last == "29b \"ü\"\n")
    }
  }

  @Test func changesOfOthersAreSeen() async throws {
    try await withFolder { folder in
      let one = try FileConversationStore(folder: folder)
      let other = try FileConversationStore(folder: folder)
      let reader = try FileConversationStore(folder: folder, isReadOnly: true)
      let conversation = try await one.create(title: "A")
      try await other.append([prompt("Hello")], to: conversation.id)
      try await other.rename(conversation.id, to: "B")
      #expect(try await reader.conversation(conversation.id).title == "B")
      #expect(texts(try await reader.entries(of: conversation.id)) == ["Hello"])
      try await one.delete(conversation.id)
      await #expect(throws: ConversationStoreError.self) {
        try await other.append([prompt("Late")], to: conversation.id)
      }
      #expect(try await reader.conversations().isEmpty)
      #expect(!FileManager.default.fileExists(atPath: entryFile(folder, conversation).path))
      let error = await #expect(throws: ConversationStoreError.self) {
        try await reader.create(title: "C")
      }
      #expect(error?.kind == .cannotWrite)
    }
  }

  @Test func wordsAreFound() async throws {
    try await withFolder { folder in
      let store = try FileConversationStore(folder: folder)
      let kyoto = try await store.create(title: "Kyoto")
      let rome = try await store.create(title: "Rome")
      try await store.append(
        [prompt("The Golden Temple at noon"), prompt("Ryōan-ji")], to: kyoto.id)
      try await store.append([prompt("A temple of Vesta"), prompt("ÜBER den Tiber")], to: rome.id)
      func found(_ text: String) async throws -> [String] {
        try await store.search(text, limit: 10).map { $0.entry.content }
      }
      #expect(try await found("TEMPLE") == ["A temple of Vesta", "The Golden Temple at noon"])
      #expect(try await found("noon temple") == ["The Golden Temple at noon"])
      #expect(try await found("über") == ["ÜBER den Tiber"])
      #expect(try await found("RYŌAN") == ["Ryōan-ji"])
      #expect(try await found("prompt").isEmpty)
      #expect(try await found(" ").isEmpty)
      #expect(try await store.search("temple", limit: 1).map(\.conversation.id) == [rome.id])
    }
  }

  /// The writer was killed after each of the bytes in turn.
  @Test func fileThatEndsAnywhereOpensWithWhatWasAcknowledged() async throws {
    try await withFolder { folder in
      let store = try FileConversationStore(folder: folder)
      let conversation = try await store.create(title: "A")
      let file = entryFile(folder, conversation)
      var ends: [Int] = []
      for number in 0..<3 {
        try await store.append([prompt("Number \(number)"), prompt("ä")], to: conversation.id)
        ends.append(try Data(contentsOf: file).count)
      }
      let whole = try Data(contentsOf: file)
      for size in 0...whole.count {
        try whole.prefix(size).write(to: file)
        let acknowledged = ends.prefix { $0 <= size }.count
        let entries = try await store.entries(of: conversation.id)
        #expect(entries.count == 2 * acknowledged, "\(size) bytes")
        try await store.append([prompt("More")], to: conversation.id)
        let after = try await store.entries(of: conversation.id)
        #expect(texts(after) == texts(entries) + ["More"], "\(size) bytes")
      }
    }
  }

  @Test func indexThatEndsAnywhereOpens() async throws {
    try await withFolder { folder in
      let store = try FileConversationStore(folder: folder)
      var ends: [Int] = []
      let index = folder.appending(path: "index.log")
      for number in 0..<3 {
        _ = try await store.create(title: "\(number)")
        ends.append(try Data(contentsOf: index).count)
      }
      let whole = try Data(contentsOf: index)
      for size in 0...whole.count {
        try whole.prefix(size).write(to: index)
        let again = try FileConversationStore(folder: folder)
        #expect(try await again.conversations().count == ends.prefix { $0 <= size }.count)
        _ = try await again.create(title: "More")
        #expect(try await again.conversations().contains { $0.title == "More" })
      }
    }
  }

  /// A byte that changed is found wherever it is, nothing is handed on as if it were right, and the
  /// file stays as it is.
  @Test func changedByteIsDamage() async throws {
    try await withFolder { folder in
      let store = try FileConversationStore(folder: folder)
      let conversation = try await store.create(title: "A")
      for text in ["One", "Two"] { try await store.append([prompt(text)], to: conversation.id) }
      let file = entryFile(folder, conversation)
      let whole = try Data(contentsOf: file)
      let entries = try await store.entries(of: conversation.id)
      for place in 0..<whole.count {
        for change in [UInt8(0x01), 0x20, 0xFF] {
          var bytes = whole
          bytes[place] ^= change
          try bytes.write(to: file)
          do {
            // Without the line feed at its end the last record may have been half written.
            let read = try await store.entries(of: conversation.id)
            #expect(place == whole.count - 1, "byte \(place)")
            #expect(read == Array(entries.prefix(1)))
            continue
          } catch let error as ConversationStoreError {
            #expect([.damaged, .newerVersion].contains(error.kind), "byte \(place)")
            #expect(error.place == file.path)
          }
          await #expect(throws: ConversationStoreError.self, "byte \(place)") {
            try await store.append([prompt("More")], to: conversation.id)
          }
          #expect(try Data(contentsOf: file) == bytes, "byte \(place)")
        }
      }
    }
  }

  @Test func newerVersionsAreLeftAlone() async throws {
    try await withFolder { folder in
      let store = try FileConversationStore(folder: folder)
      _ = try await store.create(title: "A")
      let index = folder.appending(path: "index.log")
      let newer = Data("espalier conversations 12\nwho knows".utf8)
      try newer.write(to: index)
      let error = #expect(throws: ConversationStoreError.self) {
        try FileConversationStore(folder: folder)
      }
      #expect(error?.kind == .newerVersion)
      #expect(error?.problem.contains("12") == true)
      #expect(try Data(contentsOf: index) == newer)
    }
  }

  @Test func folderThatIsNotThere() {
    let error = #expect(throws: ConversationStoreError.self) {
      try FileConversationStore(folder: URL(filePath: "/nowhere/at/all"), isReadOnly: true)
    }
    #expect(error?.kind == .cannotRead)
  }
}
