// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How sure a model is of one value of its response.
///
/// The probabilities are those of the model among what the schema allows, at temperature 1 and before
/// penalties: what it would write if tokens were drawn as they are. They are the model's own measure,
/// not a number that it makes up in its answer; whether a model is right as often as it is sure has
/// to be measured (`espalier evaluate`).
public struct ValueProbability: Sendable, Equatable {
  /// A case of an enumeration, or one of the two booleans.
  public struct Case: Sendable, Equatable {
    /// The value.
    public var value: GeneratedContent
    /// Its probability, from 0 to 1, summed over all ways to write it.
    public var probability: Double

    /// Creates a case.
    public init(value: GeneratedContent, probability: Double) {
      self.value = value
      self.probability = probability
    }
  }

  /// Where the value is, as a JSON Pointer (RFC 6901): `/days/0/weather`; empty for the whole.
  public var path: String
  /// The value.
  public var value: GeneratedContent
  /// The probability that the model would write this value again, from 0 to 1. For a text this is the
  /// probability of these very tokens, which is small for long texts.
  public var probability: Double
  /// The entropy, in bits, where the model had its first choice in the value: 0 where it was certain.
  public var entropy: Double
  /// The cases of an enumeration or boolean, likeliest first; empty for other values.
  public var cases: [Case]

  /// Creates a measure.
  public init(
    path: String, value: GeneratedContent, probability: Double, entropy: Double,
    cases: [Case] = []
  ) {
    self.path = path
    self.value = value
    self.probability = probability
    self.entropy = entropy
    self.cases = cases
  }
}

extension LanguageModelSession.Response {
  /// How sure the model is of each value of the response, containers left out, in their order.
  ///
  /// Empty where ``GenerationOptions/measuresProbabilities`` is off, and for models that cannot say.
  ///
  /// ```swift
  /// var options = GenerationOptions()
  /// options.measuresProbabilities = true
  /// let response = try await session.respond(to: text, generating: Meal.self, options: options)
  /// for sureness in response.probabilities where sureness.probability < 0.5 {
  ///   print("Please check \(sureness.path): \(sureness.value.jsonString)")
  /// }
  /// ```
  public var probabilities: [ValueProbability] { [ValueProbability](of: transcriptEntries) }
}

extension [ValueProbability] {
  private static var key: String { "espalier.probabilities" }

  /// The measures of the last response of some entries.
  init(of entries: ArraySlice<Transcript.Entry>) {
    self = []
    for case .response(let entry) in entries.reversed() {
      self.init(metadata: entry.metadata)
      return
    }
  }

  /// The measures that a model attached to a response.
  package init(metadata: Transcript.MetadataValues) {
    guard case .array(let elements)? = metadata[Self.key]?.kind else {
      self = []
      return
    }
    self = elements.compactMap { element in
      guard let path = try? element.value(String.self, forProperty: "path"),
        let value = try? element.value(GeneratedContent.self, forProperty: "value"),
        let probability = try? element.value(Double.self, forProperty: "probability"),
        let entropy = try? element.value(Double.self, forProperty: "entropy"),
        let cases = try? element.value([GeneratedContent].self, forProperty: "cases")
      else { return nil }
      return ValueProbability(
        path: path, value: value, probability: probability, entropy: entropy,
        cases: cases.compactMap { content in
          guard let value = try? content.value(GeneratedContent.self, forProperty: "value"),
            let probability = try? content.value(Double.self, forProperty: "probability")
          else { return nil }
          return ValueProbability.Case(value: value, probability: probability)
        })
    }
  }

  /// The measures as a model attaches them to a response.
  package var metadata: [String: any ConvertibleToGeneratedContent] {
    let contents = map { measure in
      GeneratedContent(properties: [
        "path": measure.path, "value": measure.value, "probability": measure.probability,
        "entropy": measure.entropy,
        "cases": measure.cases.map { one in
          GeneratedContent(properties: ["value": one.value, "probability": one.probability])
        },
      ])
    }
    return [Self.key: contents]
  }
}
