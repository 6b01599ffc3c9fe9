// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import TestSupport
import Testing

@Suite(.computesForLong) struct MaskTests {
  /// A vocabulary whose tokens cross every boundary that JSON has: quotes, escapes, white space,
  /// UTF-8 sequences, several values.
  static let vocabulary: Vocabulary = {
    var tokens = (0..<256).map { [UInt8($0)] }
    let pieces = [
      "\"", "{", "}", "[", "]", ":", ",", " ", "\n", "\\", "\\u", "\\u00", "a", "ab", "b", "1",
      "12",
      "-", ".", "e", "true", "null", "é", "\u{1F600}", "x\"", "\":", "\", \"", "\":\"", "\"a\":",
    ]
    for first in pieces {
      for second in pieces { tokens.append(Array((first + second).utf8)) }
    }
    for first in ["\"", "\",", " ", "a"] {
      for second in pieces {
        for third in ["\"", "a", "\":", "}", "]"] {
          tokens.append(Array((first + second + third).utf8))
        }
      }
    }
    // White space beyond ASCII, and values that end with what is around them.
    for text in [
      "\u{3000}", "a\u{3000}b", "é\u{2028}", "\u{3000}a\"", "]}", "}}", "}]", "true]", "null}",
      "1]",
      "1}", "\"]}", "\"}}", "]],", "},{",
    ] {
      tokens.append(Array(text.utf8))
    }
    // Characters beyond ASCII that identifiers of resources leave out, and beginnings of them.
    for text in ["\u{80}", "a\u{E000}", "\u{FFFD}b", "é\u{85}", "\u{1FFFF}a", "\u{F0000}\""] {
      tokens.append(Array(text.utf8))
    }
    tokens += [[0xEF, 0xB7], [0xF3, 0xB0], [0x61, 0xF0, 0x9F, 0xBF], [0xEE, 0x80], [0xC2]]
    for text in ["abababab", "aaaaaaa", "aéaéaéaéa", "bbbb1bbb\"", " aba1bab"] {
      tokens.append(Array(text.utf8))
    }
    for text in ["a-b", ".a", "-a", "a.b-", "ab.ab", "@a", "a://", "?a=", "{a", "%4"] {
      tokens.append(Array(text.utf8))
    }
    tokens.append(Array("ab".utf8))
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }()

  static let schemas = few + ListingTests.schemas

