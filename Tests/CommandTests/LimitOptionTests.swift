// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Limits as the commands tell of them, and set them.
@Suite struct LimitOptionTests {
  /// A member whose list is too long for the limit, beside another keyword.
  private static func member(isRequired: Bool) -> String {
    let list = (0..<5000).map { "[\($0)]" }.joined(separator: ",")
    let required = isRequired ? #", "required": ["a"]"# : ""
    return
      #"{"type": "object", "properties": {"a": {"enum": [\#(list)], "minItems": 1}}\#(required)}"#
  }

  /// References that lead on for longer than the limit.
  private static let chain: String = {
    let links = (0..<600).map { ##""d\##($0)": {"$ref": "#/$defs/d\##($0 + 1)"}"## }
    return ##"{"$ref": "#/$defs/d0", "$defs": {\##(links.joined(separator: ",")), "d600": {}}}"##
  }()

  @Test(arguments: ["mask", "explain", "validate", "check", "grammar"])
  func aLimitIsNamedAndCanBeRaised(command: String) async throws {
    let folder = try TemporaryFolder()
    let required = Self.member(isRequired: true)
    for (limit, schema) in [("alternatives", required), ("depth", Self.chain)] {
      let file = try folder.file("schema-\(limit)", schema)
      let arguments =
        switch command {
        case "check": ["schema", "check", file]
        case "grammar": ["grammar", file, "--to", "gbnf"]
        default: [command, file]
        }
      let refused = try await CommandRun.run("espalier", arguments, input: #"{"a":[5]}"#)
      let said = refused.output + refused.errors
      #expect(refused.exitCode == 1)
      #expect(said.contains("raise the limit `\(limit)`"), "\(said)")
      #expect(said.contains("--raise LIMIT=VALUE"), "\(said)")
      #expect(!said.contains("departs"), "\(said)")
      let raised = try await CommandRun.run(
        "espalier", arguments + ["--raise", "\(limit)=10000"], input: #"{"a":[5]}"#)
      #expect(raised.exitCode == 0, "\(raised.errors)")
    }
  }

  /// A text that a limit leaves undecided is not called forbidden.
  @Test func aTextMayBeUndecided() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("schema", Self.member(isRequired: false))
    let run = try await CommandRun.run("espalier", ["mask", schema, "--text", #"{"a":[5"#])
    #expect(run.exitCode == 1)
    #expect(run.errors.contains("raise the limit `alternatives`"), "\(run.errors)")
    #expect(!run.output.contains("Not allowed"))
  }

  @Test(arguments: ["depth", "width=3", "depth=-1", "depth=x"])
  func othersAreRefused(setting: String) async throws {
    let run = try await CommandRun.run("espalier", ["validate", "schema", "--raise", setting])
    #expect(run.exitCode == 64)
  }
}
