// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

struct MaskSnippets {
  func spaced() -> CompilationOptions {
    var options = CompilationOptions.generation
    options.whitespace = .spaced
    return options
  }

  func vocabulary(_ file: [UInt8]) throws -> Vocabulary {
    let vocabulary = try Vocabulary(
      tokenizerJSON: file, endOfSequence: "<|eot_id|>",
      otherEnds: ["<|end_of_text|>", "<|eom_id|>"], count: 128_256)
    return vocabulary
  }

  func apply(_ matcher: inout Matcher, _ bitmask: inout TokenBitmask, to logits: inout [Float]) {
    matcher.fill(&bitmask)
    bitmask.apply(to: &logits)
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UInt32>, for batch: inout [Matcher]) throws {
    let width = rows.count / batch.count
    for place in batch.indices {
      var row = UnsafeMutableBufferPointer(rebasing: rows[place * width..<(place + 1) * width])
        .mutableSpan
      batch[place].allowedTokens().copy(to: &row)
      try batch[place].checkLimit()
    }
  }

  func goOver(_ draft: [Int], confirmed: Int, _ matcher: inout Matcher) {
    let held = matcher.acceptPrefix(of: draft)
    matcher.rollback(held - confirmed)
  }
}
