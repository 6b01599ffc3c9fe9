// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

/// What is wrong, huge or contradictory gets an error or an answer in bounded time and memory.
@Suite(.computesForLong, .timeLimit(.minutes(30))) struct BadInputTests {
  static func error(_ schema: String, _ options: CompilationOptions = .generation) -> GrammarError?
  {
    do {
      _ = try Grammar(jsonSchema: schema, options: options)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Texts that are no schemas

  @Test(arguments: [
    "", " ", "{", "{\"type\"", "{\"type\":}", "{\"type\":\"string\",}", "[1,2", "tru", "\"a", "{]",
    "{\"a\":1}}", "\u{0}", "{\"type\":\"str\\xing\"}", "nul", "01", "{'type':'string'}",
  ])
  func malformedJSONIsAnErrorWithItsPlace(text: String) throws {
    let error = try #require(Self.error(text))
    #expect(error.diagnostics.count == 1)
    #expect(error.description.contains("byte"), "\(error)")
  }

  /// Every prefix and many single-byte changes of a schema compile or are an error; none traps.
  @Test func damagedSchemasNeverTrap() {
    let schema = Array(StreamValidatorTests.person.utf8)
    for end in 0..<schema.count {
      _ = Self.error(String(decoding: schema[..<end], as: UTF8.self))
    }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var damaged = schema
      damaged[Int.random(in: schema.indices, using: &generator)] = .random(
        in: 0x20...0x7E, using: &generator)
      _ = Self.error(String(decoding: damaged, as: UTF8.self))
    }
  }

  // MARK: References

  @Test func unresolvableReferencesAreNamed() throws {
    let error = try #require(
      Self.error(
        ##"{"properties":{"a":{"$ref":"#/$defs/none"},"b":{"$ref":"other.json"}}}"##))
    #expect(error.diagnostics.count == 2, "\(error)")
    #expect(error.description.contains("#/properties/a"))
    #expect(error.description.contains("other.json"))
  }

  @Test(arguments: [
    ##"{"$ref":"#"}"##,
    ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ##"{"allOf":[{"anyOf":[{"$ref":"#"}]}]}"##,
  ])
  func circularReferencesAreAnError(schema: String) throws {
    let error = try #require(Self.error(schema))
    #expect(error.diagnostics.contains { $0.keyword == "$ref" }, "\(error)")
  }

  // MARK: Contradictions

  @Test(arguments: [
    (#"{"type":"integer","minimum":5,"maximum":3}"#, "minimum"),
    (#"{"type":"string","minLength":5,"maxLength":3}"#, "minLength"),
    (#"{"type":"array","minItems":5,"maxItems":3}"#, "minItems"),
    (#"{"type":"object","minProperties":5,"maxProperties":3}"#, "minProperties"),
    (
      #"{"type":"object","required":["a"],"properties":{"a":{"type":"number","exclusiveMinimum":1,"maximum":1}}}"#,
      "exclusiveMinimum"
    ),
    (#"{"allOf":[{"type":"string"},{"type":"number"}]}"#, "type"),
    (#"{"type":"object","required":["a"],"properties":{"a":false}}"#, ""), ("false", ""),
  ])
  func contradictionsAreAnErrorWhereTextIsToBeWritten(schema: String, keyword: String) throws {
    let error = try #require(Self.error(schema))
    #expect(error.diagnostics.first?.keyword == keyword, "\(error)")
    // Text that others wrote is judged: nothing satisfies the schema, which is no fault of the text.
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    #expect(!grammar.warnings.isEmpty)
    var validator = StreamValidator(grammar: grammar)
    guard case .violated = validator.append("{}") else {
      Issue.record("expected a violation")
      return
    }
  }

  // MARK: Patterns

  @Test(arguments: [
    "(a+)+$", "(a|a)*b", "(a|aa)+$", "([a-zA-Z]+)*$", "(.*)*(.*)*(.*)*x",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
  ])
  func catastrophicPatternsAreReadInLinearTime(pattern: String) throws {
    let grammar = try Grammar(
      jsonSchema: "{\"type\":\"string\",\"pattern\":\"\(pattern)\"}", options: .validation)
    var validator = StreamValidator(grammar: grammar)
    validator.append("\"" + String(repeating: "a", count: 100_000))
    #expect(validator.verdict == .possible)
    // Whether a match is among them depends on the pattern; that there is an answer does not.
    validator.append("!\"")
  }

  @Test(arguments: [
    "(a{1000}){1000}", "a{1000000000}", "(((a{99}){99}){99}){99}", "[", "(", "a**", "\\1",
    "(.*)\\1",
    "\\p{Nonsense}", "x{3,2}", "(?<=a$)", "(?<=\\ba)b",
  ])
  func patternsThatCannotBeHonouredAreErrors(pattern: String) throws {
    let escaped = pattern.replacing("\\", with: "\\\\")
    let error = try #require(
      Self.error("{\"type\":\"string\",\"pattern\":\"\(escaped)\"}"), "\(pattern)")
    #expect(error.diagnostics.first?.keyword == "pattern")
  }

  /// As a list, what may not follow would be 4,096 texts of 20,000 characters.
  @Test func longConditionsAreNotWrittenOut() throws {
    let choices = String(repeating: "(a|b)", count: 12)
    let rest = String(repeating: "c", count: 20_000)
    let grammar = try Grammar(
      jsonSchema: "{\"type\":\"string\",\"pattern\":\"^(?!\(choices)\(rest)$)\"}",
      options: .validation)
    for (text, isValid) in [("abbaabbaabba" + rest, false), ("abbaabbaabb" + rest, true)] {
      var validator = StreamValidator(grammar: grammar)
      validator.append("\"\(text)\"")
      #expect((validator.verdict == .complete) == isValid)
    }
  }

  @Test func patternsNestedDeeplyAreErrors() throws {
    for unit in [("(", ")"), ("(?:", ")"), ("(?=", ")")] {
      let pattern =
        String(repeating: unit.0, count: 100_000) + "a" + String(repeating: unit.1, count: 100_000)
      let error = try #require(Self.error("{\"pattern\":\"\(pattern)\"}"))
      #expect(error.description.contains("nest"))
    }
  }

  /// The deterministic automaton of this pattern has 2^21 states; it is made as it is needed.
  @Test func patternsWithManyStatesAreReadLazily() throws {
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","pattern":"^(a|b)*a(a|b){20}$"}"#, options: .validation)
    var validator = StreamValidator(grammar: grammar)
    var generator = SeededGenerator(seed: 3)
    let text = String((0..<20_000).map { _ in Bool.random(using: &generator) ? "a" : "b" })
    validator.append("\"" + text + "a" + String(text.prefix(20)) + "\"")
    #expect(validator.verdict == .complete)
  }

  // MARK: Counts

  @Test(arguments: [
    #"{"type":"string","minLength":1000000000}"#, #"{"type":"string","maxLength":1000000000}"#,
    #"{"type":"array","minItems":1000000000}"#, #"{"type":"array","maxItems":1000000000}"#,
    #"{"type":"object","minProperties":1000000000}"#,
    #"{"type":"object","maxProperties":1000000000}"#,
    #"{"type":"array","contains":{"type":"null"},"minContains":1000000000}"#,
    #"{"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"maxItems":1000000000}"#,
    #"{"type":"string","pattern":"^a*$","minLength":1000000000}"#,
    #"{"type":"string","pattern":"^a*$","maxLength":1000000000}"#,
    #"{"type":"string","pattern":"^(ab)*$","minLength":999999999,"maxLength":999999999}"#,
    #"{"type":"array","minItems":1e300}"#,
    #"{"propertyNames":{"maxLength":1000000000}}"#,
  ])
  func hugeCountsCostNothing(schema: String) throws {
    for options in [CompilationOptions.generation, .validation] {
      guard let grammar = try? Grammar(jsonSchema: schema, options: options) else { continue }
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      for _ in 0..<64 {
        let mask = matcher.allowedTokens()
        guard let token = mask.tokens.last else { break }
        if token == 256 { break }
        do {
          try matcher.accept(token)
        } catch {
          // Lengths of keys are held by automata: so long a bound is a limit, and is said to be one.
          #expect(matcher.reachedLimit != nil, "\(error)")
          break
        }
      }
      _ = matcher.shortestCompletion()
      _ = matcher.allowedTokens(within: 50)
    }
  }

  // MARK: Numbers

  @Test(arguments: [
    #"{"enum":[1e999999999]}"#, #"{"enum":[1e-999999999]}"#, #"{"minimum":1e999999999}"#,
    #"{"minimum":1e400,"maximum":1e401,"type":"integer"}"#, #"{"multipleOf":1e-400}"#,
    #"{"multipleOf":1e400}"#, #"{"multipleOf":1e-999999999}"#,
    #"{"multipleOf":0.000000000000000000000000000000000000000000000001,"minimum":1,"maximum":2}"#,
    #"{"type":"integer","multipleOf":0.1,"exclusiveMinimum":-1e-999999999,"maximum":1e999999999}"#,
    #"{"const":1e99999999999999999999}"#,
    #"{"minimum":123456789012345678901234567890123456789012345678901234567890.5,"type":"integer"}"#,
  ])
  func hugeNumbersCostNothing(schema: String) throws {
    for options in [CompilationOptions.generation, .validation] {
      guard let grammar = try? Grammar(jsonSchema: schema, options: options) else { continue }
      for text in ["1e999999999", "-0.5", "1e-999999999", "17", "123456789012345678901234567890"] {
        var validator = StreamValidator(grammar: grammar)
        validator.append(text)
        validator.finish()
      }
    }
  }

  // MARK: Depth

  @Test func schemasNestedDeeplyAreErrors() throws {
    for (open, close) in [
      ("{\"not\":", "}"), ("{\"items\":", "}"), ("[", "]"), ("{\"allOf\":[", "]}"),
    ] {
      let text =
        String(repeating: open, count: 100_000) + "{}" + String(repeating: close, count: 100_000)
      let error = try #require(Self.error(text))
      #expect(error.description.contains("levels"), "\(error)")
    }
  }

  /// A call for each byte of a name would need more stack than there is.
  @Test(arguments: [
    ##"{"properties":{"@":{"const":1}},"required":["@"],"additionalProperties":false}"##,
    ##"{"properties":{"@":{"const":1},"@b":{}},"required":["@"]}"##,
    ##"{"const":{"@":1}}"##, ##"{"minProperties":1,"dependentRequired":{"@":["b"]}}"##,
  ])
  func namesMayBeLong(template: String) throws {
    let name = String(repeating: "a", count: 200_000)
    let schema = ##"{"type":"object","allOf":["## + template.replacing("@", with: name) + "]}"
    for options in [CompilationOptions.generation, .validation] {
      let grammar = try Grammar(jsonSchema: schema, options: options)
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: Array("{\"".utf8))
      #expect(matcher.allowedTokens().contains(Int(UInt8(ascii: "a"))))
      var validator = StreamValidator(grammar: grammar)
      validator.append("{\"" + name.prefix(100))
      #expect(validator.verdict == .possible)
      #expect(!matcher.shortestCompletion().isEmpty)
    }
  }

  @Test func chainsOfReferencesAreErrorsOrCompile() {
    // A sanitizer takes longer than the limit of time, which is not what is asked here.
    var options = CompilationOptions.generation
    options.limits.compileTime = .seconds(600)
    for template in [
      ##"{"$ref":"#/$defs/d@"}"##, ##"{"allOf":[{"$ref":"#/$defs/d@"}]}"##,
      ##"{"type":"object","properties":{"a":{"$ref":"#/$defs/d@"}},"required":["a"]}"##,
      ##"{"type":"array","items":{"$ref":"#/$defs/d@"},"minItems":1}"##,
      ##"{"not":{"$ref":"#/$defs/d@"}}"##,
    ] {
      let count = 1_000
      var definitions: [String] = []
      for index in 0..<count {
        let next = template.replacing("@", with: "\(index + 1)")
        definitions.append("\"d\(index)\":\(index == count - 1 ? "{\"type\":\"null\"}" : next)")
      }
      let schema =
        ##"{"$ref":"#/$defs/d0","$defs":{"## + definitions.joined(separator: ",") + "}}"
      if let error = Self.error(schema, options) {
        #expect(error.description.contains("levels"), "\(error.description.prefix(300))")
      }
    }
  }

  @Test func valuesNestedDeeplyAreRead() throws {
    let depth = 100_000
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      var validator = try StreamValidator(jsonSchema: "{}")
      validator.append(String(repeating: open, count: depth))
      #expect(validator.verdict == .possible)
      validator.append("1" + String(repeating: close, count: depth))
      #expect(validator.verdict == .complete)
      var refused = try StreamValidator(jsonSchema: "{}")
      refused.append(String(repeating: open, count: depth) + "x")
      guard case .violated(let violation) = refused.verdict else {
        Issue.record("expected a violation")
        continue
      }
      #expect(violation.offset == depth * open.utf8.count)
      var matcher = Matcher(
        grammar: try Grammar(jsonSchema: "{}", options: .validation), vocabulary: .singleBytes)
      try matcher.accept(bytes: String(repeating: open, count: depth).utf8)
      #expect(matcher.allowedTokens().count > 0)
      #expect(matcher.shortestCompletion().count >= depth)
    }
  }

  // MARK: Breadth

  @Test func wideSchemasCompile() throws {
    let properties = (0..<1_000).map { "\"p\($0)\":{\"type\":\"integer\"}" }
    let names = (0..<1_000).map { "\"p\($0)\"" }.joined(separator: ",")
    let schema =
      "{\"type\":\"object\",\"properties\":{\(properties.joined(separator: ","))},\"required\":[\(names)]}"
    var validator = try StreamValidator(jsonSchema: schema)
    validator.append(#"{"p999":1,"p3":"#)
    #expect(validator.verdict == .possible)
    var listed = try StreamValidator(jsonSchema: "{\"enum\":[\(names)]}")
    listed.append(#""p123""#)
    #expect(listed.verdict == .complete)
  }

  @Test func wideValuesAreRead() throws {
    var validator = try StreamValidator(jsonSchema: "{}")
    validator.append("{" + (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ","))
    #expect(validator.verdict == .possible)
    validator.append(",\"k17\"")
    guard case .violated = validator.verdict else {
      Issue.record("a repeated key is refused")
      return
    }
    var unique = try StreamValidator(jsonSchema: #"{"uniqueItems":true}"#)
    unique.append("[" + (0..<5_000).map { "\"k\($0)\"" }.joined(separator: ",") + "]")
    #expect(unique.verdict == .complete)
  }
}
