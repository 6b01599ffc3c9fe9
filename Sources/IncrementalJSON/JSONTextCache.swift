// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Long strings of a parse, each made once.
//
// A consumer of a stream looks at all that has come after each token. Were every string made anew,
// the hundredth token of a text would cost ten times what the tenth did. A string is kept by where
// its text starts, with how far it has been read, and only the rest is read:
//
//     snapshot 1   {"a":"once upon           from 6 to 15      "once upon"
//     snapshot 2   {"a":"once upon a ti      adds " a ti"
//     snapshot 3   {"a":"once upon a time",  adds "me", for there is the quotation mark
//
// Adding is done in place where no one holds the string of the snapshot before; else it is copied.

import Synchronization

/// The long strings that were read from one parse.
final class JSONTextCache: Sendable {
  /// How many bytes a text has from which on it is kept here. Shorter ones are made anew each time,
  /// which costs the same however long the response is.
  static let minimumCount = 256

  private struct Entry {
    /// Up to where the text is in `string`: never in a character or in an escape.
    var end: Int
    var string = ""

    mutating func extend(with rest: JSONTapeText) {
      guard !rest.bytes.isEmpty else { return }
      if string.isEmpty { string = rest.string } else { string += rest.string }
      end += rest.bytes.count
    }
  }

  private let entries = Mutex<[Int: Entry]>([:])

  /// The string whose text starts at `start` and ends with its quotation mark, or at `end`.
  ///
  /// - Complexity: Linear in what was added to the text since it was last asked for; in all of it
  ///   where the string of then is still held, or an end before that one is asked for.
  func string(from start: Int, before end: Int, in tape: JSONTape) -> String {
    entries.withLock { entries -> String? in
      Self.extend(&entries[start, default: Entry(end: start)], to: end, in: tape)
    } ?? tape.insideOfString(from: start, before: end).string
  }

  /// The string once it goes to `end`, nil where it is longer already.
  private static func extend(_ entry: inout Entry, to end: Int, in tape: JSONTape) -> String? {
    guard entry.end <= end else { return nil }
    entry.extend(with: tape.insideOfString(from: entry.end, before: end))
    return entry.string
  }
}
