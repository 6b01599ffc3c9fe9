// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Testing

@testable import EspalierLocal

/// What a model is told of the schema of its response.
@Suite struct SchemaPromptTests {
  private static let schema = #"""
    {"type":"object","properties":{"guest":{"type":"string","description":"name of the guest"},
    "nights":{"type":"integer","minimum":1,"maximum":14}},"required":["guest","nights"]}
    """#

  @Test(arguments: [
    (
      SchemaPrompt.Form.typeNotation,
      "Answer with JSON: {guest: string (name of the guest), nights: integer 1-14}"
    ),
    (.descriptions, "Answer with JSON. guest: name of the guest."),
  ])
  func words(form: SchemaPrompt.Form, expected: String) throws {
    let schema = try GenerationSchema(jsonSchema: Self.schema)
    #expect(try SchemaPrompt(form: form).text(for: schema) == expected)
  }

  @Test func withoutDescriptionsNothingIsAdded() throws {
    let schema = try GenerationSchema(jsonSchema: #"{"type":"integer"}"#)
    #expect(try SchemaPrompt(form: .descriptions).text(for: schema) == "Answer with JSON.")
  }

  @Test func theFormGoesByTheSizeOfTheModel() {
    #expect(SchemaPrompt(weightCount: 134_515_008).form == .descriptions)
    #expect(SchemaPrompt(weightCount: 1_700_000_000).form == .typeNotation)
  }

  /// A model file says how large it is; the app has the last word.
  @Test func aFileChoosesAndTheAppOverrides() throws {
    let writer = TinyModel.writer(architecture: "llama", shape: .wide, type: .f32)
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFTokenModel(path: path)
      #expect(file.schemaPrompt.form == .descriptions)
      #expect(GuidedLanguageModel(file).schemaPrompt.form == .descriptions)
      let chosen = SchemaPrompt(form: .jsonSchema, place: .afterPrompt)
      #expect(GuidedLanguageModel(file, schemaPrompt: chosen).schemaPrompt == chosen)
    }
  }
}
