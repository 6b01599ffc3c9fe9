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

  /// What clients of other servers send with every request, and what asks for nothing.
  @Test(
    arguments: [
      #""guided_decoding_backend":"outlines""#, #""cache_prompt":true,"id_slot":-1"#,
      #""priority":3,"request_id":"a","keep_alive":"5m""#, #""repetition_penalty":1.0"#,
      #""repeat_penalty":1,"min_p":0.0,"typical_p":1"#, #""best_of":1,"ignore_eos":false"#,
      #""skip_special_tokens":true,"add_generation_prompt":true,"stop_token_ids":[]"#,
      #""top_k":-1"#, #""top_k":0,"top_p":0.5"#, #""functions":[],"function_call":"none""#,
      #""n_predict":-1"#, #""prediction":{"type":"content","content":"x"}"#,
      #""stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}"#,
    ])
  func whatAsksForNothingIsTaken(_ members: String) throws {
    let request = try request(members)
    #expect(request.options.maximumResponseTokens == nil)
    #expect(members.contains("top_p") || request.options.samplingMode == nil)
  }

  @Test func llamaServersLimitIsALimit() throws {
    #expect(try request(#""n_predict":7"#).options.maximumResponseTokens == 7)
    #expect(try request(#""n_predict":7,"max_tokens":5"#).options.maximumResponseTokens == 5)
  }

  @Test(
    arguments: [
      ("repetition_penalty", "1.1"), ("min_p", "0.05"), ("min_tokens", "5"), ("ignore_eos", "true"),
      ("skip_special_tokens", "false"), ("stop_token_ids", "[5]"), ("best_of", #""1""#),
      ("n_predict", "0"), ("functions", #"[{"name":"f"}]"#), ("top_k", "-2"),
    ])
  func whatAsksForSomethingIsNamed(_ name: String, _ value: String) {
    #expect(place("\"\(name)\":\(value)") == name)
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

  @Test func fieldsOfOtherServersHoldTheText() throws {
    let texts: [(String, ResponseGrammar, String)] = [
      (#""grammar":"root ::= \"a\"""#, .gbnf(#"root ::= "a""#), "grammar"),
      (#""guided_grammar":"root ::= [a]""#, .gbnf("root ::= [a]"), "guided_grammar"),
      (#""ebnf":"root ::= [a]""#, .gbnf("root ::= [a]"), "ebnf"),
      (#""regex":"a+""#, .regularExpression("a+"), "regex"),
      (#""guided_regex":"a+""#, .regularExpression("a+"), "guided_regex"),
      (#""guided_choice":["a","b"]"#, .choice(["a", "b"]), "guided_choice"),
      (
        #""structured_outputs":{"choice":["a","b"]}"#, .choice(["a", "b"]),
        "structured_outputs.choice"
      ),
      (
        #""structured_outputs":{"regex":"a+"}"#, .regularExpression("a+"),
        "structured_outputs.regex"
      ),
    ]
    for (members, grammar, place) in texts {
      let request = try request(members)
      #expect(request.guide?.grammar == grammar)
      #expect(request.guide?.place == place)
      #expect(request.generation.generationOptions.grammar == grammar)
    }
    for members in [
      #""guided_json":{"type":"boolean"}"#, #""json_schema":{"type":"boolean"}"#,
      #""structured_outputs":{"json":"{\"type\":\"boolean\"}"}"#,
    ] {
      #expect(try request(members).schema?.grammarText() == #"{"type":"boolean"}"#)
    }
    #expect(try request(#""grammar":"""#).guide == nil)
  }

  @Test func textsAreHeldToOneThing() {
    let tool = #""tools":[{"type":"function","function":{"name":"f"}}]"#
    #expect(place(#""regex":"a","grammar":"root ::= \"a\"""#) == "grammar")
    #expect(place(#""regex":"a","response_format":{"type":"json_object"}"#) == "regex")
    #expect(place(#""regex":"a",\#(tool)"#) == "regex")
    #expect(place(#""guided_choice":[]"#) == "guided_choice")
    #expect(place(#""guided_choice":[1]"#) == "guided_choice")
    #expect(
      place(#""structured_outputs":{"structural_tag":"x"}"#)
        == "structured_outputs.structural_tag")
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
