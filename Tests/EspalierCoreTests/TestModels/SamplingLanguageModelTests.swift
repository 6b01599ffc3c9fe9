// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation
import Testing

@Suite struct SamplingLanguageModelTests {
  @Test(arguments: 0..<20) func valuesSatisfyTheSchema(seed: UInt64) async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
    let person = try await session.respond(to: "Who?", generating: Person.self).content
    #expect(person.children.count <= 3)
    #expect(person.age.map { (18...100).contains($0) } ?? true)
  }

  /// A number without bounds may have any digits and any exponent; what is drawn a double holds.
  @Test func numbersWithoutBoundsFitIntoADouble() async throws {
    let schema = try GenerationSchema(jsonSchema: #"{"type":"array","items":{"type":"number"}}"#)
    for seed in UInt64(0)..<200 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "Which?", schema: schema).content
      let numbers = try content.value([Double].self)
      #expect(numbers.allSatisfy { $0.isFinite }, "seed \(seed): \(content.jsonString)")
      let exponents = content.jsonString.lowercased().split(separator: ",").compactMap {
        $0.split(separator: "e").dropFirst().first?.filter(\.isNumber).count
      }
      #expect(exponents.allSatisfy { $0 <= 2 }, "seed \(seed): \(content.jsonString)")
    }
  }

  /// Prices and ratings look like some: a part of the numbers has a fraction, none has an exponent.
  @Test(arguments: [#"{"type":"number"}"#, #"{"type":"number","minimum":0,"maximum":1}"#])
  func numbersLookLikeThoseOfPeople(number: String) async throws {
    let schema = try GenerationSchema(jsonSchema: number)
    var texts: [String] = []
    for seed in UInt64(0)..<200 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      texts.append(try await session.respond(to: "How much?", schema: schema).content.jsonString)
    }
    let fractions = texts.count { $0.contains(".") }
    #expect((20...150).contains(fractions), "\(texts)")
    #expect(texts.allSatisfy { !$0.lowercased().contains("e") && $0.count < 20 }, "\(texts)")
  }

  /// What nothing bounds is what the types hold that read it.
  @Test func numbersFitIntoTheirTypes() async throws {
    let schema = try [Int].generationSchema.jsonSchema()
    #expect(!schema.contains("minimum"), "the schema says as little as before: \(schema)")
    for seed in UInt64(0)..<300 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      _ = try await session.respond(to: "Which?", generating: [Float].self).content
      _ = try await session.respond(to: "Which?", generating: [Int].self).content
      _ = try await session.respond(to: "Which?", generating: [Decimal].self).content
    }
  }

  @Test func grammarsKnowTheRangeOfInt() async throws {
    let schema = Int.generationSchema
    let grammar = try Grammar(jsonSchema: schema.grammarText(), options: .generation)
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    try matcher.accept(bytes: Array("922337203685477580".utf8))
    let digits = matcher.allowedTokens().tokens
    #expect(digits.contains(Int(UInt8(ascii: "7"))))
    #expect(!digits.contains(Int(UInt8(ascii: "8"))))
  }

  /// Whether a case is a word of the model's makes no difference, nor whether one begins another, or a text
  /// of the model's suits the field.
  @Test(arguments: [true, false]) func everyCaseOfAnEnumerationIsDrawn(fits: Bool) async throws {
    let names = [
      "tavern", "bridge", "mill", "day", "monday", "Lisbon", "two  words", "\"q\" \\", "",
    ]
    let place = DynamicGenerationSchema(name: "Place", anyOf: names)
    let trip = DynamicGenerationSchema(
      name: "Trip", properties: [.init(name: "city", schema: place)])
    let schema = try GenerationSchema(root: trip, dependencies: [])
    var counts: [String: Int] = [:]
    for seed in UInt64(0)..<450 {
      var model = SamplingLanguageModel(seed: seed)
      model.drawsFittingTexts = fits
      let content = try await LanguageModelSession(model: model).respond(
        to: "Where?", schema: schema
      ).content
      counts[try content.value(String.self, forProperty: "city"), default: 0] += 1
    }
    #expect(counts.count == names.count, "\(counts)")
    #expect(counts.values.allSatisfy { (20...90).contains($0) }, "\(counts)")
  }

  /// A limit that is no limit to the value changes nothing.
  @Test func casesAreDrawnWithinALimitToo() async throws {
    let schema = try GenerationSchema(jsonSchema: #"{"enum": ["tavern", "bridge", "mill"]}"#)
    var texts: Set<String> = []
    for seed in UInt64(0)..<40 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let options = GenerationOptions(maximumResponseTokens: 100)
      texts.insert(
        try await session.respond(to: "Where?", schema: schema, options: options).content.jsonString
      )
    }
    #expect(texts.count == 3)
  }

  /// Long lists of long texts, and one text of many bytes: token by token the last took 20 seconds.
  @Test func casesMayBeManyAndLong() async throws {
    let names = (0..<200).map { "Country number \($0) of a long list of countries" }
    let country = DynamicGenerationSchema(name: "Country", anyOf: names)
    let text = String(repeating: "never ", count: 1_000)
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Trip",
        properties: [
          .init(
            name: "countries",
            schema: DynamicGenerationSchema(
              arrayOf: country, minimumElements: 20, maximumElements: 20)),
          .init(
            name: "terms",
            schema: DynamicGenerationSchema(type: String.self, guides: [.constant(text)])),
        ]), dependencies: [])
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
    let content = try await session.respond(to: "Where?", schema: schema).content
    #expect(Set(try content.value([String].self, forProperty: "countries")).count > 10)
    #expect(try content.value(String.self, forProperty: "terms") == text)
  }

  private static let expression = ##"""
    {"anyOf": [
      {"type": "object", "required": ["type", "value"], "additionalProperties": false,
       "properties": {"type": {"const": "number"}, "value": {"type": "integer"}}},
      {"type": "object", "required": ["type", "value", "value1"], "additionalProperties": false,
       "properties": {"type": {"const": "add"}, "value": {"$ref": "#"}, "value1": {"$ref": "#"}}},
      {"type": "object", "required": ["type", "value"], "additionalProperties": false,
       "properties": {"type": {"const": "negate"}, "value": {"$ref": "#"}}}]}
    """##

  /// A type that contains itself once or twice does not go on until it is cut off.
  @Test(arguments: [
    expression,
    ##"{"type": "object", "required": ["list"], "additionalProperties": false, "##
      + ##""properties": {"list": {"type": "array", "items": {"$ref": "#"}}}}"##,
  ])
  func valuesOfRecursiveTypesAreShort(text: String) async throws {
    let schema = try GenerationSchema(jsonSchema: text)
    var lengths: [Int] = []
    for seed in UInt64(0)..<100 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "Which?", schema: schema).content
      lengths.append(content.jsonString.utf8.count)
    }
    #expect(lengths.max() ?? 0 < 2_000, "\(lengths)")
    #expect(Set(lengths).count > 3, "\(lengths)")
  }

  /// Lists below other values have elements about as often as lists at the root.
  @Test func listsWithinValuesHaveElements() async throws {
    let schema = try GenerationSchema(
      jsonSchema: #"""
        {"type": "object", "required": ["people"], "properties": {"people": {"type": "array",
         "minItems": 1, "maxItems": 2, "items": {"type": "object", "required": ["bag", "friends"],
         "properties": {"bag": {"type": "array", "items": {"enum": ["lamp", "rope"]}},
          "friends": {"type": "array", "items": {"type": "string"}}}}}}}
        """#)
    var emptyCount = 0
    var count = 0
    for seed in UInt64(0)..<100 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "Who?", schema: schema).content
      for person in try content.value([GeneratedContent].self, forProperty: "people") {
        for name in ["bag", "friends"] {
          count += 1
          let list = try person.value([String].self, forProperty: name)
          emptyCount += list.isEmpty ? 1 : 0
          #expect(list.count < 20)
        }
      }
    }
    #expect(emptyCount * 10 < count * 8 && emptyCount * 10 > count, "\(emptyCount) of \(count)")
  }

  private func expectTexts(of schema: GenerationSchema, atMost most: Int) async throws {
    for seed in UInt64(0)..<20 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let text = try await session.respond(to: "Which?", schema: schema).content.value(String.self)
      #expect(text.count <= most, "seed \(seed): \(text.prefix(100))")
    }
  }

  /// The draw seldom meets the one character that leads on.
  @Test(arguments: [
    #"^\\d+\\.\\d+\\.\\d+$"#, #"^\\d+\\.\\d+$"#, #"^[^/]+/[^/]+$"#, #"^[A-Za-z ]+: [0-9]+$"#,
    #"^v\\d+\\.\\d+\\.\\d+(-[a-z]+)?$"#,
  ])
  func stringsOfAPatternAreShort(pattern: String) async throws {
    let schema = try GenerationSchema(jsonSchema: #"{"type":"string","pattern":"\#(pattern)"}"#)
    try await expectTexts(of: schema, atMost: 80)
  }

  /// A limit of the request is not a full context.
  @Test func aLimitBelowTheShortestValueIsSaidToBeOne() async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
    let error = await #expect(throws: LanguageModelError.self) {
      _ = try await session.respond(
        to: "Who?", generating: Person.self, options: GenerationOptions(maximumResponseTokens: 2))
    }
    #expect(error?.recoverySuggestion == "Raise 'maximumResponseTokens'.")
    #expect(error?.userMessage.key == "answerLacksRoom")
  }

  /// The error says which keywords leave no value.
  @Test func contradictingGuidesAreNamed() async throws {
    let schema = try GenerationSchema(
      jsonSchema: #"{"type":"object","required":["age"],"#
        + #""properties":{"age":{"type":"integer","minimum":5,"maximum":3}}}"#)
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
    let error = await #expect(throws: LanguageModelError.self) {
      _ = try await session.respond(to: "Who?", schema: schema)
    }
    #expect(error.map { "\($0)" }?.contains("#/properties/age") == true)
  }

  /// Strings that no sentence may stand in are short all the same.
  @Test(arguments: ["uri", "iri", "email", "idn-email"])
  func stringsOfAFormatAreShort(format: String) async throws {
    let schema = try GenerationSchema(jsonSchema: #"{"type":"string","format":"\#(format)"}"#)
    try await expectTexts(of: schema, atMost: 48)
  }

  /// Formats allow more than the parsers of apps read: a `t` in lower case, offsets of 19 hours.
  @Test func timesAreWhatAppsRead() async throws {
    let schema = try GenerationSchema(
      jsonSchema: """
        {"type": "object", "required": ["at", "end", "id", "code"], "properties": {
         "at": {"type": "string", "format": "date-time"}, "end": {"type": "string", "format": "date"},
         "id": {"type": "string", "format": "uuid"}, "code": {"type": "string", "maxLength": 6}}}
        """)
    for seed in UInt64(0)..<20 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "When?", schema: schema).content
      let date = try Date(content.value(String.self, forProperty: "at"), strategy: .iso8601)
      #expect(date.formatted(.iso8601) > "2026-01-01" && date.formatted(.iso8601) < "2027")
      let end = try content.value(String.self, forProperty: "end")
      #expect(end > date.formatted(.iso8601) && end.count == 10, "seed \(seed): \(end)")
      #expect(UUID(uuidString: try content.value(String.self, forProperty: "id")) != nil)
      let code = try content.value(String.self, forProperty: "code")
      #expect(code.allSatisfy { !$0.isNumber }, "seed \(seed): \(code)")
    }
  }

  /// An object that does not say so allows any other member: a sample has those that it speaks of.
  @Test func openObjectsHaveTheMembersTheyDeclare() async throws {
    let schema = try GenerationSchema(
      jsonSchema: """
        {"type": "object", "required": ["name"], "properties": {
         "name": {"type": "string"}, "code": {"type": "string", "pattern": "^[A-Z]{2,4}$"},
         "address": {"type": "object", "properties": {"city": {"type": "string"}}}}}
        """)
    var keys: Set<String> = []
    for seed in UInt64(0)..<20 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      let content = try await session.respond(to: "Who?", schema: schema).content
      guard case .structure(let members, _) = content.kind else {
        Issue.record("seed \(seed): \(content.jsonString)")
        continue
      }
      keys.formUnion(members.keys)
      if case .structure(let inner, _) = members["address"]?.kind { keys.formUnion(inner.keys) }
    }
    #expect(keys == ["name", "code", "address", "city"])
  }

  /// Where others are asked for they come.
  @Test func membersThatAreAskedForComeUndeclared() async throws {
    let schema = try GenerationSchema(
      jsonSchema: #"{"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 3}"#)
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
    let content = try await session.respond(to: "What?", schema: schema).content
    guard case .structure(let members, _) = content.kind else {
      Issue.record("\(content.jsonString)")
      return
    }
    #expect(members.count >= 3)
  }

  @Test func sameSeedSameBytes() async throws {
    func draw(_ seed: UInt64) async throws -> String {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      return try await session.respond(to: "Who?", schema: Person.generationSchema)
        .rawContent.jsonString
    }
    #expect(try await draw(5) == draw(5))
    #expect(try await draw(5) != draw(6))
  }

  @Test(arguments: [20, 40, 80]) func endsWithinTheBudget(limit: Int) async throws {
    for seed in UInt64(0)..<10 {
      let session = LanguageModelSession(
        model: SamplingLanguageModel(seed: seed, typicalStringLength: 400))
      let response = try await session.respond(
        to: "Who?", generating: Person.self,
        options: GenerationOptions(maximumResponseTokens: limit))
      #expect(response.usage.output.totalTokenCount <= limit, "seed \(seed)")
    }
  }

  /// A budget that no value fits into is an error that says how much is needed, as of a real model.
  @Test(arguments: [0, 1, 5]) func budgetBelowTheShortestValueIsAnError(limit: Int) async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 1))
    var text = ""
    let error = await #expect(throws: LanguageModelError.self) {
      let stream = session.streamResponse(
        to: "Who?", generating: Person.self,
        options: GenerationOptions(maximumResponseTokens: limit))
      for try await snapshot in stream { text = snapshot.rawContent.jsonString }
    }
    #expect(text.isEmpty)
    guard case .contextSizeExceeded(let payload) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    // The limit is that of the request: the model itself has room.
    #expect(payload.tokenCount > 5 && payload.tokenCount <= payload.contextSize)
    #expect(payload.debugDescription.contains("the response may have \(limit)."))
  }

  /// A value under several negations is whole, or its limit is an error: it is never half a value.
  @Test(arguments: [nil, 40] as [Int?]) func valueUnderNegationsIsWholeOrALimit(limit: Int?)
    async throws
  {
    let schema = try GenerationSchema(
      jsonSchema: #"""
        {"type": "object", "maxProperties": 1, "propertyNames": {"pattern": "^(\\w\\w\\d)+$"}, "allOf": [
          {"not": {"propertyNames": {"not": {"pattern": "a5b"}}}},
          {"not": {"propertyNames": {"not": {"pattern": "b7c"}}}},
          {"not": {"propertyNames": {"not": {"pattern": "c9a"}}}}
        ]}
        """#)
    for seed in UInt64(0)..<4 {
      let session = LanguageModelSession(model: SamplingLanguageModel(seed: seed))
      do {
        let content = try await session.respond(
          to: "Which?", schema: schema, options: GenerationOptions(maximumResponseTokens: limit)
        ).content
        #expect(content.isComplete, "seed \(seed): \(content.jsonString)")
      } catch LanguageModelError.contextSizeExceeded(let payload) {
        #expect(payload.contextSize == limit ?? 8_000)
      }
    }
  }

  @Test func streamsLookLikeAModels() async throws {
    let session = LanguageModelSession(model: SamplingLanguageModel(seed: 3))
    var count = 0
    for try await _ in session.streamResponse(to: "Who?", schema: Person.generationSchema) {
      count += 1
    }
    #expect(count > 5)
  }

  /// Nobody waits for a million characters, to be told then that there are too many.
  @Test(.timeLimit(.minutes(30))) func stringsThatAreTooLongAreToldAtOnce() async throws {
    let schema = try GenerationSchema(
      jsonSchema:
        #"{"type":"object","properties":{"a":{"type":"string","minLength":1000000000}},"required":["a"]}"#
    )
    let session = LanguageModelSession(model: SamplingLanguageModel())
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "", schema: schema)
    }
    #expect("\(error as Any)".contains("has 1000000000 characters at least"))
  }
}
