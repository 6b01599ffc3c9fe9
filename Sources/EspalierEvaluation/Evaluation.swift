// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

/// Asks a model each of some cases and counts what is right.
///
/// ```swift
/// let cases = try EvaluationCase.cases(jsonLines: text)
/// let report = try await Evaluation(schema: Booking.generationSchema).report(of: model, on: cases)
/// #expect(report.fieldAccuracy > 0.8)
/// ```
public struct Evaluation: Sendable {
  /// The schema of the values.
  public var schema: GenerationSchema
  /// What the model is told to be and do.
  public var instructions: String?
  /// Whether the model is shown the schema.
  public var includesSchemaInPrompt: Bool
  /// Worked examples that the model is shown before each prompt.
  public var examples: [GenerationExample]
  /// How tokens are drawn.
  public var options: GenerationOptions

  /// Creates an evaluation.
  ///
  /// - Parameters:
  ///   - schema: The schema of the values.
  ///   - instructions: What the model is told to be and do.
  ///   - includesSchemaInPrompt: Whether the model is shown the schema.
  ///   - examples: Worked examples that the model is shown before each prompt.
  ///   - options: How tokens are drawn; greedily where left out, so that a run can be repeated.
  public init(
    schema: GenerationSchema, instructions: String? = nil, includesSchemaInPrompt: Bool = true,
    examples: [GenerationExample] = [],
    options: GenerationOptions = GenerationOptions(sampling: .greedy, maximumResponseTokens: 1024)
  ) {
    self.schema = schema
    self.instructions = instructions
    self.includesSchemaInPrompt = includesSchemaInPrompt
    self.examples = examples
    self.options = options
  }

  /// What a model answered to one case.
  public struct Answer: Sendable {
    /// The value; nil where there is none.
    public var content: GeneratedContent?
    /// Why there is no value.
    public var error: (any Error)?
    /// How long it took.
    public var duration: Duration
    /// How many tokens were written; 0 where nobody says.
    public var tokenCount: Int
    /// How many times the model was asked for a token; nil where nobody says.
    public var modelCalls: Int?

    /// Creates an answer.
    public init(
      content: GeneratedContent?, error: (any Error)? = nil, duration: Duration,
      tokenCount: Int = 0, modelCalls: Int? = nil
    ) {
      self.content = content
      self.error = error
      self.duration = duration
      self.tokenCount = tokenCount
      self.modelCalls = modelCalls
    }
  }

  /// Asks a model all cases, one after the other, each in a session of its own.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - cases: The cases.
  ///   - progress: Told after each case how many are done.
  /// - Throws: `CancellationError`. What a model throws is counted as a failure of its case.
  public func report(
    of model: some LanguageModel, on cases: [EvaluationCase],
    progress: (Int) -> Void = { _ in }
  ) async throws -> EvaluationReport {
    var results: [EvaluationReport.Result] = []
    for (index, item) in cases.enumerated() {
      try Task.checkCancellation()
      results.append(.init(item: item, answer: await answer(of: model, to: item)))
      progress(index + 1)
    }
    return EvaluationReport(schema: schema, results: results)
  }

  private func answer(of model: some LanguageModel, to item: EvaluationCase) async -> Answer {
    let session = LanguageModelSession(model: model, instructions: instructions)
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let response = try await session.respond(
        to: item.prompt, schema: schema, examples: examples,
        includeSchemaInPrompt: includesSchemaInPrompt, options: options)
      return Answer(
        content: response.content, duration: clock.now - start,
        tokenCount: response.usage.output.totalTokenCount,
        modelCalls: try? response.usage.metadata["modelCalls"]?.value(Int.self))
    } catch {
      return Answer(content: nil, error: error, duration: clock.now - start)
    }
  }
}