  private static let few: [String] = [
    "{}", #"{"type":"string"}"#, #"{"type":"string","maxLength":3}"#,
    #"{"type":"string","minLength":2,"maxLength":4}"#, #"{"type":"string","pattern":"^a+b?$"}"#,
    #"{"type":"string","pattern":"a.b","maxLength":5}"#, #"{"enum":["a","ab","b\"","é",1,null]}"#,
    #"{"type":"integer","minimum":-3,"maximum":120}"#, #"{"type":"number","multipleOf":0.5}"#,
    #"{"type":"object","properties":{"a":{"type":"string"},"ab":{"type":"integer"}}}"#,
    #"{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["b"],"additionalProperties":false}"#,
    #"{"type":"object","patternProperties":{"^a":{"type":"integer"}},"additionalProperties":false}"#,
    #"{"type":"object","additionalProperties":{"type":"string"},"minProperties":1,"maxProperties":2}"#,
    #"{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":["string","null"],"maxLength":0},"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"string","pattern":"a|b","maxLength":1},"uniqueItems":true}"#,
    #"{"type":"object","patternProperties":{"^[0-9]{3}$":{"const":1}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"const":1}},"propertyNames":{"maxLength":1}}"#,
    #"{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3}"#,
    #"{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"b":{"pattern":"a"}}},"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"string","pattern":"^[ab]{1,3}$"},"uniqueItems":true}"#,
    #"{"type":"object","properties":{"ab":{"minimum":7,"maximum":1300},"b":{"exclusiveMaximum":-2.5}},"patternProperties":{"b$":{"type":"string"}}}"#,
    #"{"enum":[5,-70,0.25]}"#, #"{"type":"integer","minimum":13,"maximum":24}"#,
    #"{"exclusiveMinimum":3,"maximum":4,"multipleOf":0.5}"#,
    #"{"type":"array","contains":{"const":1},"items":{"type":["integer","string"]}}"#,
    #"{"anyOf":[{"type":"object","required":["a"]},{"type":"array","items":{"type":"boolean"}}]}"#,
    #"{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"enum":["b",1]}}}]}"#,
    #"{"not":{"type":"object","properties":{"a":{"const":1}},"required":["a"]}}"#,
    #"{"type":"object","propertyNames":{"maxLength":2},"additionalProperties":{"type":"null"}}"#,
    #"{"type":"string","pattern":"^\\S+(\\s\\S+){0,2}$"}"#, #"{"type":"string","pattern":"^a.*$"}"#,
    // Characters that a pattern counts.
    #"{"type":"string","pattern":"^[a-z]{6}$"}"#,
    #"{"type":"string","pattern":"^([a-z]{2,3}-){1,2}[a-zA-Z0-9]{3}$"}"#,
    #"{"type":"string","pattern":"^[^x]{0,5}$"}"#, #"{"type":"string","pattern":"^.{3}\\s.{2,}$"}"#,
    #"{"type":"array","items":{"not":{"const":"a"},"type":"string"},"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"object","properties":{"a":{"type":"array","items":{"type":["integer","boolean"]}}}}}"#,
    // One key that leads two ways: its value may make the negated branch true, or not.
    #"{"type":"array","items":{"type":"object","not":{"additionalProperties":{"type":"string"}}}}"#,
    #"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":["null","string"]}},"additionalProperties":false}},"required":["a"]}"#,
    // Names and strings that must be escaped, or start beyond ASCII.
    #"{"type":"object","properties":{"a\"b":{},"é":{"type":"null"},"a\\":{"const":"\"a\\"}},"additionalProperties":false}"#,
    #"{"type":"array","items":{"enum":["/a","a\nb","\"","éa","ab"]}}"#,
    // Strings of bounded length, and by a pattern, that open within a token.
    #"{"type":"object","properties":{"a":{"type":"string","minLength":1,"maxLength":2},"b":{"type":"string","pattern":"^[ab]+$"}}}"#,
    #"{"type":"array","items":{"type":"object","patternProperties":{"^a[ab]?$":{"type":"string","minLength":2}},"additionalProperties":false}}"#,
    // Strings and keys that few characters change anything about, at the start more than later.
    #"{"type":"string","not":{"pattern":"b"}}"#,
    #"{"type":"string","pattern":"^[^a]*(a[^b]*)?$"}"#,
    #"{"type":"string","pattern":"^1?[^1eé]*$"}"#,
    #"{"type":"object","propertyNames":{"not":{"pattern":"a.*b|b.*a"}},"additionalProperties":{"type":"null"}}"#,
    #"{"type":"object","patternProperties":{"a":{"type":"null"},"b":{"const":1}},"required":["e"]}"#,
    // Given strings of which some are excluded, with characters that must be escaped.
    #"{"type":"array","items":{"enum":["a","ab","b","a\"b","é","éa",1,"\\","12"]},"uniqueItems":true}"#,
    #"{"type":"string","enum":["a","ab","b","a\"b","abb"],"not":{"enum":["ab","b","x"]}}"#,
    #"{"type":"object","properties":{"a":{"enum":["ab","a"]},"ab":{"enum":["\"","é\"b"]}},"required":["ab"],"additionalProperties":false}"#,
    // Subschemas that say the same, some of which lead back to themselves.
    ##"{"$defs":{"n":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/m"}},"additionalProperties":false},"m":{"type":"object","properties":{"a":{"$ref":"#/$defs/m"},"b":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/m"},"ab":{"enum":[1,"a"]},"ba":{"enum":["a",1]}}}"##,
    // An end before a start: the empty string alone, and nothing after what was read.
    #"{"type":"string","pattern":"^a$|$^|b(?=$)"}"#, #"{"type":"string","pattern":"^b|a$^"}"#,
    // Formats, of which some leave out what is unusual beyond ASCII, and some count.
    #"{"type":"string","format":"iri"}"#, #"{"type":"string","format":"uri-template"}"#,
    #"{"type":"array","items":{"format":"idn-email","type":"string"},"uniqueItems":true}"#,
    #"{"type":"object","properties":{"a":{"type":"string","format":"email"},"ab":{"type":"string","format":"date-time"}},"required":["a","ab"],"additionalProperties":false}"#,
    ##"{"type":"string","pattern":"^[^\\u0080-\\u009f\"]*$"}"##,
    #"{"type":"string","pattern":"^[a-z]{1,5}(-[a-z]{1,3})*(\\.[a-z\\u{E000}]{2,4})?$"}"#,
    #"{"type":"object","patternProperties":{"^[^a\\uE000-\\uF8FF]":{"type":"integer"},"^é":{"minimum":2}},"additionalProperties":false}"#,
    // Texts and keys that are searched through: hardly a character leaves the state as it is.
    #"{"type":"string","pattern":"[a-f0-9]{3}"}"#, #"{"type":"string","pattern":"ab1|[a-z]-"}"#,
    #"{"type":"string","pattern":"^.*\\.a$"}"#, #"{"type":"string","pattern":"^\\S*a\\S?$"}"#,
    #"{"type":"string","pattern":"[a-z]+b","maxLength":6}"#,
    #"{"type":"string","pattern":"ab","not":{"pattern":"b$"}}"#,
    #"{"type":"object","patternProperties":{"ab|b1":{"type":"null"}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"ab":{"const":1}},"patternProperties":{"^a.*b$":{"const":2}},"additionalProperties":false}"#,
    #"{"type":"object","patternProperties":{"a[ab]b":{"type":"null"},"^b":{"const":3}}}"#,
    #"{"type":"object","patternProperties":{"a.b":false,"^ab":{"const":3}},"additionalProperties":{"const":4}}"#,
    // Several things asked of one string, over which it can go on for ever, with bounds that long
    // tokens exceed.
    #"{"type":"string","format":"uri","pattern":"^a:.*b$"}"#,
    #"{"type":"string","format":"uri","pattern":"^a:.*b$","minLength":5,"maxLength":9}"#,
    #"{"type":"string","pattern":"a","not":{"pattern":"^b"},"allOf":[{"pattern":"b$"}]}"#,
    #"{"type":"string","allOf":[{"pattern":"a.*1"},{"pattern":"b"}],"maxLength":7}"#,
    #"{"type":"string","pattern":"[A-z]+","minLength":3,"maxLength":8}"#,
    #"{"type":"string","pattern":"a1","minLength":4}"#,
    // Lengths that a pattern and bounds both count.
    #"{"type":"string","pattern":"^[ab]{2,4}$","minLength":2,"maxLength":4}"#,
    #"{"type":"string","pattern":"^[ab]{2,4}$","minLength":3,"maxLength":9}"#,
    #"{"type":"string","pattern":"$^|^ab$","maxLength":2}"#,
    #"{"type":"string","pattern":"^[aé\u3000]{1,40}$"}"#,
    #"{"type":"string","pattern":"^[aé]{33}$","maxLength":35}"#,
    #"{"type":"array","items":{"type":"string","pattern":"^[aé1]{32,}$"},"uniqueItems":true}"#,
    // Conditions on the start of a text, some of which are lists.
    #"{"type":"string","pattern":"^(?!(?:a|ab)$)[a-z]+$"}"#,
    #"{"type":"string","pattern":"^(?!(?:a|ab)$)[a-z]+$","minLength":2,"maxLength":5}"#,
    #"{"type":"string","pattern":"^(?=.*a)(?=.*1).{2,6}$"}"#,
    #"{"type":"string","pattern":"^(?!a)(?=\\w+-?)[^1]*$"}"#,
    #"{"type":"object","patternProperties":{"^(?!(ab|b)$)[ab]+$":{"type":"null"}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"ab":{"const":1}},"patternProperties":{"^(?!b$)[a-z]":{"type":"null"}},"additionalProperties":{"const":2}}"#,
    // Keys of which some patterns decide, beside declared names, one with an escape.
    #"{"type":"object","properties":{"b":{"const":1},"\"e":{"const":2}},"patternProperties":{"^a1":{"type":"null"},"^e":{"const":3}},"additionalProperties":false,"maxProperties":2}"#,
    #"{"type":"object","patternProperties":{"^a":{"const":1},"b$":{"const":2},"^[^ab]{2}$":{"type":"null"}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"aé":{"const":1}},"patternProperties":{"^[aé]{1,3}$":{"maximum":12},"^x":false},"additionalProperties":false,"minProperties":2}"#,
    #"{"type":"object","patternProperties":{"^a":true,"b":false},"additionalProperties":false}"#,
    // Keys that none goes on from, so that they could only be repeated, beside declared ones.
    #"{"type":"object","patternProperties":{"^x*[abé\"]$":{"const":1}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"const":1},"b":{}},"patternProperties":{"^x*[ab1]$":{"const":1}},"additionalProperties":false}"#,
    #"{"type":"object","patternProperties":{"^x*(ab|b1)$":{"const":1},"^x*a":{"maximum":3}},"additionalProperties":false,"minProperties":2}"#,
    #"{"type":"object","patternProperties":{"^1*[ab]$":{"patternProperties":{"^e*[ab]$":{"const":1}},"additionalProperties":false}},"additionalProperties":false}"#,
    #"{"type":"object","patternProperties":{"^[abe12]{3,4}$":{"const":1}},"additionalProperties":false,"not":{"propertyNames":{"pattern":"^a"}}}"#,
    #"{"type":"object","properties":{"a1":{"const":1}},"patternProperties":{"^[ab][12]e?$":{"const":1},"^e":{"const":2}},"additionalProperties":false}"#,
    // Lists that are asked for together.
    #"{"type":"object","properties":{"a":{"enum":["a","b","e"]},"b":{"enum":["1","a"]}},"additionalProperties":false,"oneOf":[{"properties":{"a":{"enum":["a","ab"]},"b":{"const":"1"}}},{"properties":{"a":{"enum":["b","ab",1]},"b":{"not":{"const":"1"}}}}]}"#,
    #"{"type":"object","properties":{"a":{"type":"string","enum":["a","e",1,null]}},"required":["a"],"not":{"properties":{"a":{"enum":["a","b"]}}}}"#,
    #"{"type":"string","pattern":"^[ab]*$","not":{"enum":["","a","ab"]}}"#,
    // What is repeated at least once.
    #"{"type":"string","pattern":"^(a|ab)+b$"}"#, #"{"type":"string","pattern":"^(a*b?)+1$"}"#,
    #"{"type":"string","pattern":"^([ab]{2,}-){2,}$"}"#,
    // Members of which it is decided later which branch they belong to.
    #"{"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"properties":{"a":{"enum":[1,"a"]},"b":{"enum":["a","b"]}}},{"properties":{"a":{"enum":["a","b"]},"b":{"enum":["b"]}}}],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{},"b":{},"ab":{}},"additionalProperties":false,"anyOf":[{"required":["a"],"properties":{"b":{"const":1}}},{"properties":{"ab":{"const":2},"b":{"const":2}},"minProperties":2}]}"#,
    // Numbers that differ from earlier ones, or from listed ones.
    #"{"type":"array","items":{"type":"integer","minimum":1},"uniqueItems":true}"#,
    #"{"type":"array","items":{"type":"number","minimum":0.01,"multipleOf":0.01},"uniqueItems":true}"#,
    #"{"type":"number","not":{"enum":[12,0.5,-1]}}"#, #"{"type":"integer","exclusiveMinimum":1}"#,
    #"{"type":"number","multipleOf":0.1,"exclusiveMinimum":0.1}"#,
    // Numbers between bounds, and listed ones.
    #"{"type":"number","minimum":0.25,"maximum":2}"#,
    #"{"type":"number","exclusiveMaximum":-0.05}"#,
    #"{"enum":[0.5,-12,100,3e21,"ab"]}"#, #"{"type":"string","format":"hostname"}"#,
    // Members of which no value is left, and one that only looks so.
    ##"{"$defs":{"x":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/x"}}}},"properties":{"a":{"allOf":[{"type":"string"},{"type":"integer"}]},"ab":{"$ref":"#/$defs/x"},"b":{"type":["object","null"],"required":["a"],"properties":{"a":false}}},"additionalProperties":false}"##,
  ]

