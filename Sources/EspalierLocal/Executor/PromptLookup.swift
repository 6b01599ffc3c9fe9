// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Guesses what a model writes next from what it has read: names, numbers and quotations are most
/// often copied from the prompt.
///
/// The last words written are looked for in the prompt, from the beginning of a word on; what stands
/// behind them there is the guess, up to the end of the clause.
///
/// Example: the prompt is `Send 11 mirrors to Raj Petrov, 64 Mill Road.` and the model has written
/// `{"name":"R`. `R` begins two words; the later one gives the guess `oad`. After `{"name":"Ra` the
/// guess is `j Petrov`.
struct PromptLookup: Sendable {
  private let source: [UInt8]
  /// Where words begin, by their first byte.
  private var wordStarts: [UInt8: [Int]] = [:]

  /// The greatest number of bytes of a guess.
  private static var guessLimit: Int { 32 }
  /// How many of the last words are looked for together.
  private static var wordLimit: Int { 3 }

  init(_ source: [UInt8]) {
    self.source = source
    for index in source.indices where Self.beginsWord(source, at: index) {
      wordStarts[source[index], default: []].append(index)
    }
  }

  /// What is likely to follow a text; empty where its end is not in the prompt.
  func guess(after text: some RandomAccessCollection<UInt8>) -> ArraySlice<UInt8> {
    let end = Array(text.suffix(2 * Self.guessLimit))
    let starts = end.indices.filter { Self.beginsWord(end, at: $0) }.suffix(Self.wordLimit)
    for start in starts {
      let words = end[start...]
      let places = wordStarts[end[start]] ?? []
      guard let place = places.last(where: { source[$0...].starts(with: words) }) else { continue }
      return clause(from: place + words.count)
    }
    return []
  }

  /// The text from a place to the end of its clause: a mark that a space follows.
  private func clause(from start: Int) -> ArraySlice<UInt8> {
    var end = start
    while end < source.count, end - start < Self.guessLimit, source[end] != UInt8(ascii: "\n") {
      let isMark = source[end] < 0x40 && !Self.isOfWord(source[end]) && source[end] != 0x20
      if isMark, end + 1 == source.count || source[end + 1] <= 0x20 { break }
      end += 1
    }
    return source[start..<end]
  }

  private static func beginsWord(_ bytes: [UInt8], at index: Int) -> Bool {
    isOfWord(bytes[index]) && (index == 0 || !isOfWord(bytes[index - 1]))
  }

  /// Whether a byte is of a letter or a digit.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
