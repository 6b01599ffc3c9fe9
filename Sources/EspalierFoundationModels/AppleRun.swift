// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import Foundation
  import FoundationModels
  import Synchronization

  /// One request of Apple's session, and the calls of tools that it waits for.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  final class AppleRun: Sendable {
    private enum Event: Sendable {
      case text(String)
      case value(String)
      case usage(input: Int, cached: Int, output: Int, reasoning: Int)
      case call(id: String, name: String, arguments: String)
      case failure(any Error)
    }

    private struct State {
      var waiting: [String: CheckedContinuation<String, any Error>] = [:]
      var isCancelled = false
      var sent = ""
      var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// Asks the system's model.
    ///
    /// - Throws: Where the request cannot be put into Apple's words: an unknown constraint of a schema.
    init(_ request: Own.Request, model: Apple.SystemLanguageModel) throws {
      (events, continuation) = AsyncStream.makeStream()
      let question = Question(request.transcript)
      let tools = try request.enabledToolDefinitions.map { definition in
        BridgedTool(
          name: definition.name, description: definition.description,
          parameters: try Apple.GenerationSchema(definition.parameters), run: self)
      }
      let session = Apple.Session(model: model, tools: tools, transcript: question.before)
      let options = Apple.GenerationOptions(request.generationOptions)
      let schema = try request.schema.map { try Apple.GenerationSchema($0) }
      let includesSchema = request.contextOptions.includeSchemaInPrompt ?? true
      let continuation = continuation
      let task = Task {
        do {
          if let schema {
            let stream = session.streamResponse(
              to: question.prompt, schema: schema, includeSchemaInPrompt: includesSchema,
              options: options)
            for try await snapshot in stream {
              continuation.yield(.value(snapshot.rawContent.jsonString))
            }
          } else {
            for try await snapshot in session.streamResponse(to: question.prompt, options: options)
            {
              continuation.yield(.text(snapshot.content))
            }
          }
          #if canImport(FoundationModels, _version: 2)
            if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
              let usage = session.usage
              continuation.yield(
                .usage(
                  input: usage.input.totalTokenCount, cached: usage.input.cachedTokenCount,
                  output: usage.output.totalTokenCount,
                  reasoning: usage.output.reasoningTokenCount))
            }
          #endif
        } catch {
          continuation.yield(.failure(error))
        }
        continuation.finish()
      }
      state.withLock { $0.task = task }
    }

    deinit { cancel() }

    /// Gives up the request, and the tools that wait.
    func cancel() {
      let (task, waiting) = state.withLock { state in
        defer { state.waiting = [:] }
        state.isCancelled = true
        return (state.task, state.waiting)
      }
      task?.cancel()
      for tool in waiting.values { tool.resume(throwing: CancellationError()) }
    }

    /// Sends what the model says until it ends or calls a tool.
    ///
    /// - Returns: Whether it has called one.
    func next(into channel: Own.Channel) async throws -> Bool {
      for await event in events {
        switch event {
        case .text(let text): await send(text, into: channel)
        case .value(let json):
          await channel.send(.response(action: .replaceTextSegment(json, tokenCount: 0)))
        case .usage(let input, let cached, let output, let reasoning):
          await channel.send(
            .response(
              action: .updateUsage(
                input: .init(totalTokenCount: input, cachedTokenCount: cached),
                output: .init(totalTokenCount: output, reasoningTokenCount: reasoning))))
        case .call(let id, let name, let arguments):
          await channel.send(
            .toolCalls(
              action: .toolCall(
                id: id, name: name, action: .appendArguments(arguments, tokenCount: 0))))
          return true
        case .failure(let error): throw error
        }
      }
      try Task.checkCancellation()
      return false
    }

    /// Sends what is new in a snapshot of the text.
    private func send(_ text: String, into channel: Own.Channel) async {
      let sent = state.withLock { state in
        defer { state.sent = text }
        return state.sent
      }
      // By bytes: an accent after its letter changes the last character of what was sent.
      if text.utf8.starts(with: sent.utf8) {
        let new = String(decoding: text.utf8.dropFirst(sent.utf8.count), as: UTF8.self)
        if !new.isEmpty { await channel.send(.response(action: .appendText(new, tokenCount: 0))) }
      } else {
        await channel.send(.response(action: .replaceTextSegment(text, tokenCount: 0)))
      }
    }

    /// Gives outputs to the tools that wait for them.
    ///
    /// - Returns: Whether one waited for them; otherwise they are another request's.
    func answer(_ outputs: [Own.Transcript.ToolOutput]) -> Bool {
      var isAnswered = false
      for output in outputs {
        guard let tool = state.withLock({ $0.waiting.removeValue(forKey: output.id) }) else {
          continue
        }
        tool.resume(returning: output.description)
        isAnswered = true
      }
      return isAnswered
    }

    /// Hands a call over, and waits for its output.
    fileprivate func output(of name: String, arguments: String) async throws -> String {
      let id = UUID().uuidString
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { tool in
          let isCancelled = state.withLock { state in
            if !state.isCancelled { state.waiting[id] = tool }
            return state.isCancelled
          }
          if isCancelled {
            tool.resume(throwing: CancellationError())
          } else {
            continuation.yield(.call(id: id, name: name, arguments: arguments))
          }
        }
      } onCancel: {
        state.withLock { $0.waiting.removeValue(forKey: id) }?
          .resume(throwing: CancellationError())
      }
    }
  }

  /// A tool of a session of this package, as Apple's session sees it.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  private struct BridgedTool: Apple.Tool {
    let name: String
    let description: String
    let parameters: Apple.GenerationSchema
    weak let run: AppleRun?

    func call(arguments: Apple.GeneratedContent) async throws -> String {
      guard let run else { throw CancellationError() }
      return try await run.output(of: name, arguments: arguments.jsonString)
    }
  }

  /// A transcript as Apple's session wants it: what was said before, and a prompt.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  private struct Question {
    let before: Apple.Transcript
    let prompt: Apple.Prompt

    /// What follows the last prompt belongs to it: outputs of tools for which nobody waits any more.
    init(_ transcript: Own.Transcript) {
      let index = transcript.lastIndex { if case .prompt = $0 { true } else { false } }
      let last = index ?? transcript.endIndex
      before = Apple.Transcript(Own.Transcript(entries: transcript[..<last]))
      var texts: [String] = []
      for entry in transcript[last...] {
        if case .prompt(let prompt) = entry {
          texts.append(prompt.description)
        } else {
          texts.append(entry.description)
        }
      }
      prompt = Apple.Prompt(texts.joined(separator: "\n\n"))
    }
  }
#endif
