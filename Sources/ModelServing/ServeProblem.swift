// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer

/// Why a request is not answered, in the form of OpenAI's errors.
struct ServeProblem: Error {
  var status: Int
  var message: String
  /// Where in the request, as a path (`tools[0].function.parameters`).
  var place: String?
  var code: String?

  init(_ status: Int, _ message: String, at place: String? = nil, code: String? = nil) {
    self.status = status
    self.message = message
    self.place = place
    self.code = code
  }

  /// The problem that an error of a model is.
  init(_ error: any Error) {
    switch error {
    case let problem as ServeProblem: self = problem
    case LanguageModelError.contextSizeExceeded(let payload):
      // A request has the option under the name that its route gives it.
      let message = payload.debugDescription.replacing(
        "'maximumResponseTokens'", with: "the limit of tokens")
      self.init(400, message, at: "messages", code: "context_length_exceeded")
    case LanguageModelError.unsupportedGenerationGuide(let payload):
      self.init(
        400, "The schema cannot be honoured: \(payload.debugDescription)", at: "response_format",
        code: "unsupported_schema")
    default: self.init(500, "\(error)", code: "model_failed")
    }
  }

  /// The body of the answer.
  var content: GeneratedContent {
    .members([
      "error": GeneratedContent.members([
        "message": message,
        "type": status < 500 ? "invalid_request_error" : "server_error",
        "param": place?.generatedContent ?? GeneratedContent.jsonNull,
        "code": code?.generatedContent ?? GeneratedContent.jsonNull,
      ])
    ])
  }
}

extension GeneratedContent {
  static var jsonNull: GeneratedContent { GeneratedContent(kind: .null) }
}
