// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

/// Ten processes, each of which has another seed for its hashes, write the same bytes.
@Suite struct HashSeedTests {
  private let schema = ##"""
    {"title":"Order","type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/Item"},
    "maxItems":3},"notes":{"type":"object","additionalProperties":{"type":"string","maxLength":5},
    "maxProperties":3},"tags":{"enum":["new","old","rare"]},"id":{"type":"integer","minimum":1,
    "maximum":99}},"required":["items","notes","tags","id"],"$defs":{"Item":{"type":"object",
    "properties":{"name":{"type":"string","pattern":"^[a-c]{1,3}$"},"next":{"$ref":"#/$defs/Other"}},
    "dependentRequired":{"next":["name"]}},"Other":{"type":["string","null"],"maxLength":4}}}
    """##

  @Test(arguments: [
    ["schema", "normalise", "-"], ["schema", "convert", "-", "--to", "draft-07"],
    ["grammar", "-", "--to", "gbnf"], ["sample", "-", "--seed", "7", "--count", "3"],
  ])
  func theSameBytes(arguments: [String]) async throws {
    var outputs: Set<String> = []
    for _ in 0..<10 {
      let run = try await CommandRun.run("espalier", arguments, input: schema)
      #expect(run.exitCode == 0, "\(run.errors)")
      outputs.insert(run.output)
    }
    #expect(outputs.count == 1)
    #expect(outputs.first?.isEmpty == false)
  }
}
