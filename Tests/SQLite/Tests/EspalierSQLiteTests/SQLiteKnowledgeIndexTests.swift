// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import GRDB
import Testing

@testable import EspalierSQLite

/// Documents in a database: what is found, by what, and what is said of other files and models.
@Suite struct SQLiteKnowledgeIndexTests {
  /// Counts the documents that it embeds.
  final class CountingModel: EmbeddingModel {
    let base = CharacterGramEmbeddingModel(dimensions: 64)
    private let counter = Counter()
    var identifier: String { base.identifier }
    var dimensions: Int { base.dimensions }
    var count: Int { get async { await counter.value } }
    func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
      if role == .document { await counter.add(texts.count) }
      return try await base.vectors(for: texts, as: role)
    }
  }

  actor Counter {
    var value = 0
    func add(_ count: Int) { value += count }
  }

  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "knowledge.sqlite"))
  }

  private static let documents = [
    KnowledgeDocument(
      id: "fees", title: "Fees", text: "Cancelling a booking costs ten euros. Children pay half.",
      metadata: ["kind": "rules", "year": "2026"]),
    KnowledgeDocument(
      id: "temple", title: "Kinkaku-ji", text: "The golden pavilion stands by a pond in Kyōto.",
      metadata: ["kind": "sights"]),
    KnowledgeDocument(
      id: "market", title: "Nishiki", text: "A market of food, closed on Wednesdays.",
      metadata: ["kind": "sights", "year": "2026"]),
  ]

  private func index(_ file: URL) async throws -> SQLiteKnowledgeIndex {
    let index = try SQLiteKnowledgeIndex(file: file, model: CharacterGramEmbeddingModel())
    try await index.add(Self.documents)
    return index
  }

  @Test func wordsAndMeaningFindWhatWasAdded() async throws {
    try await withFile { file in
      let index = try await index(file)
      for mode in KnowledgeSearchMode.allCases {
        let found = try await index.search("golden pavilions", limit: 2, where: [:], by: mode)
        #expect(found.first?.document == "temple", "\(mode)")
      }
      let match = try #require(try await index.search("Cancel bookings").first)
      #expect(match.title == "Fees")
      #expect(match.metadata == ["kind": "rules", "year": "2026"])
      #expect(match.text == Self.documents[0].text)
      #expect(match.id == "fees#0")
      // Stems and accents do not count for words; letters in common are near for vectors alone.
      let words = { try await index.search($0, limit: 5, where: [:], by: .words).map(\.document) }
      #expect(try await words("kyoto") == ["temple"])
      #expect(try await words("bookings") == ["fees"])
      #expect(try await words("goldem") == [])
      #expect(
        try await index.search("goldem", limit: 1, where: [:], by: .meaning).first?.document
          == "temple")
    }
  }

  /// Languages without spaces between words, and words with vowel signs.
  private static let scripts = [
    KnowledgeDocument(id: "ja", title: "京都駅", text: "京都駅から金閣寺まではバスで四十分です。拝観は九時から。"),
    KnowledgeDocument(id: "zh", title: "故宫", text: "故宫博物院星期一不开放，门票需要提前预订。"),
    KnowledgeDocument(id: "th", title: "วัดพระแก้ว", text: "วัดพระแก้วเปิดทุกวันตั้งแต่แปดโมงครึ่ง"),
    KnowledgeDocument(id: "hi", title: "पुस्तकालय", text: "किताब वापस करने में देर होने पर शुल्क लगता है।"),
    KnowledgeDocument(id: "ko", title: "경복궁", text: "경복궁은 화요일에 문을 닫습니다."),
  ]

  @Test(
    arguments: [
      ("金閣寺へはどう行きますか", "ja"), ("駅", "ja"), ("寺", "ja"), ("駅GPU", "ja"), ("四十分", "ja"),
      ("門票", ""), ("门票多少钱", "zh"), ("故宫", "zh"), ("院", "zh"), ("พระแก้ว", "th"),
      ("แปดโมง", "th"), ("किताब", "hi"), ("काब", ""), ("कतब", ""), ("화요일에", "ko"), ("宮殿", ""),
    ])
  func languagesWithoutSpacesAreFoundByWords(_ question: String, _ expected: String) async throws {
    try await withFile { file in
      let index = try await index(file)
      try await index.add(Self.scripts)
      let found = try await index.search(question, limit: 5, where: [:], by: .words)
      #expect(found.map(\.document) == (expected.isEmpty ? [] : [expected]))
    }
  }

  /// A file of the version before finds them too, once it was opened for writing.
  @Test func filesOfTheFirstVersionAreReadAnew() async throws {
    try await withFile { file in
      let current = DatabaseFormat.knowledge
      let first = DatabaseFormat(
        applicationID: current.applicationID, migrations: Array(current.migrations.prefix(1)),
        makeError: current.makeError)
      try await first.open(file, isReadOnly: false).write { database in
        try database.execute(
          sql: """
            INSERT INTO document (number, id, title, text) VALUES (1, 'ja', '', '京都駅から');
            INSERT INTO chunk (document, position, title, text, vector)
              VALUES (1, 0, '', '京都駅から', zeroblob(64));
            """)
      }
      let model = CharacterGramEmbeddingModel(dimensions: 64)
      #expect(throws: KnowledgeError.self) {
        try SQLiteKnowledgeIndex(file: file, model: model, isReadOnly: true)
      }
      let index = try SQLiteKnowledgeIndex(file: file, model: model)
      let found = try await index.search("都駅", limit: 5, where: [:], by: .words)
      #expect(found.map(\.document) == ["ja"])
      try await index.remove(["ja"])
      #expect(try await index.search("都駅", limit: 5, where: [:], by: .words).isEmpty)
    }
  }

  @Test(arguments: ["\"", "NEAR(a b)", "text: x", "a AND", "*", "-", "", "'; DROP TABLE chunk; --"])
  func nothingInAQuestionIsAnOperator(question: String) async throws {
    try await withFile { file in
      let index = try await index(file)
      for mode in KnowledgeSearchMode.allCases {
        _ = try await index.search(question + " golden", limit: 3, where: [:], by: mode)
        _ = try await index.search(question, limit: 3, where: [:], by: mode)
      }
      #expect(try await index.search("golden").first?.document == "temple")
    }
  }

  @Test func metadataLimitsASearch() async throws {
    try await withFile { file in
      let index = try await index(file)
      for mode in KnowledgeSearchMode.allCases {
        func ids(_ filter: [String: String]) async throws -> Set<String> {
          Set(
            try await index.search("food golden cancelling", limit: 9, where: filter, by: mode)
              .map(\.document))
        }
        #expect(try await ids(["kind": "sights"]) == ["temple", "market"], "\(mode)")
        #expect(try await ids(["kind": "sights", "year": "2026"]) == ["market"], "\(mode)")
        #expect(try await ids(["kind": "other"]) == [], "\(mode)")
      }
    }
  }

  @Test func documentsAreReplacedAndRemoved() async throws {
    try await withFile { file in
      let index = try await index(file)
      _ = try await index.search("golden")
      var changed = Self.documents[1]
      changed.text = "A zoo with elephants."
      changed.metadata = ["kind": "zoo"]
      try await index.add([changed])
      #expect(try await index.document("temple") == changed)
      for mode in KnowledgeSearchMode.allCases {
        let found = try await index.search("elephants", limit: 5, where: [:], by: mode)
        #expect(found.first?.text == changed.text, "\(mode)")
        #expect(found.count { $0.document == "temple" } == 1, "\(mode)")
      }
      try await index.remove(["temple", "nothing"])
      #expect(try await index.document("temple") == nil)
      for mode in KnowledgeSearchMode.allCases {
        let found = try await index.search("elephants golden", limit: 5, where: [:], by: mode)
        #expect(!found.contains { $0.document == "temple" }, "\(mode)")
      }
      let rows = try await index.pool.read { database in
        try ["document", "chunk", "tag"].map {
          try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)")
        }
      }
      #expect(rows == [2, 2, 4])
    }
  }

  @Test func whatIsTheSameIsNotEmbeddedAgain() async throws {
    try await withFile { file in
      let model = CountingModel()
      let index = try SQLiteKnowledgeIndex(file: file, model: model)
      try await index.add(Self.documents)
      #expect(await model.count == 3)
      var retagged = Self.documents
      retagged[0].metadata = ["kind": "other"]
      try await index.add(retagged)
      #expect(await model.count == 3)
      #expect(try await index.search("fees", limit: 1).first?.metadata == ["kind": "other"])
      retagged[0].title = "Prices"
      try await index.add(retagged)
      #expect(await model.count == 4)
    }
  }

  @Test func changesOfOthersAreFound() async throws {
    try await withFile { file in
      let first = try await index(file)
      let second = try SQLiteKnowledgeIndex(
        file: file, model: CharacterGramEmbeddingModel(), isReadOnly: true)
      func found(_ text: String) async throws -> [String] {
        try await second.search(text, limit: 1, where: [:], by: .meaning).map(\.document)
      }
      #expect(try await found("pavilion") == ["temple"])
      try await first.add([KnowledgeDocument(id: "zoo", text: "Elephants")])
      try await first.remove(["temple"])
      #expect(try await found("elephant") == ["zoo"])
      #expect(try await found("pavilion") != ["temple"])
      let error = await #expect(throws: KnowledgeError.self) { try await second.remove(["zoo"]) }
      #expect(error?.kind == .cannotWrite)
    }
  }

  @Test func longDocumentsAreCut() async throws {
    try await withFile { file in
      let index = try SQLiteKnowledgeIndex(
        file: file, model: CharacterGramEmbeddingModel(),
        chunks: KnowledgeChunks(size: 20, overlap: 5))
      let sentences = (0..<50).map { "Number \($0) is a sentence of its own." }
      try await index.add([KnowledgeDocument(id: "a", text: sentences.joined(separator: " "))])
      let match = try #require(try await index.search("number 37", limit: 1).first)
      #expect(match.text.contains("Number 37 "))
      #expect(match.text.count < 70)
      #expect(match.position > 10)
    }
  }

  @Test func otherModelsAndOtherFilesAreErrors() async throws {
    try await withFile { file in
      _ = try await index(file)
      func kind(_ model: any EmbeddingModel, _ file: URL) -> KnowledgeError.Kind? {
        #expect(throws: KnowledgeError.self) {
          _ = try SQLiteKnowledgeIndex(file: file, model: model)
        }?.kind
      }
      #expect(kind(CharacterGramEmbeddingModel(dimensions: 128), file) == .otherModel)
      let chats = file.deletingLastPathComponent().appending(path: "chats.sqlite")
      _ = try SQLiteConversationStore(file: chats)
      #expect(kind(CharacterGramEmbeddingModel(), chats) == .damaged)
      let error = #expect(throws: ConversationStoreError.self) {
        _ = try SQLiteConversationStore(file: file)
      }
      #expect(error?.kind == .damaged)
    }
  }

  @Test func damagedVectorsAreAnError() async throws {
    try await withFile { file in
      let index = try await index(file)
      try await index.pool.write { try $0.execute(sql: "UPDATE chunk SET vector = x'00'") }
      let error = await #expect(throws: KnowledgeError.self) {
        _ = try await index.search("golden")
      }
      #expect(error?.kind == .damaged)
    }
  }

  /// A model of an app's own, with the vectors that a test says.
  private struct Model: EmbeddingModel {
    var identifier: String { "test" }
    var dimensions: Int { 2 }
    var vector: @Sendable (String, EmbeddingRole) -> [Float]

    func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
      texts.map { vector($0, role) }
    }
  }

  @Test(arguments: [Float.nan, .infinity], [EmbeddingRole.document, .query])
  func vectorsThatAreNotFiniteAreErrors(number: Float, role: EmbeddingRole) async throws {
    try await withFile { file in
      let model = Model { [1, $1 == role ? number : 0] }
      let index = try SQLiteKnowledgeIndex(file: file, model: model)
      let error = await #expect(throws: EmbeddingError.self) {
        try await index.add([KnowledgeDocument(id: "a", text: "A text")])
        _ = try await index.search("A question")
      }
      #expect(error?.kind == .unexpectedVectors)
      #expect(error?.problem == "Expected finite numbers, found \(number).")
    }
  }

  @Test func lengthsOfVectorsDoNotCount() async throws {
    try await withFile { file in
      let model = Model { text, _ in text == "far" ? [10, 10] : [0, 1] }
      let index = try SQLiteKnowledgeIndex(file: file, model: model)
      try await index.add(["far", "near"].map { KnowledgeDocument(id: $0, text: $0) })
      let found = try await index.search("question", limit: 2, where: [:], by: .meaning)
      #expect(found.map(\.document) == ["near", "far"])
    }
  }

  /// What is stored of a document, and the passages that are found of it, say the same.
  @Test func passagesAreThoseOfTheDocument() async throws {
    try await withFile { file in
      let index = try SQLiteKnowledgeIndex(file: file, model: CharacterGramEmbeddingModel())
      func texts() async throws -> [String] {
        try await index.search("walrus penguin", limit: 5, where: [:], by: .words).map(\.text)
      }
      let (walrus, penguin) = (
        KnowledgeDocument(id: "a", text: "walrus"), KnowledgeDocument(id: "a", text: "penguin")
      )
      try await index.add([walrus])
      // The last of several with one identity.
      try await index.add([penguin, walrus])
      #expect(try await index.document("a") == walrus)
      #expect(try await texts() == ["walrus"])
      // Writers at once, one of which holds the passages that are stored for the right ones.
      for _ in 0..<20 {
        try await index.add([walrus])
        async let first: Void = index.add([penguin])
        async let second: Void = index.add([walrus])
        async let third: Void = index.remove(["a"])
        _ = try await (first, second, third)
        let document = try await index.document("a")
        #expect(try await texts() == (document.map { [$0.text] } ?? []))
      }
    }
  }

  @Test func titlesAloneAndZerosAreKept() async throws {
    try await withFile { file in
      let index = try SQLiteKnowledgeIndex(file: file, model: CharacterGramEmbeddingModel())
      try await index.add([
        KnowledgeDocument(id: "title", title: "Zebras", text: ""),
        KnowledgeDocument(id: "zero", text: "before\u{0}after", metadata: ["a\u{0}": "b\u{0}"]),
        KnowledgeDocument(id: "empty", text: ""),
      ])
      for mode in KnowledgeSearchMode.allCases {
        let found = try await index.search("zebras", limit: 1, where: [:], by: mode)
        #expect(found.map(\.document) == ["title"], "\(mode)")
      }
      #expect(try await index.document("zero")?.text == "before\u{FFFD}after")
      let found = try await index.search("after", limit: 1, where: ["a\u{0}": "b\u{0}"], by: .words)
      #expect(found.map(\.document) == ["zero"])
      #expect(try await index.document("empty")?.text == "")
    }
  }

  @Test func ranksArePutTogether() {
    let words = [(number: Int64(3), share: 0.5), (number: 4, share: 1)]
    let fused = SQLiteKnowledgeIndex.fused(words: words, meaning: [1, 2, 3], by: .hybrid)
    #expect(fused.map(\.number) == [3, 1, 2, 4])
    #expect(abs(fused[0].score - (0.5 / 11 + 1.0 / 13)) < 1e-12)
    // The share of the question decides nothing where there are words alone.
    let alone = SQLiteKnowledgeIndex.fused(words: words, meaning: [], by: .words)
    #expect(alone.map(\.number) == [3, 4])
    // Equal ranks: the older passage.
    let equal = SQLiteKnowledgeIndex.fused(
      words: [(number: 9, share: 1), (number: 8, share: 1)], meaning: [8, 9], by: .hybrid)
    #expect(equal.map(\.number) == [8, 9])
  }

  /// Words that most passages have are no reason to find one.
  @Test func frequentWordsAreLeftOut() async throws {
    try await withFile { file in
      let index = try SQLiteKnowledgeIndex(file: file, model: CharacterGramEmbeddingModel())
      try await index.add(
        (0..<40).map { KnowledgeDocument(id: "\($0)", text: "The house number \($0) is red.") })
      let found = try await index.search("the house 17", limit: 50, where: [:], by: .words)
      #expect(found.map(\.document) == ["17"])
      // Where there is nothing else, they are what is asked for.
      #expect(try await index.search("the house", limit: 50, where: [:], by: .words).count == 40)
      try await index.remove((1..<40).map(String.init))
      #expect(try await index.search("house", limit: 50, where: [:], by: .words).count == 1)
    }
  }
}
