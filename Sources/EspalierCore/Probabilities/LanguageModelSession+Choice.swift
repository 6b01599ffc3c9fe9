// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One of several texts, and how sure the model is of each.
public struct Choice: Sendable, Equatable {
  /// The text that the model likes best.
  public var value: String
  /// The probability of each text, likeliest first, summed to 1; empty where the model cannot say.
  public var probabilities: [(value: String, probability: Double)] {
    zip(values, weights).map { ($0, $1) }
  }
  /// The probability of ``value``; nil where the model cannot say.
  public var probability: Double? { weights.first }

  private let values: [String]
  private let weights: [Double]

  init(value: String, probabilities: [ValueProbability.Case]) {
    let known = probabilities.compactMap { one -> (String, Double)? in
      if case .string(let text) = one.value.kind { (text, one.probability) } else { nil }
    }
    self.value = known.first?.0 ?? value
    values = known.map(\.0)
    weights = known.map(\.1)
  }
}

/// A case of an enumeration, and how sure the model is of each.
public struct Classification<Case: Sendable>: Sendable {
  /// The case that the model likes best.
  public var value: Case
  /// The probability of each case, likeliest first; empty where the model cannot say.
  public var probabilities: [(value: Case, probability: Double)]
  /// The probability of ``value``; nil where the model cannot say.
  public var probability: Double? { probabilities.first?.probability }
}

extension LanguageModelSession {
  /// Chooses one of some texts.
  ///
  /// ```swift
  /// let choice = try await session.choose("The parcel never came.", from: ["praise", "complaint"])
  /// if choice.probability ?? 1 < 0.7 { askAPerson() }
  /// ```
  ///
  /// - Parameters:
  ///   - prompt: What the choice is about.
  ///   - texts: The texts, each once. In the words of the prompt they are chosen better than as codes.
  /// - Returns: The likeliest text, whatever the seed is.
  /// - Throws: As `respond` does; ``GenerationSchema/SchemaError`` where there are no texts.
  public func choose(_ prompt: String, from texts: [String]) async throws -> Choice {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(name: "Choice", anyOf: texts), dependencies: [])
    let response = try await respond(to: prompt, schema: schema, options: .measured)
    return Choice(
      value: try response.content.value(String.self),
      probabilities: response.probabilities.first { $0.path.isEmpty }?.cases ?? [])
  }

  /// Chooses a case of an enumeration.
  ///
  /// ```swift
  /// @Generable enum Tone: String, CaseIterable { case glad, neutral, angry }
  ///
  /// let tone = try await session.classify("The parcel never came.", as: Tone.self)
  /// ```
  ///
  /// - Parameters:
  ///   - prompt: What the choice is about.
  ///   - type: The enumeration.
  /// - Returns: The likeliest case, whatever the seed is.
  /// - Throws: As `respond` does.
  public func classify<Case: Generable & CaseIterable & Sendable>(
    _ prompt: String, as type: Case.Type
  ) async throws -> Classification<Case> {
    let response = try await respond(to: prompt, generating: type, options: .measured)
    let cases = response.probabilities.first { $0.path.isEmpty }?.cases ?? []
    let known = cases.compactMap { one in
      (try? Case(one.value)).map { (value: $0, probability: one.probability) }
    }
    return Classification(
      value: known.first?.value ?? response.content, probabilities: known)
  }
}

extension GenerationOptions {
  fileprivate static var measured: GenerationOptions {
    var options = GenerationOptions(samplingMode: .greedy)
    options.measuresProbabilities = true
    return options
  }
}