  static let policies: [CompilationOptions] = {
    var flexible = CompilationOptions.validation
    flexible.propertyOrder = .declared
    var bounded = CompilationOptions.generation
    bounded.whitespace = .bounded(2)
    var spaced = CompilationOptions.generation
    spaced.whitespace = .spaced
    return [.generation, .validation, flexible, bounded, spaced]
  }()

  /// A vocabulary in which some texts have very many others below them.
  static let wideVocabulary: Vocabulary = {
    var tokens = (0..<256).map { [UInt8($0)] }
    let characters = Array("abz-9".utf8)
    for first in ["-", ".", " ", "é", "\"", "a\"", "\","] {
      var texts = [Array(first.utf8)]
      for _ in 0..<4 {
        texts = texts.flatMap { text in characters.map { text + [$0] } }
        tokens += texts
      }
    }
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }()

  @Test(arguments: [
    #"{"type":"string","pattern":"^[a-z]{1,3}([.-][a-z9]{1,3})*$"}"#,
    #"{"type":"string","format":"email"}"#,
    #"{"type":"string","pattern":"^[ -]?[^ab]+$","maxLength":6}"#,
    #"{"type":"object","patternProperties":{"^[.-]?[a-z]{2,3}$":{"pattern":"^[-a-z]+$"}},"additionalProperties":false}"#,
    #"{"type":"string","pattern":"^([a-z]+[ é-])*[a-z]{2}$"}"#,
    #"{"type":"string","pattern":"^[é.-]?(?!(?:ab|zz-)$)[a-z-]{2,}$"}"#,
    #"{"type":"string","not":{"pattern":"ab9|-[az]z"}}"#,
    #"{"type":"string","not":{"pattern":"ab9"},"pattern":"z[a-z]+9|-"}"#,
    #"{"type":"object","patternProperties":{"ab9":{"type":"null"},"a-[bz]+9":{"const":1}}}"#,
    #"{"type":"object","patternProperties":{"é":false,"-z[a-z]":{"const":1},"za-":{"const":2}}}"#,
    #"{"type":"object","properties":{"ab":{"const":1},"z9":{"const":2}},"patternProperties":{"^[a-c]*-9":{"type":"null"},"^z+[^a]{2,5}$":{"const":3}},"additionalProperties":false}"#,
    #"{"type":"string","pattern":"^[a-z]{1,2}(-[ab9]{1,3}|[éÀ-Ö]+)*$"}"#,
    #"{"type":"string","pattern":"^[a-z-]*$","maxLength":3}"#,
    #"{"type":"string","format":"uri-reference"}"#,
    #"{"type":"string","pattern":"^[a-z][a-z9.-]{0,4}$"}"#,
    #"{"type":"string","pattern":"^([a-z]{2,5}-?[é.]{1,2}|[ab]{3,4}[^ab]{1,3})9*$"}"#,
    #"{"type":"string","pattern":"^[ a-z]{1,4}[^z]{2}[a-y]{0,3}$"}"#,
    #"{"type":"string","pattern":"^[a-z]{1,6}$","minLength":2,"maxLength":4}"#,
    #"{"type":"object","patternProperties":{"^[a-z-]{1,4}$":{"const":1},"^[ab9]{2,3}$":{"const":2}},"additionalProperties":false}"#,
  ])
  func masksOverWideTriesAreExact(schema: String) throws {
    let grammar = try Grammar(jsonSchema: schema, options: .generation)
    try compareMasks(of: grammar, Self.wideVocabulary, seeds: 0..<2, steps: 10)
  }

