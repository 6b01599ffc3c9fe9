// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels, _version: 2) && !os(tvOS) && !os(watchOS)
  public import EspalierCore
  import Foundation
  public import FoundationModels

  /// A model of this package as one of FoundationModels: a GGUF file under the guided executor, or a
  /// server, behind Apple's own session.
  ///
  /// ```swift
  /// let model = ProvidedLanguageModel(GuidedLanguageModel(localModel))
  /// let session = FoundationModels.LanguageModelSession(model: model)
  /// ```
  ///
  /// It has been compiled and run against a model of Apple's interface, not on Apple's systems.
  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  public struct ProvidedLanguageModel<Base: EspalierCore.LanguageModel>:
    FoundationModels.LanguageModel
  {
    /// The model of this package.
    public let base: Base

    /// Creates a provider of a model.
    public init(_ base: Base) { self.base = base }

    public var capabilities: FoundationModels.LanguageModelCapabilities {
      FoundationModels.LanguageModelCapabilities(base.capabilities)
    }

    public var executorConfiguration: Executor.Configuration {
      Executor.Configuration(base: base.executorConfiguration)
    }

    /// Asks the model's own executor.
    public struct Executor: FoundationModels.LanguageModelExecutor {
      public typealias Model = ProvidedLanguageModel<Base>

      /// What the model's own executor is made of.
      public struct Configuration: Hashable, Sendable {
        let base: Base.Executor.Configuration
      }

      private let base: Base.Executor

      public init(configuration: Configuration) throws {
        base = try Base.Executor(configuration: configuration.base)
      }

      public func prewarm(model: Model, transcript: FoundationModels.Transcript) {
        guard let transcript = try? Own.Transcript(transcript) else { return }
        base.prewarm(model: model.base, transcript: transcript)
      }

      public func respond(
        to request: FoundationModels.LanguageModelExecutorGenerationRequest, model: Model,
        streamingInto channel: FoundationModels.LanguageModelExecutorGenerationChannel
      ) async throws {
        do {
          try await base.respond(
            to: try Own.Request(request), model: model.base,
            streamingInto: Own.Channel { event in await channel.send(Apple.event(event)) })
        } catch {
          throw Apple.error(error)
        }
      }
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension Own.Request {
    fileprivate init(_ request: Apple.Request) throws {
      self.init(
        id: request.id, transcript: try Own.Transcript(request.transcript),
        enabledTools: try request.enabledToolDefinitions.map(Own.Transcript.ToolDefinition.init),
        schema: try request.schema.map { try Own.GenerationSchema($0) },
        generationOptions: Own.GenerationOptions(request.generationOptions),
        contextOptions: Own.ContextOptions(request.contextOptions),
        metadata: request.metadata.compactMapValues { Own.GeneratedContent($0) })
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension Apple {
    /// A part of an answer in Apple's words.
    fileprivate static func event(_ event: Own.Channel.Event) -> Channel.Event {
      switch event.kind {
      case .response(let action): .response(entryID: event.entryID, action: response(action))
      case .reasoning(let action): .reasoning(entryID: event.entryID, action: reasoning(action))
      case .toolCalls(let action): .toolCalls(entryID: event.entryID, action: toolCalls(action))
      }
    }

    private static func response(
      _ action: Own.Channel.Response.Action
    ) -> Channel.Response.Action {
      switch action.kind {
      case .append(let text):
        .appendText(text.content, segmentID: text.segmentID, tokenCount: text.tokenCount)
      case .replace(let text):
        .replaceTextSegment(text.content, segmentID: text.segmentID, tokenCount: text.tokenCount)
      case .addAttachment(let segment):
        .addAttachmentSegment(
          .init(
            id: segment.id, content: image(segment.content), label: segment.label))
      case .removeAttachment(let id): .removeAttachmentSegment(id: id)
      case .metadata(let metadata): .updateMetadata(values(metadata.values))
      case .usage(let usage):
        .updateUsage(
          input: input(usage), output: output(usage), metadata: values(usage.metadata))
      }
    }

    private static func reasoning(
      _ action: Own.Channel.Reasoning.Action
    ) -> Channel.Reasoning.Action {
      switch action.kind {
      case .append(let text):
        .appendText(text.content, segmentID: text.segmentID, tokenCount: text.tokenCount)
      case .replace(let text):
        .replaceTextSegment(text.content, segmentID: text.segmentID, tokenCount: text.tokenCount)
      case .signature(let proof):
        .updateSignature(proof.signature, tokenCount: proof.tokenCount)
      case .metadata(let metadata): .updateMetadata(values(metadata.values))
      case .usage(let usage):
        .updateUsage(
          input: input(usage), output: output(usage), metadata: values(usage.metadata))
      }
    }

    private static func toolCalls(
      _ action: Own.Channel.ToolCalls.Action
    ) -> Channel.ToolCalls.Action {
      switch action.kind {
      case .call(let call):
        .toolCall(
          id: call.id, name: call.name,
          action: {
            switch call.action.kind {
            case .append(let piece):
              .appendArguments(piece.content, tokenCount: piece.tokenCount)
            case .metadata(let metadata): .updateMetadata(values(metadata.values))
            }
          }())
      case .remove(let id): .removeToolCall(id: id)
      case .metadata(let metadata): .updateMetadata(values(metadata.values))
      case .usage(let usage):
        .updateUsage(
          input: input(usage), output: output(usage), metadata: values(usage.metadata))
      }
    }

    private static func image(_ attachment: Own.Transcript.Attachment) -> Transcript.Attachment {
      switch attachment {
      case .image(let image): .image(.init(imageURL: image.url ?? URL(filePath: "/")))
      }
    }

    private static func values(
      _ values: Own.Transcript.MetadataValues
    ) -> [String: any FoundationModels.ConvertibleToGeneratedContent] {
      values.compactMapValues { GeneratedContent($0) }
    }

    private static func input(_ usage: Own.Channel.Usage) -> Channel.Usage.Input {
      .init(
        totalTokenCount: usage.input.totalTokenCount,
        cachedTokenCount: usage.input.cachedTokenCount)
    }

    private static func output(_ usage: Own.Channel.Usage) -> Channel.Usage.Output {
      .init(
        totalTokenCount: usage.output.totalTokenCount,
        reasoningTokenCount: usage.output.reasoningTokenCount)
    }
  }
#endif
