// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierCore
import Foundation

#if SQLite
  import EspalierSQLite
#endif

/// Times a store of conversations, and writes to one until it is killed.
@main
struct Conversations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conversations", subcommands: [Measure.self, Write.self, Check.self])
}

/// Which store: plain files in a folder, or a database in it.
struct StoreOptions: ParsableArguments {
  @Argument(help: "The folder of the store; it is filled where it is empty.") var folder: String
  @Flag(help: "Keep them in SQLite; needs a build with --traits SQLite.") var sqlite = false

  func open(isReadOnly: Bool = false) throws -> any ConversationStore {
    let url = URL(filePath: folder)
    guard sqlite else { return try FileConversationStore(folder: url, isReadOnly: isReadOnly) }
    #if SQLite
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      return try SQLiteConversationStore(
        file: url.appending(path: "conversations.sqlite"), isReadOnly: isReadOnly)
    #else
      throw ValidationError("Build with --traits SQLite.")
    #endif
  }
}

/// `conversations measure`: how long each operation takes.
struct Measure: AsyncParsableCommand {
  @OptionGroup var options: StoreOptions
  @Option(help: "How many conversations there are.") var conversations = 10_000
  @Option(help: "How many entries each has.") var entries = 100
  @Option(help: "How often each operation is timed.") var rounds = 200

  func run() async throws {
    let clock = ContinuousClock()
    var store = try options.open()
    if try await store.conversations(limit: 1).isEmpty {
      let start = clock.now
      try await fill(store)
      print("filled in \(clock.now - start)")
    }
    let opened = try clock.measure { store = try options.open() }
    print("open: \(milliseconds(opened))")
    var generator = SystemRandomNumberGenerator()
    let list = try await times("list of 20") { _ = try await store.conversations(limit: 20) }
    let known = try await store.conversations()
    func random() -> String {
      known.isEmpty ? "" : known[Int.random(in: 0..<known.count, using: &generator)].id
    }
    let append = try await times("append of a turn") {
      try await store.append(Turn.entries(1, word: "later"), to: random())
    }
    let latest = try await times("latest 20 entries") {
      _ = try await store.entries(of: random(), latest: 20)
    }
    let all = try await times("all entries") { _ = try await store.entries(of: random()) }
    _ = (list, append, latest, all)
    let frequent = try await clock.measure { _ = try await store.search("Kyoto", limit: 20) }
    print("search, 20 matches of a frequent word: \(milliseconds(frequent))")
    let rare = try await clock.measure { _ = try await store.search("zanzibar", limit: 20) }
    print("search for a word that is nowhere: \(milliseconds(rare))")
  }

  private func fill(_ store: any ConversationStore) async throws {
    for number in 0..<conversations {
      let conversation = try await store.create(title: "Trip \(number)")
      // In records of ten entries, as turns with calls of tools are.
      for _ in 0..<entries / 10 {
        try await store.append(Turn.entries(10, word: "Kyoto"), to: conversation.id)
      }
    }
  }

  private func times(_ name: String, _ body: () async throws -> Void) async throws -> Duration {
    let clock = ContinuousClock()
    var found: [Duration] = []
    for _ in 0..<rounds { found.append(try await clock.measure { try await body() }) }
    found.sort()
    let median = found[found.count / 2]
    print(
      "\(name): median \(milliseconds(median)), 99 % \(milliseconds(found[found.count * 99 / 100]))"
    )
    return median
  }

  private func milliseconds(_ duration: Duration) -> String {
    let seconds =
      Double(duration.components.seconds)
      + Double(duration.components.attoseconds) / 1e18
    return String(format: "%.3f ms", seconds * 1000)
  }
}

/// Entries of a few hundred bytes.
enum Turn {
  static func entries(_ count: Int, word: String, tag: String = "") -> [Transcript.Entry] {
    (0..<count).map { index in
      let text = Transcript.Segment.text(
        .init(
          content: "\(tag) Three days in \(word): a temple in the morning, the market at noon, "
            + "and a walk along the river in the evening, if the weather holds. Number \(index)."))
      return index % 2 == 0
        ? .prompt(.init(segments: [text])) : .response(.init(segments: [text]))
    }
  }
}

/// `conversations write`: adds entries until it is killed, and says of each what was acknowledged.
struct Write: AsyncParsableCommand {
  @OptionGroup var options: StoreOptions
  @Option(help: "What the entries of this process are told apart by.") var name: String
  @Option(help: "How many conversations are written to.") var conversations = 4

  func run() async throws {
    let store = try options.open()
    var known = try await store.conversations()
    while known.count < conversations {
      known.append(try await store.create(title: "By \(name)"))
      say("created \(known[known.count - 1].id)")
    }
    var number = 0
    while true {
      let id = known[number % known.count].id
      let tag = "\(name)-\(number)"
      try await store.append(Turn.entries(2 + number % 7, word: "Kyoto", tag: tag), to: id)
      say("appended \(id) \(tag)")
      if number % 10 == 9 {
        try await store.rename(id, to: tag)
        say("renamed \(id) \(tag)")
      }
      number += 1
    }
  }

  /// Says something at once: what is kept back would be lost with the process.
  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// `conversations check`: prints what a store holds, and fails where it is damaged.
struct Check: AsyncParsableCommand {
  @OptionGroup var options: StoreOptions

  func run() async throws {
    let store = try options.open(isReadOnly: true)
    for conversation in try await store.conversations() {
      print("conversation \(conversation.id) \(conversation.title)")
      var counts: [String: Int] = [:]
      for entry in try await store.entries(of: conversation.id) {
        // Behind the word that says who speaks.
        let tag = entry.description.split(separator: " ").dropFirst().first.map(String.init)
        counts[tag ?? "", default: 0] += 1
      }
      for (tag, count) in counts { print("entries \(conversation.id) \(tag) \(count)") }
    }
  }
}
