// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@testable import ModelServing

/// Options of requests that other servers take under other names, or in other places.
@Suite struct ServedOptionTests {
  private func request(_ members: String) throws -> ServedRequest {
    try ServedRequest(
      .chat, body: Data(#"{"messages":[{"role":"user","content":"Hi"}],\#(members)}"#.utf8))
  }

  private func place(_ members: String) -> String? {
    #expect(throws: ServeProblem.self) { try request(members) }?.place
  }

  @Test func thinkingIsSwitchedByTheTemplatesVariable() throws {
    let off = try request(#""chat_template_kwargs":{"enable_thinking":false}"#)
    #expect(off.reasoningLevel == .custom("none"))
    let on = try request(#""chat_template_kwargs":{"enable_thinking":true}"#)
    #expect(on.reasoningLevel == nil)
    let agreed = try request(
      #""reasoning_effort":"high","chat_template_kwargs":{"enable_thinking":true}"#)
    #expect(agreed.reasoningLevel == .deep)
    #expect(try request(#""chat_template_kwargs":{}"#).reasoningLevel == nil)
  }

  @Test func otherVariablesOfTemplatesAreRefused() {
    #expect(
      place(#""chat_template_kwargs":{"enable_thinking":false,"tone":"dry"}"#)
        == "chat_template_kwargs.tone")
    let switchPlace = "chat_template_kwargs.enable_thinking"
    #expect(place(#""chat_template_kwargs":{"enable_thinking":"no"}"#) == switchPlace)
    for (effort, thinks) in [("high", false), ("none", true)] {
      #expect(
        place(
          #""reasoning_effort":"\#(effort)","chat_template_kwargs":{"enable_thinking":\#(thinks)}"#)
          == switchPlace)
    }
  }

  @Test func schemaMayStandOneLevelTooHigh() throws {
    let flat = #""response_format":{"type":"json_schema","schema":{"type":"boolean"}"#
    let schema = try request(flat + "}").schema
    #expect(try schema?.grammarText() == #"{"type":"boolean"}"#)
    let named = try request(flat + #","name":"Answer","strict":true}"#).schema
    #expect(named?.name == "Answer")
    // Of two schemas nobody knows which one is meant.
    #expect(
      place(flat + #","json_schema":{"schema":{"type":"null"}}}"#) == "response_format.schema")
    #expect(place(flat + #","grammar":"x"}"#) == "response_format.grammar")
    #expect(
      place(#""response_format":{"type":"json_schema"}"#) == "response_format.json_schema")
  }
}
