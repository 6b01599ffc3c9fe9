// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

/// Schemas of a size that nobody writes: reading them takes as long as they are, not the square of it.
@Suite(.timeLimit(.minutes(30))) struct LargeSchemaTests {
  private static func named(_ count: Int, _ member: (Int) -> String) -> String {
    (0..<count).map(member).joined(separator: ",")
  }

  static let schemas = [
    // Members that are no keywords.
    #"{"type":"null",\#(named(50_000) { #""a\#($0)":0"# })}"#,
    // Definitions that would all be called the same.
    ##"{"$defs":{\##(named(20_000) { ##""d\##($0)":{"x":{}}"## })},"##
      + ##""anyOf":[\##(named(20_000) { ##"{"$ref":"#/$defs/d\##($0)/x"}"## })]}"##,
    // References into a long array.
    ##"{"allOf":[\##(named(20_000) { _ in "{}" })],"##
      + ##""anyOf":[\##(named(20_000) { ##"{"$ref":"#/allOf/\##($0)"}"## })]}"##,
    // Parts with identifiers of their own.
    ##"{"$defs":{\##(named(20_000) { ##""d\##($0)":{"$id":"http://a/\##($0)"}"## })},"##
      + ##""anyOf":[\##(named(20_000) { ##"{"$ref":"http://a/\##($0)"}"## })]}"##,
    // A long name above many subschemas.
    #"{"properties":{"\#(String(repeating: "n", count: 1 << 20))":"#
      + #"{"allOf":[\#(named(50_000) { _ in "{}" })]}}}"#,
  ]

  @Test(arguments: schemas.indices) func readsInLinearTime(index: Int) throws {
    let schema = try GenerationSchema(jsonSchema: Self.schemas[index])
    #expect(try schema.jsonSchema().utf8.count > 10_000)
  }

  /// Of problems without number some are told.
  @Test func problemsAreLimited() {
    let text = #"{"allOf":[\#(Self.named(20_000) { _ in "1" })]}"#
    let error = #expect(throws: SchemaImportError.self) { try GenerationSchema(jsonSchema: text) }
    #expect(error?.problems.count == 1000)
    #expect(error?.problems.last?.location == "/allOf/999")
  }
}
