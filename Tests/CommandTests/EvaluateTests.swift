// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What `espalier evaluate` says of its cases before it asks a model.
@Suite struct EvaluateTests {
  private let schema = """
    {"type":"object","properties":{"city":{"enum":["Rome","Oslo"]},\
    "days":{"type":"integer","maximum":7},"stops":{"type":"array","items":{"$ref":"#/$defs/Stop"}}},\
    "required":["city"],"$defs":{"Stop":{"type":"object","properties":{"name":{"type":"string"}}}}}
    """

  private func evaluate(
    _ cases: String, _ arguments: String..., schema: String? = nil
  ) async throws -> CommandRun {
    let folder = try TemporaryFolder()
    let path = try folder.file("schema.json", schema ?? self.schema)
    return try await CommandRun.run(
      "espalier", ["evaluate", "-", "--schema", path] + arguments, input: cases)
  }

  @Test func valuesThatTheSchemaForbids() async throws {
    let run = try await evaluate(
      """
      {"prompt": "a", "expected": {"city": "Rome", "days": 3}}
      {"prompt": "b", "expected": {"city": "Rome", "days": 30}}
      {"prompt": "c", "name": "paris", "expected": {"city": {"$oneOf": ["Paris", "Lyon"]}}}
      """)
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.errors.contains("case 2: at /days, expected "), "\(run.errors)")
    #expect(run.errors.contains("case paris: at /city, expected "), "\(run.errors)")
    #expect(!run.errors.contains("case 1"))
  }

  /// What stands for several values is right where one of them is, or where nobody knows.
  @Test func formsThatStandForSeveralValues() async throws {
    let run = try await evaluate(
      """
      {"prompt": "a", "expected": {"city": {"$oneOf": ["Paris", "Rome"]}}}
      {"prompt": "b", "expected": {"city": {"$any": true}, "days": {"$near": 5, "$tolerance": 1}}}
      """)
    #expect(run.exitCode == 0 && !run.errors.contains("case "), "\(run.errors)")
  }

  /// A member that is null stands for one that is left out.
  @Test func nullStandsForWhatIsLeftOut() async throws {
    let run = try await evaluate(#"{"prompt": "a", "expected": {"city": "Rome", "days": null}}"#)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
    let required = try await evaluate(#"{"prompt": "a", "expected": {"city": null}}"#)
    #expect(required.exitCode == 2 && required.errors.contains("case 1: at /city"))
  }

  @Test func differencesSayWhatWasExpected() async throws {
    let schema = """
      {"type":"object","properties":{"city":{"const":"Oslo"},"days":{"const":4}},\
      "required":["city","days"]}
      """
    let cases = #"{"prompt": "a", "expected": {"city": "Oslo", "days": {"$near": 3}}}"#
    let run = try await evaluate(cases, "--differences", schema: schema)
    #expect(
      run.output.contains("\n  days: expected {\"$near\":3,\"$tolerance\":0}, found 4\n"),
      "\(run.output)")
    let json = try await evaluate(cases, "--differences", "--json", schema: schema)
    #expect(json.output.contains(#""differences":[{"case":"1","prompt":"a","#), "\(json.output)")
    #expect(json.output.contains(#""found":{"city":"Oslo","days":4}"#), "\(json.output)")
  }

  /// A server that is not there is no model that is always wrong.
  @Test func answersThatFailedAreTold() async throws {
    let run = try await evaluate(
      #"{"prompt": "a", "expected": {"city": "Rome"}}"#, "--against", "http://localhost:1")
    #expect(run.output.contains("failed"))
    #expect(run.errors.contains("localhost:1 gave no value to 1 of 1 cases. Case 1: "))
    #expect(run.errors.contains("Start the server"), "\(run.errors)")
  }

  @Test func keysThatTheSchemaDoesNotName() async throws {
    let run = try await evaluate(
      #"{"prompt": "a", "expected": {"city": "Rome", "dais": 3, "stops": [{"nam": "x"}]}}"#)
    #expect(run.exitCode == 0)
    #expect(run.errors.contains("warning: case 1 expects the key dais, which"), "\(run.errors)")
    #expect(run.errors.contains("the key stops[].nam, which"), "\(run.errors)")
    let dictionary = try await evaluate(
      #"{"prompt": "a", "expected": {"a": 3}}"#,
      schema: #"{"type":"object","additionalProperties":{"type":"integer"}}"#)
    #expect(dictionary.exitCode == 0 && !dictionary.errors.contains("warning"))
  }

  @Test func noCases() async throws {
    let run = try await evaluate("\n\n")
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.errors.contains("there is no case in -"))
    let shown = try await evaluate(
      #"{"prompt": "a", "expected": {"city": "Rome"}}"#, "--examples", "1")
    #expect(shown.exitCode == 2)
    #expect(shown.errors.contains("lower --examples"), "\(shown.errors)")
    for option in [["--limit=0"], ["--limit=-1"], ["--examples=-1"]] {
      #expect(try await evaluate("", option[0]).exitCode == 64)
    }
  }

  /// No model wrote a line of the file.
  @Test func linesThatAreNoCase() async throws {
    for line in ["nothing", #"{"prompt": "a", "expected": {"city": "Ro"#] {
      let run = try await evaluate(line)
      #expect(run.exitCode == 2)
      #expect(run.errors.contains("Line 1: expected JSON"), "\(run.errors)")
      #expect(!run.errors.contains("Where a model wrote it"), "\(run.errors)")
    }
  }
}
