// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierEvaluation
import Testing

/// What of an answer counts as right, and what files of cases may say.
@Suite struct EvaluationScoreTests {
  private func report(_ expected: String, _ found: String) throws -> EvaluationReport {
    let item = EvaluationCase(
      name: "1", prompt: "p", expected: ExpectedValue(try GeneratedContent(json: expected)))
    let answer = Evaluation.Answer(content: try GeneratedContent(json: found), duration: .zero)
    return EvaluationReport(
      schema: try GenerationSchema(jsonSchema: "{}"), results: [.init(item: item, answer: answer)])
  }

  private func counts(_ expected: String, _ found: String) throws -> [String] {
    try report(expected, found).fields.map { "\($0.path) \($0.right)/\($0.total)" }
  }

  @Test func whatNobodyAskedForCounts() throws {
    #expect(try counts(#"{"a":1}"#, #"{"a":1,"b":"x"}"#) == ["a 1/1", "b 0/1"])
    #expect(
      try counts(#"{"a":1}"#, #"{"a":1,"b":{"c":1,"d":[2]}}"#) == ["a 1/1", "b.c 0/1", "b.d 0/1"])
    #expect(try counts(#"{"a":[{"c":1}]}"#, #"{"a":[{"c":1},{"c":2},{"c":3}]}"#) == ["a[].c 1/3"])
    #expect(try counts(#"{"a":[]}"#, #"{"a":[{"c":1}]}"#) == ["a[].c 0/1"])
    #expect(try counts(#"{"a":[]}"#, #"{"a":[]}"#) == ["a 1/1"])
    #expect(try counts("{}", #"{"a":1}"#) == ["a 0/1"])
  }

  @Test func whatIsMissingCounts() throws {
    #expect(try counts(#"{"a":1,"b":"x"}"#, #"{"a":1}"#) == ["a 1/1", "b 0/1"])
    #expect(try counts(#"{"a":[{"c":1},{"c":2}]}"#, #"{"a":[{"c":1}]}"#) == ["a[].c 1/2"])
  }

  @Test func nullAndLeftOutAreTheSame() throws {
    for (expected, found) in [
      (#"{"a":1,"b":null}"#, #"{"a":1}"#), (#"{"a":1}"#, #"{"a":1,"b":null}"#),
    ] {
      let report = try report(expected, found)
      #expect(report.rightCount == 1 && report.fieldAccuracy == 1, "\(expected)")
    }
    #expect(try report(#"{"a":1,"b":null}"#, #"{"a":1,"b":2}"#).rightCount == 0)
  }

  @Test(arguments: [
    ("1", "1.0", true), ("9007199254740993", "9007199254740992", false),
    (#"{"$near":3.5,"$tolerance":0.1}"#, "3.6", true),
    (#"{"$near":3.5,"$tolerance":0.1}"#, "3.4", true),
    (#"{"$near":3.5,"$tolerance":0.1}"#, "3.6001", false), (#"{"$near":3.5}"#, "3.5", true),
  ])
  func numbersAreComparedAsPeopleDo(expected: String, found: String, isRight: Bool) throws {
    #expect((try report(expected, found).rightCount == 1) == isRight)
  }

  @Test func filesOfWindowsAreRead() throws {
    let cases = try EvaluationCase.cases(
      jsonLines: "\u{FEFF}{\"prompt\":\"a\",\"expected\":1}\r\n\r\n"
        + "{\"prompt\":\"b\u{2028}c\",\"expected\":2,\"name\":7}\r\n")
    #expect(cases.map(\.name) == ["1", "7"])
    #expect(cases.map(\.prompt) == ["a", "b\u{2028}c"])
  }

  @Test(arguments: [
    #"{"a":{"$oneof":["x"]}}"#, #"{"$oneOf":[]}"#, #"{"$oneOf":"x"}"#, #"[{"$near":"3"}]"#,
    #"{"$near":3,"$tolarance":1}"#, #"{"$near":3,"$tolerance":-1}"#, #"{"$any":false}"#,
    #"{"$oneOf":[{"$Any":true}]}"#,
  ])
  func formsThatAreMisspeltAreErrors(expected: String) throws {
    let error = #expect(throws: EvaluationCaseError.self) {
      try EvaluationCase.cases(jsonLines: "\n{\"prompt\":\"a\",\"expected\":\(expected)}")
    }
    #expect(error?.line == 2)
    #expect(error?.message.contains("expected {\"$oneOf\"") == true)
  }

  @Test func formsAreRead() throws {
    for expected in [
      #"{"$oneOf":["x",{"$any":true}]}"#, #"{"$near":3,"$tolerance":1}"#, #"{"$any":true}"#,
      #"{"$ref":"x"}"#, "[]", "null",
    ] {
      let cases = try EvaluationCase.cases(jsonLines: #"{"prompt":"a","expected":\#(expected)}"#)
      #expect(cases.count == 1)
      #expect(cases.first?.expected.content == (try GeneratedContent(json: expected)))
    }
  }
}
