// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

/// Chats and what was said in them, as lines of the terminal.
enum ChatLines {
  static func show(_ chats: [Conversation]) {
    if chats.isEmpty { say("There is no chat yet.") }
    for chat in chats {
      let day = chat.changed.formatted(.iso8601.year().month().day())
      say("\(chat.id.prefix(8))  \(day)  \(chat.title)")
    }
  }

  static func show(_ entry: Transcript.Entry) {
    switch entry {
    case .prompt(let prompt): say("> \(prompt)")
    case .response(let response): say(response.description)
    default: break
    }
  }
}
