// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

extension TokenProbability {
  /// As both routes have it: `{"token": …, "logprob": …, "bytes": […], "top_logprobs": […]}`.
  var content: GeneratedContent {
    written.content.adding(["top_logprobs": GeneratedContent.items(rivals.map(\.content))])
  }
}

extension TokenProbability.Candidate {
  fileprivate var content: GeneratedContent {
    .members([
      "token": String(decoding: bytes, as: UTF8.self),
      // JSON has no infinity; this is the number that OpenAI writes for what is very unlikely.
      "logprob": max(logProbability, -9999),
      "bytes": GeneratedContent.items(bytes.map { Int($0).generatedContent }),
    ])
  }
}
