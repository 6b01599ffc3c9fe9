// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierLocal

/// A model whose tokens are bytes, and which ends as soon as it may.
struct ByteModel: TokenModel {
  let vocabulary = Vocabulary.singleBytes
  let contextSize = 8192
  let chatTemplate = ChatTemplate.chatML

  func encode(_ text: String, parsesSpecialTokens: Bool) -> [Int] { text.utf8.map { Int($0) } }
  func makeContext() -> Context { Context() }

  struct Context: TokenModelContext {
    var tokens: [Int] = []
    mutating func append(_ tokens: [Int]) { self.tokens += tokens }
    mutating func rollback(to count: Int) { tokens.removeSubrange(count...) }
    mutating func nextLogits(into logits: inout [Float]) {
      logits = Array(repeating: 0, count: 257)
      logits[256] = 9
    }
  }
}
