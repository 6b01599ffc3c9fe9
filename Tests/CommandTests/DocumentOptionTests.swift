// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Documents that references of a schema may name, wherever a command takes a schema.
@Suite struct DocumentOptionTests {
  private static let schema = ##"{"$ref":"shop.json#/components/schemas/Order"}"##
  private static let shop = """
    {"components":{"schemas":{"Order":{"type":"object","properties":{"of":{"const":"tea"}},
     "required":["of"],"additionalProperties":false}}}}
    """

  @Test(arguments: ["shop.json=FOLDER/shop.json", "FOLDER", "=FOLDER"])
  func documents(option: String) async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("shop.json", Self.shop)
    let schema = try folder.file("schema", Self.schema)
    let path = URL(filePath: schema).deletingLastPathComponent().path
    let document = ["--document", option.replacing("FOLDER", with: path)]
    let sample = try await CommandRun.run("espalier", ["sample", schema] + document)
    #expect(sample.lines == [#"{"of":"tea"}"#], "\(sample.errors)")
    let value = try await CommandRun.run(
      "espalier", ["validate", schema] + document, input: #"{"of":"milk"}"#)
    #expect(value.exitCode == 1)
    let check = try await CommandRun.run("espalier", ["schema", "check", schema] + document)
    #expect(check.lines == ["supported"])
  }

  @Test func withoutDocuments() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("schema", Self.schema)
    let sample = try await CommandRun.run("espalier", ["sample", schema])
    #expect(sample.exitCode == 1)
    #expect(sample.errors.contains("leads nowhere"))
    // What is valid is judged by the rest of the schema, and the reader is told.
    let value = try await CommandRun.run("espalier", ["validate", schema], input: "1")
    #expect(value.exitCode == 0)
    #expect(value.errors.contains("warning: #: `$ref`"))
  }
}