  /// Vocabularies of scripts and symbols: of whole ones and tokens that end within one, and of the
  /// latter alone.
  static let scripts = [scripts(areCut: false), scripts(areCut: true)]

  private static func scripts(areCut: Bool) -> Vocabulary {
    var tokens = (0..<256).map { [UInt8($0)] }
    let pieces = [
      "a", "1", " ", "é", "×", "ж", "中", "あ", "、", "\u{3000}", "→", "\u{E000}", "\u{85}", "\u{A0}",
      "\u{1F600}", "\u{20000}", "\u{2003}", "\u{E31}", "\u{F0000}",
    ].map { Array($0.utf8) }
    // Below a cut scalar there must be no whole one, which would tell what it can become.
    for first in areCut ? Array(pieces[..<3]) : pieces {
      for second in pieces {
        for length in 1...second.count where length < second.count || !areCut {
          tokens.append(first + second.prefix(length))
          tokens.append([0x61] + first + second.prefix(length))
        }
      }
    }
    tokens.append([])
    return try! Vocabulary(
      tokens: tokens, specialTokens: [tokens.count - 1], endOfSequence: tokens.count - 1)
  }

  @Test(arguments: [
    ##"{"type":"string","pattern":"^[a-z\u2003]*k$"}"##,
    ##"{"type":"string","pattern":"^[a-z\uE000]*1$"}"##,
    ##"{"type":"string","pattern":"^[a-z\u0085→]*[k-z]$"}"##,
    ##"{"type":"string","allOf":[{"pattern":"^[a-z\u2003]*k$"},{"pattern":"^[a-z\uE000\u2003]*$"}]}"##,
    ##"{"type":"string","pattern":"^[a-z\u0085]*k$","not":{"pattern":"b"}}"##,
    ##"{"type":"string","pattern":"^(?!b)[a-z\u2003]*k$","not":{"const":"ak"}}"##,
    ##"{"type":"string","pattern":"^\\p{L}*$"}"##, ##"{"type":"string","pattern":"^\\P{L}*$"}"##,
    ##"{"type":"string","pattern":"^[\\p{L}\\s]*$"}"##,
    ##"{"type":"string","pattern":"^[\\p{L}\\s\\d]{2,40}$"}"##,
    ##"{"type":"string","pattern":"^[\\p{L}1]{1,3}[^\\p{L}]*$","maxLength":5}"##,
    ##"{"type":"string","pattern":"^\\p{L}[\\p{L}\\p{M}\\p{N}]*$"}"##,
    ##"{"type":"string","pattern":"\\p{L}{3}","not":{"pattern":"[\\p{L}\\p{M}]$"}}"##,
    ##"{"type":"string","pattern":"^[a-zà-ÿ\u2003]+$","minLength":2}"##,
    ##"{"type":"string","pattern":"^[^\u3000-\u303f]*$","not":{"pattern":"é"}}"##,
    ##"{"type":"string","pattern":"^[\u00a1-\uffff]+( [\u4e00-\u9fff]+)*$"}"##,
    ##"{"type":"string","pattern":"^.{1,2}[\u2190-\u21ff]|[\u0e00-\u0e7f]{2}"}"##,
    ##"{"type":"string","pattern":"^[^\\s中]+$"}"##,
    ##"{"type":"string","format":"iri-reference"}"##,
    ##"{"type":"string","pattern":"^(\\p{L}{1,3}→?){1,2}$"}"##,
    ##"{"type":"string","pattern":"^[^\u3000中]{0,3}[a-z\u2003]{0,2}$"}"##,
    ##"{"type":"object","patternProperties":{"^\\p{L}+$":{"const":1},"^[\\p{L}→]*1$":{"const":2}},"additionalProperties":false}"##,
    ##"{"type":"object","patternProperties":{"\\p{L}→":{"const":1}},"properties":{"あ":{"const":2}}}"##,
  ])
  func masksOverScriptsAreExact(schema: String) throws {
    for options in [CompilationOptions.generation, .validation] {
      let grammar = try Grammar(jsonSchema: schema, options: options)
      for vocabulary in Self.scripts {
        try compareMasks(of: grammar, vocabulary, seeds: 0..<3, steps: 10)
      }
    }
  }

