// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Several models behind one: each request goes to the first that will do, and to the next where
/// that fails. A part of an answer that was streamed to the app cannot be taken back, so its error
/// reaches the app. Where the app does not stream, the next model is asked.
///
/// ```swift
/// let model = RoutedLanguageModel(
///   [
///     .init(local, name: "local"),
///     .init(server, name: "server", cost: 3),
///   ], order: .byCost)
/// ```
public struct RoutedLanguageModel: LanguageModel {
  /// A model to choose from.
  public struct Route: Sendable {
    /// The model.
    public var model: any LanguageModel
    /// The name of the route, for logs.
    public var name: String
    /// What a request costs, in any unit that is the same for all routes.
    public var cost: Double
    /// Whether the model can be asked now.
    public var isAvailable: @Sendable () -> Bool
    /// How good the model is for a request, from 0 to 1.
    public var confidence: @Sendable (LanguageModelExecutorGenerationRequest) -> Double

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - name: The name of the route, for logs.
    ///   - cost: What a request costs, in any unit that is the same for all routes.
    ///   - isAvailable: Whether the model can be asked now; as it says itself where nil.
    ///   - confidence: How good the model is for a request, from 0 to 1.
    public init(
      _ model: any LanguageModel, name: String = "", cost: Double = 0,
      isAvailable: (@Sendable () -> Bool)? = nil,
      confidence: @escaping @Sendable (LanguageModelExecutorGenerationRequest) -> Double = { _ in
        1
      }
    ) {
      self.model = model
      self.name = name
      self.cost = cost
      self.isAvailable = isAvailable ?? { model.reportedAvailability == .available }
      self.confidence = confidence
    }
  }

  /// Which route is tried first.
  public enum Order: Sendable, Hashable {
    /// As they are given.
    case given
    /// The cheapest.
    case byCost
    /// The cheapest among those with at least this confidence; the others by confidence.
    case byConfidence(minimum: Double)
    /// The cheapest; where it is less sure of a value of its answer than this, the next.
    ///
    /// How sure a model is follows from the probabilities of enumerations and booleans in its
    /// answer (``ValueProbability``). Answers without such values, and of models that cannot say,
    /// are taken. An answer is held back until it is complete, but for that of the last route.
    case bySureness(minimum: Double)
  }

  /// The models to choose from.
  public var routes: [Route]
  /// Which is tried first.
  public var order: Order
  /// Whether the next model is tried after an error; not after a refusal or a guardrail, unless
  /// the app says so.
  public var fallsBack: @Sendable (any Error) -> Bool

  /// Creates a model.
  public init(
    _ routes: [Route], order: Order = .given,
    fallsBack: @escaping @Sendable (any Error) -> Bool = RoutedLanguageModel.isNoVerdict
  ) {
    self.routes = routes
    self.order = order
    self.fallsBack = fallsBack
  }

