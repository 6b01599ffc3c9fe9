// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

public protocol LanguageModel: Sendable {
  associatedtype Executor: LanguageModelExecutor where Self == Executor.Model
  var capabilities: LanguageModelCapabilities { get }
  var executorConfiguration: Executor.Configuration { get }
}

public protocol LanguageModelExecutor: Sendable {
  associatedtype Configuration: Hashable, Sendable
  associatedtype Model: LanguageModel
  init(configuration: Configuration) throws
  func prewarm(model: Model, transcript: Transcript)
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  public func prewarm(model: Model, transcript: Transcript) {}
}

public struct LanguageModelExecutorGenerationRequest: Sendable {
  public var id: UUID
  public var transcript: Transcript
  public var enabledToolDefinitions: [Transcript.ToolDefinition]
  public var schema: GenerationSchema?
  public var generationOptions: GenerationOptions
  public var contextOptions: ContextOptions
  public var metadata: [String: GeneratedContent]

  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.id = id
    self.transcript = transcript
    enabledToolDefinitions = enabledTools
    self.schema = schema
    self.generationOptions = generationOptions
    self.contextOptions = contextOptions
    self.metadata = metadata.mapValues(\.generatedContent)
  }
}

/// A channel that writes down what is sent.
public struct LanguageModelExecutorGenerationChannel: Sendable {
  private final class Log: Sendable { let lines = Mutex<[String]>([]) }
  private let log = Log()
  public init() {}
  public var lines: [String] { log.lines.withLock { $0 } }

  nonisolated(nonsending) public func send(_ event: Event) async {
    log.lines.withLock { $0.append(event.line) }
  }

  public struct Event: Sendable {
    let line: String
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      .init(line: "response \(entryID ?? "-") \(action.line)")
    }
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      .init(line: "reasoning \(entryID ?? "-") \(action.line)")
    }
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      .init(line: "calls \(entryID ?? "-") \(action.line)")
    }
  }

  public struct Usage: Sendable {
    public struct Input: Sendable {
      let line: String
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        line = "\(totalTokenCount)/\(cachedTokenCount)"
      }
    }
    public struct Output: Sendable {
      let line: String
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        line = "\(totalTokenCount)/\(reasoningTokenCount)"
      }
    }
  }

  public enum Response {
    public struct Action: Sendable {
      let line: String
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action { .init(line: "append '\(text)' \(tokenCount)") }
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action { .init(line: "replace '\(text)' \(tokenCount)") }
      public static func addAttachmentSegment(_ segment: Transcript.AttachmentSegment) -> Action {
        .init(line: "attach \(segment.label ?? "-")")
      }
      public static func removeAttachmentSegment(id: String) -> Action {
        .init(line: "detach \(id)")
      }
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action { .init(line: "metadata \(written(values))") }
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action { .init(line: "usage \(input.line) \(output.line) \(written(metadata))") }
    }
  }

  public enum Reasoning {
    public struct Action: Sendable {
      let line: String
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action { .init(line: "append '\(text)' \(tokenCount)") }
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action { .init(line: "replace '\(text)' \(tokenCount)") }
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        .init(line: "signature \(signature.count)")
      }
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action { .init(line: "metadata \(written(values))") }
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action { .init(line: "usage \(input.line) \(output.line) \(written(metadata))") }
    }
  }

  public enum ToolCalls {
    public struct Action: Sendable {
      let line: String
      public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action {
        .init(line: "\(name) \(id) \(action.line)")
      }
      public static func removeToolCall(id: String) -> Action { .init(line: "remove \(id)") }
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action { .init(line: "metadata \(written(values))") }
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action { .init(line: "usage \(input.line) \(output.line) \(written(metadata))") }
    }
    public struct ToolCall: Sendable {
      public struct Action: Sendable {
        let line: String
        public static func appendArguments(_ json: String, tokenCount: Int) -> Action {
          .init(line: json)
        }
        public static func updateMetadata(
          _ values: [String: any ConvertibleToGeneratedContent]
        ) -> Action { .init(line: "metadata \(written(values))") }
      }
    }
  }
}

private func written(_ values: [String: any ConvertibleToGeneratedContent]) -> String {
  values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.generatedContent.jsonString)" }
    .joined(separator: ",")
}
