// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer

/// Why a request is not answered, in the form of OpenAI's errors.
struct ServeProblem: Error {
  /// The code of an answer that was given up: the server was stopped, or the client left.
  static let stopped = "stopped"

  var status: Int
  var message: String
  /// Where in the request, as a path (`tools[0].function.parameters`).
  var place: String?
  var code: String?
  /// The method that the route is asked with, where another one was used.
  var allowedMethod: String?

  init(_ status: Int, _ message: String, at place: String? = nil, code: String? = nil) {
    self.status = status
    self.message = message
    self.place = place
    self.code = code
  }

  /// The problem that an error of a model is.
  ///
  /// - Parameter request: What the model was asked; nil where that could not be read.
  init(_ error: any Error, answering request: ServedRequest? = nil) {
    let isChat = request?.route != .responses
    switch error {
    case let problem as ServeProblem: self = problem
    case LanguageModelError.contextSizeExceeded(let payload):
      // A request has the option under the name that its route gives it.
      let message = payload.debugDescription.replacing(
        "'maximumResponseTokens'", with: "the limit of tokens")
      // A value that would fit into the model does not fit into the limit.
      let fits = payload.tokenCount <= payload.contextSize
      let place =
        isChat ? (fits ? "max_tokens" : "messages") : (fits ? "max_output_tokens" : "input")
      self.init(
        400, message, at: place,
        code: fits ? "token_limit_too_small" : "context_length_exceeded")
    case LanguageModelError.unsupportedGenerationGuide(let payload):
      var place = isChat ? "response_format" : "text.format"
      var message = "The schema cannot be honoured: \(payload.debugDescription)"
      // The choice of a tool may have left out others before it.
      if let known = payload.schemaName.flatMap({ request?.toolPlaces[$0] }) {
        place = known
        message = payload.debugDescription
      } else if let guide = request?.guide {
        place = guide.place
        message = "The grammar cannot be honoured: \(payload.debugDescription)"
      } else if request?.schema == nil, request?.tools.isEmpty == false {
        place = "tools"
        message = payload.debugDescription
      }
      self.init(400, message, at: place, code: "unsupported_schema")
    case is CancellationError:
      self.init(503, "The server was stopped before the answer was whole.", code: Self.stopped)
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
