// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// A view model with a task that can be stopped, and every kind of state.
@MainActor
@Observable
final class RecipeViewModel {
  enum Phase {
    case idle
    case loading(SuggestedRecipe.PartiallyGenerated)
    case done(SuggestedRecipe)
    case failed(String)
  }

  private(set) var phase: Phase = .idle
  private(set) var session: LanguageModelSession
  @ObservationIgnored private var task: Task<Void, Never>?
  var isBusy: Bool { session.isResponding }
  var ingredients: [String] = []

  init(model: some LanguageModel = SystemLanguageModel.default, tools: [any Tool] = []) {
    session = LanguageModelSession(model: model, tools: tools) {
      "You are a cook."
      "Use what is in the fridge."
    }
  }

  func onAppear() { session.prewarm() }

  func start(servings: Int, allergies: String?) {
    task?.cancel()
    task = Task { [weak self] in
      await self?.generate(servings: servings, allergies: allergies)
    }
  }

  func stop() { task?.cancel() }

  func generate(servings: Int, allergies: String?) async {
    let prompt = Prompt {
      "A recipe for \(servings)."
      if let allergies {
        "Leave out: \(allergies)"
      } else {
        "There are no allergies."
      }
      for ingredient in ingredients { "- \(ingredient)" }
      if ingredients.isEmpty { "The fridge is empty." }
    }
    do {
      let stream = session.streamResponse(
        to: prompt, generating: SuggestedRecipe.self, includeSchemaInPrompt: false,
        options: GenerationOptions(temperature: 0.7))
      for try await partial in stream {
        phase = .loading(partial.content)
      }
      let response = try await stream.collect()
      phase = .done(response.content)
    } catch let error as LanguageModelSession.GenerationError {
      switch error {
      case .guardrailViolation: phase = .failed("guardrail")
      case .refusal(let refusal, _):
        let explanation = try? await refusal.explanation
        phase = .failed(explanation?.content ?? error.localizedDescription)
      case .decodingFailure(let context): phase = .failed(context.debugDescription)
      default: phase = .failed(error.errorDescription ?? error.localizedDescription)
      }
    } catch let error as LanguageModelSession.ToolCallError {
      phase = .failed("\(error.tool.name): \(error.underlyingError.localizedDescription)")
    } catch {
      if let error = error as? LanguageModelError, case .refusal(let refusal) = error {
        var text = ""
        do {
          for try await part in refusal.explanationStream { text = part.content }
        } catch {}
        phase = .failed(text)
        return
      }
      phase = .failed(error.localizedDescription)
    }
  }
}

@Generable(description: "A recipe that someone may like")
struct SuggestedRecipe: Codable, Hashable, Identifiable, Sendable {
  var id: String { name }
  @Guide(description: "What it is called")
  var name: String
  @Guide(description: "How hard it is", .anyOf(Difficulty.allCases.map(\.rawValue)))
  var difficulty: String
  @Guide(.count(1...12))
  var ingredients: [Ingredient]
  @Guide(.minimumCount(1), .maximumCount(10))
  var steps: [String]
  @Guide(.range(1...5)) var stars: Int?
  var method: Method
  var pairing: SuggestedRecipe.Pairing?

  enum Difficulty: String, CaseIterable { case easy, medium, hard }

  @Generable
  struct Ingredient: Codable, Hashable, Sendable {
    var name: String
    @Guide(.minimum(0)) var amount: Double
    var unit: Unit?
    @Generable enum Unit: String, Codable, CaseIterable, Sendable { case gram, piece, spoon }
  }

  @Generable
  enum Method: Codable, Hashable, Sendable {
    case raw
    case cooked(minutes: Int)
    case baked(degrees: Int, minutes: Int)
  }

  @Generable struct Pairing: Codable, Hashable, Sendable { var drink: String }
}

func describe(_ partial: SuggestedRecipe.PartiallyGenerated) -> String {
  let ingredients = partial.ingredients?.compactMap(\.name).joined(separator: ", ") ?? ""
  let first = partial.ingredients?.first?.amount.map { String($0) } ?? "-"
  let unit = partial.ingredients?.first?.unit?.rawValue ?? ""
  let method =
    switch partial.method {
    case .raw: "raw"
    case .cooked(let minutes): "cooked \(minutes.map(String.init) ?? "?")"
    case .baked(let degrees, let minutes): "baked \(degrees ?? 0) \(minutes ?? 0)"
    case nil: "?"
    }
  return [partial.name ?? "", ingredients, first, unit, method, partial.pairing?.drink ?? ""]
    .joined(separator: " ")
}
