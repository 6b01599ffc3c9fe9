// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// One request for a text of a grammar that is no schema.
struct TextGeneration {
  var model: any LanguageModel
  var instructions: String?
  var options: GenerationOptions

  /// Hands the text on as it comes. A server's text that broke its grammar is begun again, on a line of its own.
  ///
  /// - Returns: the text, and what the model says it read and wrote.
  func write(
    for prompt: String, _ write: (String) -> Void
  ) async throws -> (String, LanguageModelSession.Usage) {
    let session = Self.session(model, instructions: instructions)
    var written = ""
    do {
      for try await snapshot in session.streamResponse(to: prompt, options: options) {
        if snapshot.content.addition(to: written) == nil {
          write("\n")
          written = ""
        }
        if let addition = snapshot.content.addition(to: written), !addition.isEmpty {
          write(addition)
          written = snapshot.content
        }
      }
      return (written, session.usage)
    } catch LanguageModelError.unsupportedGenerationGuide(let payload) {
      throw Failure.no.report("the grammar cannot be honoured:\n\(payload.debugDescription)")
    } catch {
      if !written.isEmpty { write("\n") }
      throw Failure.model.report("\(error)")
    }
  }

  private static func session(
    _ model: some LanguageModel, instructions: String?
  ) -> LanguageModelSession {
    LanguageModelSession(model: model, instructions: instructions)
  }
}