  /// Whether an error is of the model rather than a verdict on what was asked.
  @Sendable public static func isNoVerdict(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError, LanguageModelError.refusal, LanguageModelError.guardrailViolation:
      false
    default: true
    }
  }

  /// What at least one of the models can do.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.vision, .guidedGeneration, .reasoning, .toolCalling].filter { capability in
        routes.contains { $0.model.capabilities.contains(capability) }
      })
  }

  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// The routes that may be taken for a request, the best first. Where the request needs what a
  /// model cannot do, it is no route.
  func candidates(for request: LanguageModelExecutorGenerationRequest) -> [Route] {
    let available = routes.filter { route in
      route.isAvailable()
        && (request.schema == nil || route.model.capabilities.contains(.guidedGeneration))
        && (request.enabledToolDefinitions.isEmpty
          || route.model.capabilities.contains(.toolCalling))
    }
    switch order {
    case .given: return available
    case .byCost, .bySureness: return available.stablySorted { $0.cost < $1.cost }
    case .byConfidence(let minimum):
      let rated = available.map { (route: $0, confidence: $0.confidence(request)) }
      let sure = rated.filter { $0.confidence >= minimum }.map(\.route)
      let others = rated.filter { $0.confidence < minimum }
        .stablySorted { $0.confidence > $1.confidence }
      return sure.stablySorted { $0.cost < $1.cost } + others.map(\.route)
    }
  }

  /// What is thrown when no route has answered: the error itself where there is one only, and where
  /// the transcript was too long for all, the error that a session's context policy knows.
  func error(after failures: [(name: String, error: any Error)]) -> any Error {
    if failures.count == 1 { return failures[0].error }
    let overflows = failures.compactMap { failure in
      if case LanguageModelError.contextSizeExceeded(let payload) = failure.error {
        payload
      } else {
        nil
      }
    }
    guard let largest = overflows.max(by: { $0.contextSize < $1.contextSize }),
      overflows.count == failures.count
    else { return NoRoute(failures: failures) }
    return LanguageModelError.contextSizeExceeded(largest)
  }

  /// Sends requests on their way.
  public struct Executor: LanguageModelExecutor {
    /// There is nothing to configure.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorStore()

    public init(configuration: Configuration) {}

    public func prewarm(model: RoutedLanguageModel, transcript: Transcript) {
      if let first = model.routes.first(where: { $0.isAvailable() }) {
        executors.prewarm(first.model, transcript: transcript)
      }
    }

    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: RoutedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let candidates = model.candidates(for: request)
      var failures: [(name: String, error: any Error)] = []
      var unsure: HeldAnswer?
      for (index, route) in candidates.enumerated() {
        // What is not streamed is held back, so that another model can still answer in its place.
        let gate = SendingGate(
          channel: channel, holdsBack: !request.isStreamed && index + 1 < candidates.count)
        do {
          if case .bySureness(let minimum) = model.order, request.schema != nil,
            index + 1 < candidates.count
          {
            let answer = HeldAnswer()
            var measured = request
            measured.generationOptions.measuresProbabilities = true
            try await executors.respond(
              to: measured, model: route.model, streamingInto: answer.channel)
            if answer.sureness >= minimum { return await answer.send(to: channel) }
            unsure = unsure ?? answer
            continue
          }
          try await executors.respond(
            to: request, model: route.model, streamingInto: gate.channel)
          return await gate.release()
        } catch {
          guard model.fallsBack(error), gate.closeIfUnused() else {
            await gate.release()
            throw error
          }
          failures.append((route.name, error))
        }
      }
      // An answer of which its model is not sure is better than none.
      if let unsure { return await unsure.send(to: channel) }
      throw model.error(after: failures)
    }
  }

  /// Several models were asked and none answered, or there was none to ask.
  public struct NoRoute: ExplainedError {
    /// What the models threw, in the order in which they were asked.
    public var failures: [(name: String, error: any Error)]

    /// Creates an error.
    public init(failures: [(name: String, error: any Error)]) { self.failures = failures }

    public var userMessage: ErrorMessage {
      ErrorMessage(failures.isEmpty ? .noModelAvailable : .noModelAnswered)
    }

    public var problemDescription: String {
      guard !failures.isEmpty else { return "No model is available for the request." }
      let list = failures.map {
        "\($0.name): \(ErrorWords.problem(of: $0.error))"
      }
      return "No model answered. " + list.joined(separator: " ")
    }
  }
}

extension RoutedLanguageModel: AvailabilityReporting, TokenCountingModel {
  /// Whether there is a model to ask; if not, why the last of them cannot be asked.
  public var availability: SystemLanguageModel.Availability {
    if routes.contains(where: { $0.isAvailable() }) { return .available }
    let reasons = routes.map(\.model.reportedAvailability).filter { $0 != .available }
    return reasons.last ?? .unavailable(.modelNotReady)
  }

  private var counters: [any TokenCountingModel] {
    routes.filter { $0.isAvailable() }.compactMap { $0.model as? any TokenCountingModel }
  }

  /// That of the model that reads least: a request may go to any of them.
  public var contextSize: Int { counters.map(\.contextSize).min() ?? .max }

  /// The greatest count of any of the models; none where they do not count.
  public func tokenCount(for entries: [Transcript.Entry]) async throws -> Int {
    var greatest = 0
    for counter in counters { greatest = max(greatest, try await counter.tokenCount(for: entries)) }
    return greatest
  }
}

extension RoutedLanguageModel.NoRoute: RetryAdvising {
  public var isWorthRetrying: Bool {
    failures.contains { RetryAdvice.isWorthRetrying($0.error) }
  }
}

extension Array {
  /// The elements sorted, those that are equal in the order in which they are.
  fileprivate func stablySorted(by areInOrder: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      areInOrder(left.element, right.element)
        || !areInOrder(right.element, left.element) && left.offset < right.offset
    }.map(\.element)
  }
}
