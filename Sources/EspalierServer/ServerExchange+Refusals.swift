// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

// What is asked anew where a server refuses a request: without the field that it does not know, from
// the start where it cannot go on with an answer, with the next form of the schema.
//
// A refusal is believed once what came in its place was taken. A request that is refused in every
// form was refused for another reason, and the first error says it.

extension ServerExchange {
  /// Asks one server until it takes the request.
  mutating func askUntilTaken(_ address: ServerAddress) async throws {
    let forms = constraints
    var first: ServerError?
    while true {
      do {
        try await askOnce(address)
        return believeRefusals()
      } catch let begun as BegunAnswer {
        believeRefusals()
        throw begun
      } catch {
        refusedForms = error is ServerError ? refusedForms : []
        guard let error = error as? ServerError, await changes(after: error, address) else {
          // Another server may take what this one did not.
          constraints = forms
          refusedForms = []
          throw Self.error(error, after: first)
        }
        if error.kind == .badRequest { first = first ?? error }
      }
    }
  }

  /// The error that says why a request was refused: what came first, where the rest only followed.
  private static func error(_ error: any Error, after first: ServerError?) -> any Error {
    guard let first else { return error }
    switch error {
    case let error as ServerError where error.kind == .badRequest: return first
    case LanguageModelError.unsupportedGenerationGuide(var payload):
      payload.debugDescription += " \(first.problem)"
      return LanguageModelError.unsupportedGenerationGuide(payload)
    default: return error
    }
  }

  /// Changes the request into one that the server may take.
  ///
  /// - Returns: Whether there was something left to change.
  private mutating func changes(after error: ServerError, _ address: ServerAddress) async -> Bool {
    if error.isRedirection { return false }
    if error.kind == .badRequest {
      if let field = error.refusedField, request.extraFields?[field.topLevelName] == nil,
        runtime.leaveOut(field)
      {
        note("The server does not take '\(field.path)': \(error.problem)", address)
        return true
      }
      if !prefix.isEmpty, let lastBreak {
        runtime.noteCannotContinue()
        note("The server does not go on with an answer: \(error.problem)", address)
        await beginAnew(after: lastBreak)
        return true
      }
    }
    // Some servers fail (500) where they cannot read a grammar; others fail for a moment.
    let isRefused = error.kind == .badRequest
    guard isRefused || error.status == 500 || error.status == 501, prefix.isEmpty,
      constraints.count > 1
    else { return false }
    let refused = constraints.removeFirst().form
    if isRefused { refusedForms.append(refused) }
    note("The server refused the \(refused.name) of the schema: \(error.problem)", address)
    return true
  }

  private mutating func believeRefusals() {
    guard let schema, !refusedForms.isEmpty else { return }
    runtime.constraints.drop(refusedForms, of: schema, profile: facts.profile)
    refusedForms = []
  }

  /// Has other requests of the schema begin with a form that is not ignored.
  func demoteIgnoredForms() {
    guard let schema, !ignoredForms.isEmpty else { return }
    runtime.constraints.demote(ignoredForms, of: schema, profile: facts.profile)
  }

  private func note(_ message: String, _ address: ServerAddress) {
    options.telemetry.log?(
      .init(
        message: message, isWarning: true, attributes: ["server.address": .text(address.host)]))
  }
}

extension ServerConstraint.Form {
  fileprivate var name: String {
    switch self {
    case .grammar: "grammar"
    case .schema: "JSON Schema"
    case .instructions: "description"
    }
  }
}
