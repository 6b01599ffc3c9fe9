// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@testable import ModelServing

/// What clients send along with their messages and tools.
@Suite struct ServedHistoryTests {
  private func request(
    _ body: String, _ route: ServedRequest.Route = .chat
  ) throws -> ServedRequest {
    try ServedRequest(route, body: Data(body.utf8))
  }

  private func arguments(of request: ServedRequest) -> String? {
    for case .toolCalls(let calls) in request.entries { return calls.first?.arguments.jsonString }
    return nil
  }

  @Test(
    arguments: [
      (#""""#, "{}"), (#"" \n""#, "{}"), ("null", "{}"), (#"{"city":"Rome"}"#, #"{"city":"Rome"}"#),
      (#""{\"city\":\"Rome\"}""#, #"{"city":"Rome"}"#),
    ])
  func argumentsOfCalls(_ written: String, _ read: String) throws {
    let chat = try request(
      #"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"a","#
        + #""type":"function","function":{"name":"w","arguments":\#(written)}}]},"#
        + #"{"role":"tool","tool_call_id":"a","content":"ok"}]}"#)
    #expect(arguments(of: chat) == read)
    let responses = try request(
      #"{"input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"a","#
        + #""name":"w","arguments":\#(written)},"#
        + #"{"type":"function_call_output","call_id":"a","output":"ok"}]}"#, .responses)
    #expect(arguments(of: responses) == read)
  }

  @Test(arguments: ["5", "[1]", "true", #""{""#, #""Rome is""#])
  func argumentsThatAreNoObjectAreRefused(_ written: String) {
    let body =
      #"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"a","#
      + #""function":{"name":"w","arguments":\#(written)}}]}]}"#
    let problem = #expect(throws: ServeProblem.self) { try request(body) }
    #expect(problem?.place == "messages[1].tool_calls[0].function.arguments")
  }

  @Test(
    arguments: [
      #""id":"msg_1""#, #""name":"Ada""#, #""audio":null"#, #""annotations":[]"#,
      #""refusal":null"#, #""reasoning_content":"hm""#, #""reasoning_details":[{"text":"hm"}]"#,
      #""thinking":"hm""#, #""parsed":null"#, #""metadata":{"a":"b"}"#, #""function_call":null"#,
      #""type":"message","status":"completed""#, #""cache_control":{"type":"ephemeral"}"#,
    ])
  func bookkeepingOfMessagesIsIgnored(_ members: String) throws {
    let body =
      #"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho",\#(members)},"#
      + #"{"role":"user","content":"Hi"}]}"#
    #expect(try request(body).entries.count == 3)
  }

  /// The model would have to go on with the message, or to call what the client called before.
  @Test(arguments: [#""prefix":true"#, #""function_call":{"name":"w","arguments":"{}"}"#])
  func whatWouldChangeTheAnswerIsRefused(_ members: String) {
    let body =
      #"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho",\#(members)}]}"#
    let problem = #expect(throws: ServeProblem.self) { try request(body) }
    #expect(problem?.code == "unknown_parameter")
  }

  @Test func outputOfACallMayHaveParts() throws {
    let body =
      #"{"input":[{"role":"user","content":"Hi"},{"type":"function_call_output","call_id":"a","#
      + #""output":[{"type":"input_text","text":"ok"}]}]}"#
    guard case .toolOutput(let output)? = try request(body, .responses).entries.last else {
      Issue.record("no output")
      return
    }
    #expect(output.description.contains("ok"))
  }

  @Test func annotationsOfToolsAreIgnored() throws {
    let hello = #""messages":[{"role":"user","content":"Hi"}]"#
    let function = #""name":"w","parameters":{"type":"object"},"annotations":{"readOnlyHint":true}"#
    let chat = try request(
      #"{\#(hello),"tools":[{"type":"function","function":{\#(function)}}]}"#)
    #expect(chat.tools.map(\.name) == ["w"])
    let responses = try request(
      #"{"input":"Hi","tools":[{"type":"function",\#(function)}]}"#, .responses)
    #expect(responses.tools.map(\.name) == ["w"])
    #expect(throws: ServeProblem.self) {
      try request(
        #"{\#(hello),"tools":[{"type":"function","function":{"name":"w","grammar":"x"}}]}"#)
    }
  }
}
