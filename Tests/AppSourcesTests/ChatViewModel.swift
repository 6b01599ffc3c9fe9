// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

@Observable
@MainActor
final class ChatViewModel {
  private(set) var session: LanguageModelSession
  private(set) var streamedText = ""
  private(set) var errorMessage: String?
  private(set) var task: Task<Void, Never>?
  let instructions = "You are a friendly guide."

  init(model: some LanguageModel) {
    session = LanguageModelSession(model: model, instructions: instructions)
  }

  var messages: [String] {
    session.transcript.compactMap { entry in
      switch entry {
      case .prompt(let prompt): "me: \(prompt)"
      case .response(let response): "guide: \(response)"
      default: nil
      }
    }
  }

  var canSend: Bool { !session.isResponding }

  func send(_ text: String) {
    task = Task { await answer(text) }
  }

  func stop() { task?.cancel() }

  private func answer(_ text: String) async {
    streamedText = ""
    errorMessage = nil
    do {
      for try await snapshot in session.streamResponse(to: text) {
        streamedText = snapshot.content
      }
    } catch LanguageModelError.contextSizeExceeded(let exceeded) {
      errorMessage = "Too long: \(exceeded.contextSize)"
    } catch let error as LanguageModelError {
      errorMessage = error.localizedDescription
    } catch let error as LanguageModelSession.ToolCallError {
      errorMessage = "\(error.tool.name) failed."
    } catch is CancellationError {
      errorMessage = "Stopped."
    } catch {
      errorMessage = "\(error)"
    }
  }

  /// As code of the first generation of the interface handles errors.
  func answerAsIn2026(_ text: String) async -> String {
    do {
      return try await session.respond(to: text).content
    } catch let error as LanguageModelSession.GenerationError {
      switch error {
      case .exceededContextWindowSize(let context): return "context \(context.debugDescription)"
      case .guardrailViolation: return "guardrail"
      case .refusal(let refusal, _):
        return (try? await refusal.explanation.content) ?? "refusal"
      default: return error.localizedDescription
      }
    } catch {
      return "\(error)"
    }
  }

  func save() throws -> Data { try JSONEncoder().encode(session.transcript) }

  func restore(_ data: Data, model: some LanguageModel) throws {
    let transcript = try JSONDecoder().decode(Transcript.self, from: data)
    session = LanguageModelSession(model: model, transcript: transcript)
  }
}