  /// Keys that none goes on from, on walks that come to have most of the short ones.
  @Test(
    arguments: schemas.filter { $0.contains("x*[ab") || $0.contains("e*[ab") }, policies.indices)
  func masksBesideManyEarlierKeysAreExact(schema: String, policy: Int) throws {
    let grammar = try Grammar(jsonSchema: schema, options: Self.policies[policy])
    try compareMasks(of: grammar, .singleBytes, seeds: 0..<8, steps: 160)
  }

  /// Walks at random and compares every mask on the way with what accepting each token says.
  @Test(arguments: schemas, policies.indices)
  func masksAreExact(schema: String, policy: Int) throws {
    let grammar = try Grammar(jsonSchema: schema, options: Self.policies[policy])
    try compareMasks(of: grammar, Self.vocabulary, seeds: 0..<3, steps: 24)
  }

  /// What is found of the keys of one object serves those that take the same ones, and no others.
  @Test func masksOfKeysBesideOtherObjectsAreExact() throws {
    let open = #""type":"object","patternProperties":{"^a":{"type":"integer"}}"#
    let closed = open + #","properties":{"abb":true},"additionalProperties":false"#
    let grammar = try Grammar(
      jsonSchema: #"{"type":"array","prefixItems":[{\#(open)},{\#(closed)},{\#(open)}]}"#,
      options: .validation)
    var matcher = Matcher(grammar: grammar, vocabulary: Self.vocabulary)
    for byte in #"[{"ab":1},{"ab":1,"abb":2},{"b":1,"ab":1}]"#.utf8 {
      let mask = matcher.allowedTokens()
      for token in 0..<Self.vocabulary.count {
        let isAccepted = matcher.allows(token)
        #expect(mask.contains(token) == isAccepted, "token \(token) before \(byte)")
      }
      try matcher.accept(bytes: [byte])
    }
  }

  private func compareMasks(
    of grammar: Grammar, _ vocabulary: Vocabulary, seeds: Range<UInt64>, steps: Int
  ) throws {
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var text: [UInt8] = []
      var bits = TokenBitmask(vocabulary: vocabulary)
      for _ in 0..<steps {
        let mask = matcher.allowedTokens()
        matcher.fill(&bits)
        #expect(bits.count == mask.count)
        var acceptedCount = 0
        // One expectation for all tokens: one for each took most of the time.
        var wrong: [[UInt8]] = []
        for token in 0..<vocabulary.count {
          let isAllowed = matcher.allows(token)
          if isAllowed { acceptedCount += 1 }
          if mask.contains(token) != isAllowed || bits[token] != isAllowed {
            wrong.append(vocabulary.bytes(of: token))
          }
        }
        // Of those that are accepted, and of the others, one as sequences do it: an error is slow in tests.
        if let refused = (0..<vocabulary.count).filter({ !mask.contains($0) })
          .randomElement(using: &generator)
        {
          var fork = matcher
          #expect(throws: MatcherError.self) { try fork.accept(refused) }
        }
        #expect(wrong.isEmpty, "after \(text), seed \(seed)")
        #expect(mask.count == acceptedCount, "count after \(text), seed \(seed)")
        // A mask without tokens is a dead end: nothing may lead into one.
        let token = try #require(
          mask.tokens.randomElement(using: &generator), "dead end after \(text), seed \(seed)")
        if token == vocabulary.endOfSequence { break }
        try matcher.accept(token)
        text += vocabulary.bytes(of: token)
      }
      // Nor into a place from which there is always more to write.
      try matcher.accept(bytes: matcher.shortestCompletion())
      let canEnd = matcher.canEnd()
      #expect(canEnd, "no end after \(text), seed \(seed)")
    }
    expectInvariants(of: grammar)
  }
}
