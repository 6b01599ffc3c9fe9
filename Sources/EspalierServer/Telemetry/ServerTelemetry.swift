// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore

/// Where logs, metrics and traces of requests go: closures that an app connects to what it has.
///
/// Names are those of OpenTelemetry's conventions for generative AI. Nothing that a person typed, no
/// answer and no key is among the values.
///
/// ```swift
/// let telemetry = ServerTelemetry(recordMetric: { metric in
///   Recorder(label: metric.name, dimensions: metric.dimensions).record(metric.value)
/// })
/// ```
public struct ServerTelemetry: Sendable {
  /// A value of an attribute.
  public enum Attribute: Sendable, Hashable, CustomStringConvertible {
    /// Text.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// Texts.
    case texts([String])

    public var description: String {
      switch self {
      case .text(let text): text
      case .integer(let integer): "\(integer)"
      case .number(let number): "\(number)"
      case .texts(let texts): texts.joined(separator: ",")
      }
    }
  }

  /// Attributes by name.
  public typealias Attributes = [String: Attribute]

  /// One measurement.
  public struct Metric: Sendable, Hashable {
    /// `gen_ai.client.operation.duration`, `gen_ai.client.operation.time_to_first_chunk` (both in
    /// seconds) or `gen_ai.client.token.usage`.
    public var name: String
    /// The value.
    public var value: Double
    /// What it was measured of.
    public var attributes: Attributes

    /// The attributes as texts, in alphabetical order: what swift-metrics takes.
    public var dimensions: [(String, String)] {
      attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
    }
  }

  /// Something worth a line in a log.
  public struct LogRecord: Sendable, Hashable {
    /// What happened.
    public var message: String
    /// Whether it is a problem, rather than a note.
    public var isWarning: Bool
    /// What it belongs to.
    public var attributes: Attributes
  }

  /// Begins the span of a request (`chat MODEL`), and gives what ends it: with more attributes, among
  /// them `error.type` where it failed.
  public var startSpan: (@Sendable (_ name: String, Attributes) -> @Sendable (Attributes) -> Void)?
  /// Takes a measurement.
  public var recordMetric: (@Sendable (Metric) -> Void)?
  /// Takes a record.
  public var log: (@Sendable (LogRecord) -> Void)?

  /// Creates telemetry; what is left out goes nowhere.
  public init(
    startSpan: (@Sendable (_ name: String, Attributes) -> @Sendable (Attributes) -> Void)? = nil,
    recordMetric: (@Sendable (Metric) -> Void)? = nil,
    log: (@Sendable (LogRecord) -> Void)? = nil
  ) {
    self.startSpan = startSpan
    self.recordMetric = recordMetric
    self.log = log
  }
}

/// The telemetry of one attempt.
struct RequestTelemetry: Sendable {
  private let telemetry: ServerTelemetry
  private let attributes: ServerTelemetry.Attributes
  private let start = ContinuousClock.now
  private let endSpan: (@Sendable (ServerTelemetry.Attributes) -> Void)?

  init(
    _ telemetry: ServerTelemetry, request: ServerRequest, address: ServerAddress, provider: String
  ) {
    self.telemetry = telemetry
    var attributes: ServerTelemetry.Attributes = [
      "gen_ai.operation.name": .text("chat"), "gen_ai.provider.name": .text(provider),
      "server.address": .text(address.host),
    ]
    if let port = address.port { attributes["server.port"] = .integer(port) }
    if let model = request.model { attributes["gen_ai.request.model"] = .text(model) }
    self.attributes = attributes
    guard let startSpan = telemetry.startSpan else {
      endSpan = nil
      return
    }
    var details = attributes
    details["gen_ai.output.type"] = .text(request.schemaName == nil ? "text" : "json")
    details["gen_ai.request.max_tokens"] = request.maximumTokens.map { .integer($0) }
    details["gen_ai.request.temperature"] = request.temperature.map { .number($0) }
    details["gen_ai.request.top_p"] = request.topP.map { .number($0) }
    details["gen_ai.request.top_k"] = request.topK.map { .integer($0) }
    details["gen_ai.request.seed"] = request.seed.map { .integer(Int($0 & 0x7FFF_FFFF)) }
    endSpan = startSpan("chat \(request.model ?? provider)", details)
  }

  /// Ends the attempt.
  func end(_ reader: AnswerReader?, error: (any Error)?) {
    var attributes = attributes
    if let model = reader?.answerModel { attributes["gen_ai.response.model"] = .text(model) }
    if let error { attributes["error.type"] = .text(Self.name(of: error)) }
    if let record = telemetry.recordMetric {
      record(
        .init(
          name: "gen_ai.client.operation.duration", value: (ContinuousClock.now - start).inSeconds,
          attributes: attributes))
      if let first = reader?.firstToken {
        record(
          .init(
            name: "gen_ai.client.operation.time_to_first_chunk", value: (first - start).inSeconds,
            attributes: attributes))
      }
      if let usage = reader?.usage {
        for (kind, count) in [("input", usage.input), ("output", usage.output)] {
          var attributes = attributes
          attributes["gen_ai.token.type"] = .text(kind)
          record(
            .init(
              name: "gen_ai.client.token.usage", value: Double(count), attributes: attributes))
        }
      }
    }
    guard let endSpan else { return }
    if let usage = reader?.usage {
      attributes["gen_ai.usage.input_tokens"] = .integer(usage.input)
      attributes["gen_ai.usage.output_tokens"] = .integer(usage.output)
      attributes["gen_ai.usage.cache_read.input_tokens"] = .integer(usage.cachedInput)
      attributes["gen_ai.usage.reasoning.output_tokens"] = .integer(usage.reasoning)
    }
    if let id = reader?.answerID { attributes["gen_ai.response.id"] = .text(id) }
    if let reason = reader?.finishReason {
      attributes["gen_ai.response.finish_reasons"] = .texts([reason.name])
    }
    endSpan(attributes)
  }

  func log(_ message: String) {
    telemetry.log?(.init(message: message, isWarning: true, attributes: attributes))
  }

  /// What kind of error it is: never its words, which may hold what a person typed.
  private static func name(of error: any Error) -> String {
    switch error {
    case let error as ServerError: "\(error.kind)"
    case let error as SchemaBreak: "\(error.kind)"
    case LanguageModelError.rateLimited: "rateLimited"
    case LanguageModelError.contextSizeExceeded: "contextSizeExceeded"
    case LanguageModelError.timeout: "timeout"
    case LanguageModelError.refusal: "refusal"
    case is CancellationError: "cancelled"
    default: "\(type(of: error))"
    }
  }
}

extension Duration {
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
