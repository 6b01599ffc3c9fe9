// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Synchronization
import TestSupport
import Testing

/// Any JSON, as lists and dictionaries of itself.
private indirect enum Tree: Generable, Equatable {
  case leaf(String)
  case list([Tree])
  case members([String: Tree])

  static var generationSchema: GenerationSchema { GeneratedContent.generationSchema }

  init(_ content: GeneratedContent) throws {
    self =
      switch content.kind {
      case .array: .list(try [Tree](content))
      case .structure: .members(try [String: Tree](content))
      default: .leaf(content.jsonString)
      }
  }

  var generatedContent: GeneratedContent {
    switch self {
    case .leaf(let json): GeneratedContent(json)
    case .list(let elements): elements.generatedContent
    case .members(let members): members.generatedContent
    }
  }
}

/// A text whose values on their way say how many were made, within a test that has set the counter.
private struct Counted: Generable {
  @TaskLocal static var counter: Counter?
  final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  let text: String

  static var generationSchema: GenerationSchema { String.generationSchema }
  var generatedContent: GeneratedContent { text.generatedContent }

  init(_ content: GeneratedContent) throws { text = try String(content) }

  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    let text: String

    init(_ content: GeneratedContent) throws {
      counter?.add()
      text = try String(content)
    }
  }
}

/// An element that hands its content to another task, which has the task-local values too.
private struct Handing: Generable {
  final class Values: Sendable {
    private let tasks = Mutex<[Task<Int?, Never>]>([])
    func add(_ task: Task<Int?, Never>) { tasks.withLock { $0.append(task) } }
    var all: [Task<Int?, Never>] { tasks.withLock { $0 } }
  }
  @TaskLocal static var values: Values?

  let elements: [Int]

  static var generationSchema: GenerationSchema { [Int].generationSchema }
  var generatedContent: GeneratedContent { elements.generatedContent }

  init(_ content: GeneratedContent) throws {
    elements = try [Int](content)
    Self.values?.add(Task { (try? [Int](content))?.count })
  }
}

@Suite struct SnapshotCacheTests {
  private func session(streaming pieces: [String]) -> LanguageModelSession {
    var model = ClosureModel { _, channel in
      for piece in pieces {
        await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
      }
    }
    model.capabilities = .init([.guidedGeneration])
    return LanguageModelSession(model: model)
  }

  private func pieces(of text: String, _ random: inout SeededGenerator) -> [String] {
    var pieces: [String] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...12, using: &random)
      pieces.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  /// Each snapshot against its own content, which nothing is kept of outside of the stream; some are
  /// held, which must not change when those after them are made.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func snapshotsAreWhatTheirContentSays(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var json = RandomJSON(seed: seed)
    let elements = (0..<Int.random(in: 0...12, using: &random)).map { _ in json.text() }
    let text = "{\"list\":[\(elements.joined(separator: ","))],\"end\":{\"k\":[1,[2,3],\"x\"]}}"
    let session = session(streaming: pieces(of: text, &random))
    var held: [LanguageModelSession.ResponseStream<Tree>.Snapshot] = []
    for try await snapshot in session.streamResponse(to: "Go", generating: Tree.self) {
      #expect(try snapshot.content == Tree(snapshot.rawContent), "seed \(seed)")
      if Int.random(in: 0..<4, using: &random) == 0 { held.append(snapshot) }
    }
    for snapshot in held {
      #expect(try snapshot.content == Tree(snapshot.rawContent), "seed \(seed)")
    }
  }

  /// Swift holds two spellings of a character for one key, JSON does not.
  @Test func equalNamesAreReadAsEver() async throws {
    let text = "{\"\u{E9}\":[1],\"b\":{\"c\":2},\"e\u{301}\":[3,{\"d\":4}],\"d\":\"six\"}"
    let session = session(streaming: text.map { String($0) })
    var last: Tree?
    for try await snapshot in session.streamResponse(to: "Go", generating: Tree.self) {
      #expect(try snapshot.content == Tree(snapshot.rawContent))
      last = snapshot.content
    }
    #expect(try last == Tree(GeneratedContent(json: text)))
  }

  @Test func elementsAreMadeOnceWhenTheyAreComplete() async throws {
    var pieces = ["["]
    for list in 0..<40 {
      pieces.append(list == 0 ? "[" : ",[")
      for element in 0..<25 { pieces.append((element == 0 ? "" : ",") + "\"e\(element)\"") }
      pieces.append("]")
    }
    pieces.append("]")
    let counter = Counted.Counter()
    try await Counted.$counter.withValue(counter) {
      var last: [[Counted.PartiallyGenerated]] = []
      let session = session(streaming: pieces)
      for try await snapshot in session.streamResponse(to: "Go", generating: [[Counted]].self) {
        last = snapshot.content
      }
      #expect(last.count == 40)
      #expect(last.allSatisfy { $0.map(\.text) == (0..<25).map { "e\($0)" } })
    }
    #expect(counter.value == 40 * 25)
  }

  @Test func severalListsOfOneValueAreToldApart() async throws {
    struct Pair: Generable, Equatable {
      var first: [Int]?
      var second: [[String]]?
      var sameAsFirst: [Double]?
      static var generationSchema: GenerationSchema { GeneratedContent.generationSchema }
      var generatedContent: GeneratedContent { GeneratedContent(properties: [:]) }
      init(_ content: GeneratedContent) throws {
        second = try content.value(forProperty: "second")
        first = try content.value(forProperty: "first")
        sameAsFirst = try content.value(forProperty: "first")
      }
    }
    var random = SeededGenerator(seed: 1)
    let text = #"{"first":[1,2,3,40,5],"second":[["a","b"],[],["c","d","e"]]}"#
    for _ in 0..<20 {
      let session = session(streaming: pieces(of: text, &random))
      for try await snapshot in session.streamResponse(to: "Go", generating: Pair.self) {
        #expect(try snapshot.content == Pair(snapshot.rawContent))
      }
    }
  }

  @Test func anElementThatDoesNotFitIsNoSnapshot() async throws {
    var model = ClosureModel { _, channel in
      for piece in ["[1,", "2,\"x\"", ",3", "]"] {
        await channel.send(.response(action: .appendText(piece, tokenCount: 1)))
      }
    }
    model.capabilities = .init([.guidedGeneration])
    var snapshots: [[Int]] = []
    await #expect(throws: (any Error).self) {
      let session = LanguageModelSession(model: model)
      for try await snapshot in session.streamResponse(to: "Go", generating: [Int].self) {
        snapshots.append(snapshot.content)
      }
    }
    #expect(snapshots == [[1]])
  }

  @Test func otherTasksDoNotShareLists() async throws {
    let values = Handing.Values()
    try await Handing.$values.withValue(values) {
      let session = session(streaming: "[[1,2],[3,4,5],[6,7]]".map { String($0) })
      for try await snapshot in session.streamResponse(to: "Go", generating: [Handing].self) {
        #expect(try snapshot.content.map(\.elements) == [[Int]](snapshot.rawContent))
      }
    }
    for task in values.all { #expect(await task.value != nil) }
  }
}
