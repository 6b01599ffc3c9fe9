// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

/// Properties that are stored in other ways than most: with observers, with the identity of the
/// value, and deprecated ones, of which the compiler must not warn within the expansion.
@Suite struct StoredPropertyTests {
  @Test func observedPropertiesAreGenerated() throws {
    let value = try Thermostat(GeneratedContent(json: #"{"target":21,"mode":"eco"}"#))
    #expect(value.target == 21)
    #expect(value.mode == "eco")
    #expect(value.generatedContent.jsonString == #"{"target":21,"mode":"eco"}"#)
    let partial = try Thermostat.PartiallyGenerated(GeneratedContent(json: #"{"target":21,"#))
    #expect(partial.target == 21)
  }

  @Test func anIdentityIsThatOfTheContent() throws {
    let content = try GeneratedContent(
      json: #"{"searchTerms":[{"searchTerm":"a"},{"searchTerm":"b"}]}"#)
    let value = try SearchSuggestions(content)
    let partial = try SearchSuggestions.PartiallyGenerated(content)
    let ids = value.searchTerms.map(\.id)
    #expect(Set(ids).count == 2)
    #expect(partial.searchTerms?.map(\.id) == ids)
    #expect(value.generatedContent.jsonString == content.jsonString)
    let schema = try SearchSuggestions.generationSchema.jsonSchema()
    #expect(schema.contains(#""searchTerm""#) && !schema.contains(#""id""#))
  }

  @Test func anIdentityGoesThereAndBack() throws {
    let made = SearchSuggestions.SearchTerm(id: GenerationID(), searchTerm: "a")
    #expect(try SearchSuggestions.SearchTerm(made.generatedContent) == made)
    let content = GeneratedContent(properties: ["searchTerm": "a"])
    let first = try SearchSuggestions.SearchTerm(content)
    let second = try SearchSuggestions.SearchTerm(content)
    #expect(first.id != second.id)
  }

  @Test func anIdentityMayHaveAnyName() throws {
    let content = try GeneratedContent(json: #"{"id":"x","note":"y"}"#)
    let value = try Entry(content)
    #expect(value.id == "x")
    #expect(value.key == content.id)
    #expect(value.other == content.id)
    let partial = try Entry.PartiallyGenerated(content)
    #expect(partial.key == content.id)
    #expect(partial.other == content.id)
    #expect(partial.id == "x")
  }

  @Test func deprecatedPropertiesAreGenerated() throws {
    let content = try GeneratedContent(json: #"{"name":"a","label":"b"}"#)
    let value: Labelled = try content.value()
    #expect(value.name == "a")
    #expect(GeneratedContent(value).jsonString == content.jsonString)
  }
}

@Generable
private struct Labelled {
  var name: String
  @available(*, deprecated, renamed: "name") var label: String
}

@Generable
private struct Thermostat {
  var target: Int { didSet {} }
  var mode: String = "off" {
    willSet {}
    didSet {}
  }
}

@Generable
private struct SearchSuggestions {
  @Guide(description: "A list of suggested search terms", .count(2))
  var searchTerms: [SearchTerm]

  @Generable
  struct SearchTerm: Equatable {
    var id: GenerationID

    @Guide(description: "A 2 or 3 word search term, like 'Beautiful sunsets'")
    var searchTerm: String
  }
}

@Generable
private struct Entry {
  var id: String
  let key: GenerationID
  var other: Espalier.GenerationID?
  var note: String
}
