// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// `travel-companion search`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find what was said in chats, noted and planned.")

  @Argument(help: "Words that all stand in one message, note or itinerary.") var words: [String]
  @Option(help: "How many of them are shown at most.") var limit = 20
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let text = words.joined(separator: " ")
    var matches = try await store.open().conversations.search(text, limit: limit)
    matches += try await store.openChats().search(text, limit: limit - matches.count)
    guard !matches.isEmpty else {
      say("Nothing was found.")
      throw ExitCode.failure
    }
    var shown = ""
    for match in matches {
      if match.conversation.id != shown { ChatLines.show([match.conversation]) }
      shown = match.conversation.id
      say("    \(match.excerpt)")
    }
  }
}
