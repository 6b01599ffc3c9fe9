// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

/// Commands on grammars that are no schemas.
@Suite struct GrammarFileTests {
  private static let answer = #"root ::= ("yes" | "no") ", " [a-z]{3,8} ".""# + "\n"

  @Test func grammarIsReadByTheNameOfItsFile() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("answer.gbnf", Self.answer)
    let good = try await CommandRun.run("espalier", ["validate", file], input: "yes, abc.")
    #expect(good.exitCode == 0, "\(good.errors)")
    let bad = try await CommandRun.run("espalier", ["validate", file], input: "yes, 12.")
    #expect(bad.exitCode == 1)
    #expect(bad.output.contains("1:6 (byte 5): expected `a` to `z`, found `1`"), "\(bad.output)")
    let ended = try await CommandRun.run("espalier", ["validate", file], input: "yes, abc.\n")
    #expect(ended.output.contains("whole without its last line break"), "\(ended.output)")
    let lark = try await CommandRun.run("espalier", ["grammar", file, "--to", "lark"])
    #expect(lark.output.hasPrefix("start: "), "\(lark.output)")
  }

  @Test func samplesAreTextsOfTheGrammar() async throws {
    let sampled = try await CommandRun.run(
      "espalier", ["sample", "-", "--from", "gbnf", "--count", "5"], input: Self.answer)
    let grammar = try Grammar(gbnf: Self.answer)
    let lines = sampled.output.split(separator: "\n")
    #expect(lines.count == 5)
    for line in lines {
      var validator = StreamValidator(grammar: grammar)
      #expect(validator.append(String(line)) == .complete, "\(line)")
    }
    let pattern = try await CommandRun.run(
      "espalier", ["generate", "-", "A year", "--from", "regex"], input: "20[0-9]{2}\n")
    #expect(pattern.output.wholeMatch(of: /20[0-9]{2}\n/) != nil, "\(pattern.output)")
  }

  @Test func samplesKeepToALimitOfTokens() async throws {
    let text = try await CommandRun.run(
      "espalier", ["sample", "-", "--from", "regex", "--maximum-tokens", "4", "--count", "20"],
      input: "[a-z]+(, [a-z]+)*\n")
    let lines = text.output.split(separator: "\n")
    #expect(lines.count == 20 && lines.allSatisfy { $0.split(separator: " ").count <= 4 })
    let short = try await CommandRun.run(
      "espalier", ["sample", "-", "--from", "regex", "--maximum-tokens", "4"], input: "[0-9]{9}\n")
    #expect(short.exitCode == 1)
    #expect(short.errors.contains("has 9 tokens, and it may have 4"), "\(short.errors)")
  }

  @Test func faultIsToldWithItsPlace() async throws {
    let run = try await CommandRun.run(
      "espalier", ["sample", "-", "--from", "gbnf"], input: "root ::= itme\nitem ::= \"a\"\n")
    #expect(run.exitCode == 1)
    #expect(
      run.errors.contains(
        "line 1, column 10: the rule `itme` is not defined; did you mean `item`?"),
      "\(run.errors)")
  }
}
