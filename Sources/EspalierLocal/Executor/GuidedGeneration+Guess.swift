// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

extension GuidedGeneration {
  /// The greatest number of tokens that are guessed.
  private var guessLimit: Int { 6 }

  /// The tokens that the model is likely to copy from its prompt, as far as the grammar allows them.
  mutating func guess(_ matcher: Matcher) -> [Int] {
    guard let encode, let text else { return [] }
    let vocabulary = vocabularyForMatching
    if lookup == nil {
      lookup = PromptLookup(
        sequence.dropLast(written.count).flatMap { token in
          token >= 0 && token < vocabulary.count && !vocabulary.isSpecial(token)
            ? vocabulary.bytes(of: token) : [UInt8(ascii: "\n")]
        })
    }
    guard let guess = lookup?.guess(after: text.bytes), !guess.isEmpty else { return [] }
    // A character that the guess cuts is left out with what is after it.
    let known = String(decoding: text.bytes + guess, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
    var (end, tokens) = (0, encode(String(known))[...])
    while end < text.bytes.count, let token = tokens.popFirst(), token < vocabulary.count {
      end += vocabulary.bytes(of: token).count
    }
    guard end == text.bytes.count else { return [] }
    var after = matcher
    return Array(
      tokens.prefix(guessLimit).prefix { after.allows($0) && (try? after.accept($0)) != nil })
  }
}
