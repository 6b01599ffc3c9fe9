import ConstrainedDecoding
import Testing

@Suite struct NumberSpellingTests {
  /// Spellings of numbers where exponents are allowed: those of values in the set, and prefixes of
  /// no value in it.
  @Test(arguments: [
    (
      #"{"type":"integer","minimum":0,"maximum":100}"#,
      ["15", "150e-1", "1.5e1", "0.15E+2", "15.0", "1e2", "0e7", "10e00"],
      ["101", "157", "1.5e2", "-1", "12.3e0", "1e3", "102e"]
    ),
    (
      #"{"enum":[5,-70,0.25]}"#,
      ["5", "5e0", "0.5e1", "-7e1", "-0.7E2", "25e-2", "2.5e-1", "0.250"],
      ["7", "-5", "51", "2.6", "5e1", "26", "-70.01"]
    ),
    (
      #"{"exclusiveMinimum":3,"maximum":4}"#,
      ["4", "3.5", "35e-1", "0.0031e3", "30.5e-1"],
      ["5", "2", "0.7", "4.1", "35e1", "-"]
    ),
    (
      #"{"multipleOf":0.25,"minimum":1,"maximum":2}"#,
      ["1", "125e-2", "1.50", "0.175e1", "2.0"],
      ["3", "1.3", "13", "0.9", "125e-1"]
    ),
    (
      #"{"type":"number","maximum":-2.5}"#,
      ["-3", "-25e-1", "-1e1", "-0.1e2", "-0.001e9"],
      ["1", "0", "-1.0e-1", "-2.5e-1"]
    ),
    (
      // Found by a walk: zero stays zero, whatever its exponent.
      #"{"enum":[0]}"#,
      ["0", "-0E71664577365413915913365920123994251292238426108", "0.00e-999999999999999999"],
      ["1", "-1", "0.1", "00"]
    ),
  ])
  func prefixesAreRefusedAtOnce(schema: String, values: [String], refused: [String]) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .validation)
    for value in values {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: value.utf8)
      let canEnd = matcher.canEnd()
      #expect(canEnd, "\(value) under \(schema)")
    }
    for text in refused {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      #expect(throws: MatcherError.self, "\(text) under \(schema)") {
        try matcher.accept(bytes: text.utf8)
      }
    }
  }

  /// Numbers of more digits than machine integers hold, without exponents (found by a walk that came
  /// to a place from which no number ended).
  @Test(arguments: [
    (#"{"multipleOf":0.5}"#, [".5", ".50", "", ".0"], [".1", ".55", ".05"]),
    (#"{"multipleOf":0.3}"#, [".0", "", ".9"], [".1", ".50", ".31"]),
    (#"{"multipleOf":7,"type":"integer"}"#, ["0", "42", "7"], [".5", ".01"]),
    (
      #"{"allOf":[{"multipleOf":0.5},{"multipleOf":0.3}],"exclusiveMinimum":-3}"#,
      ["1.5", "0.0", "3"], ["0.3", "1.6"]
    ),
  ])
  func longNumbersAreRefusedAtOnce(schema: String, rests: [String], refused: [String]) throws {
    // A multiple of all of them and of ten.
    let long = String(repeating: "210", count: 16)
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    let isNegativeAllowed = !schema.contains("Minimum")
    for sign in isNegativeAllowed ? ["", "-"] : [""] {
      for rest in rests {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        try matcher.accept(bytes: (sign + long + rest).utf8)
        let canEnd = matcher.canEnd()
        #expect(canEnd, "\(sign + long + rest) under \(schema)")
      }
      for rest in refused {
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        #expect(throws: MatcherError.self, "\(sign + long + rest) under \(schema)") {
          try matcher.accept(bytes: (sign + long + rest).utf8)
        }
      }
    }
  }

  @Test func multiplesThatAreTooLargeTogetherAreAnError() {
    let error = BadInputTests.error(
      #"{"type":"number","minimum":1,"allOf":[{"multipleOf":100000000000000000003},{"multipleOf":100000000000000000007}]}"#
    )
    #expect(error?.diagnostics.first?.keyword == "multipleOf")
  }
}
