// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any model, with what happens written to a log of the app's own. What was said is in no record
/// unless the app asks for it; an error, which may quote a model, is then named by its type and case.
public struct LoggingLanguageModel<Base: LanguageModel>: WrappingLanguageModel {
  public typealias Executor = WrappingExecutor<Self>
  /// One thing that happened.
  public struct Record: Sendable {
    /// The kinds of things that happen.
    public enum Kind: String, Sendable, Hashable {
      /// A request came.
      case request
      /// It was answered.
      case response
      /// It was not.
      case failure
    }

    /// What happened.
    public var kind: Kind
    /// The identity of the request.
    public var requestID: String
    /// What there is to know, by name.
    public var fields: [String: String]
  }

  public let base: Base
  private let includesContent: Bool
  private let sink: @Sendable (Record) -> Void

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - base: The model that answers.
  ///   - includesContent: Whether records say what was said.
  ///   - sink: Where records go.
  public init(
    _ base: Base, includesContent: Bool = false, sink: @escaping @Sendable (Record) -> Void
  ) {
    self.base = base
    self.includesContent = includesContent
    self.sink = sink
  }

  public func respond(
    to request: LanguageModelExecutorGenerationRequest, next: WrappedResponder,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    var fields = [
      "entries": "\(request.transcript.count)", "tools": "\(request.enabledToolDefinitions.count)",
    ]
    fields["schema"] = request.schema?.name
    if includesContent { fields["prompt"] = request.transcript.last?.content }
    log(.request, request, fields)
    let meter = EventMeter()
    let start = ContinuousClock.now
    func seconds() -> String { "\((.now - start).seconds)" }
    do {
      try await next.respond(to: request, streamingInto: meter.channel(into: channel))
    } catch {
      log(.failure, request, ["error": name(of: error), "seconds": seconds()])
      throw error
    }
    fields = ["seconds": seconds(), "tokens": "\(meter.usage.output.totalTokenCount)"]
    if includesContent {
      fields["response"] = (try? meter.round(schema: nil))?.entries.map(\.content)
        .joined(separator: "\n")
    }
    log(.response, request, fields)
  }

  private func name(of error: any Error) -> String {
    if includesContent { return "\(error)" }
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum else { return "\(type(of: error))" }
    return "\(type(of: error)).\(mirror.children.first?.label ?? "\(error)")"
  }

  private func log(
    _ kind: Record.Kind, _ request: LanguageModelExecutorGenerationRequest,
    _ fields: [String: String]
  ) {
    sink(Record(kind: kind, requestID: request.id.uuidString, fields: fields))
  }
}
