// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

/// What `AppSources/UnusualForms` declares is made of JSON, and becomes the same JSON.
@Suite struct UnusualFormTests {
  private func roundTrip<Value: Generable & Equatable>(
    _ type: Value.Type, _ json: String
  ) throws {
    let value = try Value(GeneratedContent(json: json))
    #expect(value.generatedContent.jsonString == json)
    #expect(try Value(value.generatedContent) == value)
    _ = try Value.PartiallyGenerated(value.generatedContent)
    _ = try Value.generationSchema.jsonSchema()
  }

  @Test func typesInExtensions() throws {
    try roundTrip(Catalogue.Entry.self, #"{"title":"t","note":"n"}"#)
    try roundTrip(Catalogue.Format.self, #"{"type":"paper","pages":3}"#)
    try roundTrip(Catalogue.Shelf.self, #"{"entries":[{"title":"t"}]}"#)
  }

  @Test func genericTypes() throws {
    try roundTrip(Ranked<Int>.self, #"{"items":[1,2],"best":2}"#)
    try roundTrip(Outcome<Catalogue.Entry>.self, #"{"type":"success","value":{"title":"t"}}"#)
    try roundTrip(Envelope<Never>.Header.self, #"{"subject":"s"}"#)
    #expect(Ranked<Int>.generationSchema.name == "RankedInt")
  }

  @Test @MainActor func typesInClasses() throws {
    let library = Library()
    library.loans = [try .init(GeneratedContent(json: #"{"title":"A b"#))]
    #expect(library.loans.first?.title == "A b")
  }

  @Test func payloads() throws {
    for json in [
      #"{"type":"search","query":"q","limit":3}"#, #"{"type":"move","in":"a","for":2}"#,
      #"{"type":"group","value":[{"type":"self"}]}"#,
      #"{"type":"mapping","value":{"k":{"type":"self"}},"tags":[1]}"#,
      #"{"type":"mixed","value":1,"value2":2,"value1":3,"value3":"s"}"#,
      #"{"type":"default","value":1}"#, #"{"type":"default"}"#,
      #"{"type":"nested","value":{"type":"x","value":1},"value1":{"type":"y"}}"#,
    ] {
      try roundTrip(Instruction.self, json)
    }
  }

  @Test func spellings() throws {
    try roundTrip(
      Spellings.self,
      #"{"my property":"p","class":1,"where":2,"content":"c","properties":"p","value":"v","#
        + #""choice":"c","array":[1],"nested":[[1],[]],"implicit":"i","kind":"New York"}"#)
  }

  @Test func namesThatThePackageHasToo() throws {
    try roundTrip(
      Story.self,
      #"{"title":"t","ending":"sad","twists":[{"type":"death","of":"x"},{"type":"none"}]}"#)
  }

  @Test func operators() throws {
    try roundTrip(Spiciness.self, #""medium""#)
    try roundTrip(Version.self, #"{"major":1,"minor":2}"#)
    try roundTrip(Bid.self, #"{"type":"amount","value":3}"#)
    #expect(Spiciness.hot < .mild)
    #expect([Version(major: 1, minor: 2), .zero].min() == .zero)
    #expect(Bid.amount(1) < .amount(2))
  }

  @Test func guidesAtRunTime() throws {
    let schema = try RuntimeGuides.generationSchema.jsonSchema()
    for part in [
      #""description":"Guides in other words""#, #""description":"Several lines,\n  indented""#,
      #""description":"At most 4","type":"integer","minimum":1,"maximum":4"#,
      #""enum":["p","l","a","i","n"]"#, #""enum":["a!","b!"]"#,
      #""code":{"type":"string","pattern":"^(?:[a-z]+)$"}"#,
      #""other":{"description":"As code","type":"string","pattern":"^(?:[a-z]+)$"}"#,
      #""pattern":"^(?:\\d{3})$","maxLength":3"#,
      #""items":{"type":"string","pattern":"^(?:x+)$"},"minItems":4,"maxItems":4"#,
      #""price":{"type":"number","minimum":3}"#,
      #""share":{"type":"number","minimum":0,"maximum":1}"#,
    ] {
      #expect(schema.contains(part), "\(part) in \(schema)")
    }
    let partial = try RuntimeGuides.PartiallyGenerated(GeneratedContent(json: #"{"text":"a"#))
    var other = partial
    #expect(partial == other)
    other.count = 3
    #expect(partial != other)
  }
}
