// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// `travel-companion search`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find what was said in chats.")

  @Argument(help: "Words that were all said in one message.") var words: [String]
  @Option(help: "How many messages are shown at most.") var limit = 20
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let matches = try await store.openChats().search(
      words.joined(separator: " "), limit: limit)
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
