// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Runs the calls of one round: all at once, with the outputs in the order of the calls.
struct ToolRunner: Sendable {
  var tools: [any Tool]
  /// What the tools looked like when the session was made.
  var definitions: [Transcript.ToolDefinition]
  var checks: SchemaChecks
  var policy: ToolCallPolicy

  /// - Parameter problems: What keeps calls from being run, by their places in `calls`.
  func run(
    _ calls: [Transcript.ToolCall], problems: [Int: any Error] = [:]
  ) async throws -> [Transcript.ToolOutput] {
    var decisions: [ToolCallDecision] = []
    for (index, call) in calls.enumerated() {
      decisions.append(problems[index] == nil ? try await policy.decide(call) : .allow)
    }
    let jobs = Array(zip(calls, decisions).enumerated())
    return try await withThrowingTaskGroup(of: (Int, Transcript.ToolOutput).self) { group in
      for (index, (call, decision)) in jobs {
        let problem = problems[index]
        group.addTask {
          (index, try await output(of: call, decision: decision, problem: problem))
        }
      }
      var outputs: [Transcript.ToolOutput?] = Array(repeating: nil, count: calls.count)
      for try await (index, output) in group { outputs[index] = output }
      return outputs.compactMap(\.self)
    }
  }

  private func output(
    of call: Transcript.ToolCall, decision: ToolCallDecision, problem: (any Error)?
  ) async throws -> Transcript.ToolOutput {
    func answer(_ segments: [Transcript.Segment]) -> Transcript.ToolOutput {
      Transcript.ToolOutput(id: call.id, toolName: call.toolName, segments: segments)
    }
    if case .deny(let reason) = decision {
      return answer([.text(.init(content: "The call was not allowed: \(reason)"))])
    }
    guard let tool = tools.first(where: { $0.name == call.toolName }) else {
      let problem = ToolCallProblem.unknownTool(
        name: call.toolName, available: tools.map(\.name))
      guard policy.onFailure.isFailure else {
        return answer([.text(.init(content: problem.problemDescription))])
      }
      throw problem
    }
    do {
      try Task.checkCancellation()
      if let problem { throw problem }
      if let definition = definitions.first(where: { $0.name == call.toolName }) {
        try await checks.check(for: definition.parameters).verify(call.arguments)
      }
      return answer(try await Self.segments(of: tool, for: call.arguments))
    } catch let error as CancellationError where Task.isCancelled {
      // Where nobody cancelled the request, the tool gave up by itself: that is a failure of it.
      throw error
    } catch {
      let failure = LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
      guard let text = policy.onFailure.answer(to: failure) else { throw failure }
      return answer([.text(.init(content: text))])
    }
  }

  private static func segments<T: Tool>(
    of tool: T, for content: GeneratedContent
  ) async throws -> [Transcript.Segment] {
    let output = try await tool.call(arguments: T.Arguments(content))
    if let content = output as? GeneratedContent {
      return [.structure(.init(schemaName: tool.name, content: content))]
    }
    return Array(output.promptRepresentation.parts)
  }
}
