// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

public final class LanguageModelSession: Sendable {
  private let model: SystemLanguageModel
  private let tools: [any Tool]
  private let transcript: Transcript

  public init(model: SystemLanguageModel, tools: [any Tool], transcript: Transcript) {
    self.model = model
    self.tools = tools
    self.transcript = transcript
  }

  public func prewarm() {}

  public var usage: Usage { Usage() }

  public struct Usage: Sendable {
    public struct Input: Sendable {
      public var totalTokenCount = 7
      public var cachedTokenCount = 3
    }
    public struct Output: Sendable {
      public var totalTokenCount = 2
      public var reasoningTokenCount = 1
    }
    public var input = Input()
    public var output = Output()
  }

  public enum Error: Swift.Error { case concurrentRequests, transcriptMutationWhileResponding }

  public struct ToolCallError: Swift.Error {
    public var tool: any Tool
    public var underlyingError: any Swift.Error
  }

  public enum GenerationError: Swift.Error {
    case exceededContextWindowSize(Context)
    case assetsUnavailable(Context)
    case guardrailViolation(Context)
    case unsupportedGuide(Context)
    case unsupportedLanguageOrLocale(Context)
    case decodingFailure(Context)
    case rateLimited(Context)
    case concurrentRequests(Context)
    case refusal(Refusal, Context)

    public struct Context: Sendable {
      public let debugDescription: String
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }
    public struct Refusal: Sendable {
      public init(transcriptEntries: [Transcript.Entry]) {}
    }
  }

  public struct ResponseStream<Content: Generable>: AsyncSequence, Sendable
  where Content.PartiallyGenerated: Sendable {
    public struct Snapshot: Sendable {
      public var content: Content.PartiallyGenerated
      public var rawContent: GeneratedContent
    }
    public typealias Element = Snapshot
    let stream: AsyncThrowingStream<Snapshot, any Swift.Error>
    public func makeAsyncIterator() -> AsyncThrowingStream<Snapshot, any Swift.Error>.AsyncIterator
    {
      stream.makeAsyncIterator()
    }
  }

  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(prompt, schema: nil, options: options) { text in
      .init(content: text, rawContent: text.generatedContent)
    }
  }

  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(prompt, schema: schema, options: options) { json in
      let content = try GeneratedContent(json: json)
      return .init(content: content, rawContent: content)
    }
  }

  private func stream<Content: Generable>(
    _ prompt: Prompt, schema: GenerationSchema?, options: GenerationOptions,
    snapshot: @escaping @Sendable (String) throws -> ResponseStream<Content>.Snapshot
  ) -> ResponseStream<Content> {
    let question = Script.Question(
      before: transcript.story, prompt: prompt.text, schema: schema?.debugDescription,
      options: options, useCase: model.useCase, guardrails: model.guardrails)
    let index = Script.current.withLock { script in
      script.questions.append(question)
      return script.questions.count - 1
    }
    return ResponseStream(
      stream: AsyncThrowingStream { continuation in
        let task = Task {
          do {
            while let step = Script.current.withLock({
              $0.steps.isEmpty ? nil : $0.steps.removeFirst()
            }) {
              switch step {
              case .say(let texts):
                for text in texts { continuation.yield(try snapshot(text)) }
                return continuation.finish()
              case .fail(let error): throw error
              case .call(let calls):
                let outputs = try await run(calls)
                Script.current.withLock { $0.questions[index].outputs += outputs }
              }
            }
            continuation.finish()
          } catch {
            if error is CancellationError { Script.current.withLock { $0.isCancelled = true } }
            continuation.finish(throwing: error)
          }
        }
        continuation.onTermination = { _ in task.cancel() }
      })
  }

  private func run(_ calls: [(name: String, arguments: String)]) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, call) in calls.enumerated() {
        guard let tool = tools.first(where: { $0.name == call.name }) else {
          throw GenerationError.decodingFailure(.init(debugDescription: "No tool \(call.name)."))
        }
        group.addTask { (index, try await Self.output(of: tool, call.arguments)) }
      }
      var outputs = Array(repeating: "", count: calls.count)
      for try await (index, output) in group { outputs[index] = output }
      return outputs
    }
  }

  private static func output(of tool: some Tool, _ arguments: String) async throws -> String {
    func call<T: Tool>(_ tool: T) async throws -> String {
      let output = try await tool.call(
        arguments: try T.Arguments(GeneratedContent(json: arguments)))
      return output.promptRepresentation.text
    }
    do {
      return try await call(tool)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw ToolCallError(tool: tool, underlyingError: error)
    }
  }
}
