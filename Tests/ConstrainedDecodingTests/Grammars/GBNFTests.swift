// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@Suite(.computesForLong) struct GBNFTests {
  static let arithmetic = #"""
    # arithmetic, with a comment
    root  ::= (expr "=" ws term "\n")+
    expr  ::= term ([-+*/] term)*   # a comment at the end
    term  ::= ident | num |
              "(" ws expr ")" ws
    ident ::= [a-z] [a-z0-9_]* ws
    num   ::= [0-9]+ ws
    ws    ::= [ \t\n]*
    """#

  @Test func arithmeticIsRead() throws {
    let grammar = try Grammar(gbnf: Self.arithmetic)
    #expect(Verdict(grammar, "x*(1+2) = 12\n") == .complete)
    #expect(Verdict(grammar, "x*(1+2) = 12\ny=1\n") == .complete)
    #expect(Verdict(grammar, "x*(1+2 = ") == .refused(at: 7))
    #expect(Verdict(grammar, "((((((((((x") == .possible)
  }

  @Test func charactersAndEscapes() throws {
    let grammar = try Grammar(
      gbnf: #"root ::= "\x41\u00e9\U0001F600\t\\\"\[\]\-" [\]\-a-] [^\x00-\x7F] . [ぁ-ゟ]"#)
    #expect(Verdict(grammar, "Aé😀\t\\\"[]--é\nあ") == .complete)
    #expect(Verdict(grammar, "Aé😀\t\\\"[]-]éxゟ") == .complete)
    #expect(Verdict(grammar, "Aé😀\t\\\"[]-a@") == .refused(at: 14))
  }

  @Test func repetitions() throws {
    let grammar = try Grammar(gbnf: #"root ::= "a"{2} "b"{1,} "c"{0,2} ("d" "e"){ 1 , 2 } "f"?"#)
    #expect(Verdict(grammar, "aabbbdedef") == .complete)
    #expect(Verdict(grammar, "aabccde") == .complete)
    #expect(Verdict(grammar, "aabcccde") == .refused(at: 5))
    #expect(Verdict(grammar, "ab") == .refused(at: 1))
  }

  @Test func linesEndRules() throws {
    let grammar = try Grammar(
      gbnf: "root ::=\n  \"a\" (\n \"b\" # c\n |\n \"c\" ) |\n \"d\" x\r\nx ::= | \"y\"\r\n\r\n")
    for text in ["ab", "ac", "d", "dy"] { #expect(Verdict(grammar, text) == .complete) }
  }

  @Test(arguments: [
    ("", "grammar: there is no rule `root`, where the grammar starts; define it"),
    (
      "root",
      "line 1, column 5: expected `::=` after the name of the rule `root`, found the end of the text"
    ),
    ("root ::= \"a", "line 1, column 10: this text has no closing `\"`"),
    ("root ::= [a", "line 1, column 10: this class has no closing `]`"),
    ("root ::= [z-a]", "line 1, column 11: the range `z-a` is out of order"),
    (
      "root ::= (\"a\"\n \"b\"",
      "line 2, column 5: expected `)` for the `(` at line 1, column 10, found the end of the text"
    ),
    ("root ::= *", "line 1, column 10: `*` has nothing before it to repeat"),
    (
      "root ::= \"a\"{2,1}",
      "line 1, column 13: the bounds of a repetition are out of order: 2 is more than 1"
    ),
    (
      "root ::= \"a\"{,1}",
      "line 1, column 14: expected a number of repetitions, found `,`; write `{0,` for at most so many"
    ),
    (
      "root ::= \"a\" )",
      "line 1, column 14: expected the end of the line or of an alternative, found `)`"
    ),
    (
      "root ::= \"\\q\"",
      "line 1, column 11: `\\q` is no escape; the escapes are \\x00, \\u0000, \\U00000000, \\t, \\r, \\n and a backslash before \\ \" [ ] -"
    ),
    ("root ::= \"\\ud800\"", "line 1, column 11: U+D800 is no character"),
    ("root ::= \"\\x4\"", "line 1, column 14: expected 2 hexadecimal digits, found `\"`"),
    (
      "root ::= []",
      "line 1, column 10: an empty class matches nothing; write `\"\"` for the empty text"
    ),
    (
      "root ::= item",
      "line 1, column 10: the rule `item` is not defined; define it, or quote it if it is text"
    ),
    (
      "root ::= (\n  \"a\"\n  my_item my_item other )\nmy-item ::= \"a\"",
      "line 3, column 3: the rule `my_item` is not defined; did you mean `my-item`?\nline 3, column 19: the rule `other` is not defined; define it, or quote it if it is text"
    ),
    (
      "root ::= \"a\"\n  | \"b\"",
      "line 2, column 3: expected the name of a rule, found `|`; a rule goes on in the next line only within parentheses, or after a `|` that ends its line"
    ),
    (
      "root ::= a\n  b c\na ::= \"x\"",
      "line 2, column 5: expected `::=` after the name of the rule `b`, found `c`; a rule goes on in the next line only within parentheses, or after a `|` that ends its line"
    ),
    (
      "root ::= \"a\"\nb : \"x\"",
      "line 2, column 3: expected `::=` after the name of the rule `b`, found `:`"
    ),
    (
      "root ::= 'a'",
      "line 1, column 10: expected the end of the line or of an alternative, found `'`; texts stand in straight double quotes: \"…\""
    ),
    (
      "root ::= (“a”)",
      "line 1, column 11: expected `)` for the `(` at line 1, column 10, found `“`; texts stand in straight double quotes: \"…\""
    ),
    (
      "root ::= \"a\";",
      "line 1, column 13: expected the end of the line or of an alternative, found `;`; leave it out: parts follow each other, and lines end rules"
    ),
    (
      "root ::= \\d+",
      "line 1, column 10: expected the end of the line or of an alternative, found `\\`; characters are written as classes, such as `[0-9]+`, without anchors"
    ),
    ("root ::= [\\d]", "line 1, column 11: `\\d` is no escape here; write `[0-9]`"),
    (
      "// A comment",
      "line 1, column 1: expected the name of a rule, found `/`; comments begin with `#`"
    ),
    (
      "<root> ::= \"a\"",
      "line 1, column 1: expected the name of a rule, found `<`; names stand without `<` and `>`"
    ),
    (
      "root ::=\u{A0}\"a\"",
      "line 1, column 9: expected the end of the line or of an alternative, found the character U+00A0"
    ),
    (
      "root ::= \"a\"\nroot ::= \"b\"",
      "line 2, column 1: the rule `root` is defined twice; rename or remove one"
    ),
    (
      "root ::= root \"a\" | \"b\"",
      "line 1, column 1: the rule `root` starts with itself (left recursion); write the repetition as `( … )*`, or move the rule to the end of its alternative"
    ),
    (
      "root ::= x\nx ::= \"\" y\ny ::= z* x \"a\" | \"b\"\nz ::= \"z\"",
      "line 2, column 1: the rule `x` starts with itself by way of `y` (left recursion); write the repetition as `( … )*`, or move the rule to the end of its alternative"
    ),
    (
      "root ::= \"a\" x\nx ::= \"b\" x",
      "line 1, column 1: no text can complete this rule: every alternative needs the rule itself, or something that nothing matches; add an alternative that ends"
    ),
    (
      "root ::= <think>",
      "line 1, column 10: the token `<think>` is known by its text only with a vocabulary; pass one, or write the token's id as `<[0]>`, or quote it if it is text; rules are named without `<` and `>`"
    ),
    (
      "Root ::= \"a\"",
      "grammar: there is no rule `root`, where the grammar starts; define it, or rename `Root`"
    ),
    ("root ::= <[a]>", "line 1, column 12: expected the id of a token, found `a`"),
    (
      "root ::= a\na ::=\nb ::= \"b\"",
      "line 3, column 3: expected the end of the line or of an alternative, found `:`; a rule begins on a line of its own, and one without text is `name ::= \"\"`"
    ),
  ])
  func faultsAreNamedWithTheirPlace(text: String, message: String) throws {
    let error = #expect(throws: GrammarError.self) { try Grammar(gbnf: text) }
    #expect(error?.description == message)
  }

  @Test func byteOrderMarkIsSkipped() throws {
    let grammar = try Grammar(gbnf: "\u{FEFF}root ::= \"a\"\r\n")
    #expect(Verdict(grammar, "a") == .complete)
  }

  @Test func emptyTextMayBeComplete() throws {
    var validator = StreamValidator(grammar: try Grammar(gbnf: #"root ::= "a"*"#))
    #expect(validator.verdict == .complete)
    #expect(validator.finish() == .complete)
    var needed = StreamValidator(grammar: try Grammar(gbnf: #"root ::= "a"+"#))
    #expect(needed.verdict == .possible)
    guard case .violated = needed.finish() else {
      Issue.record("the empty text is no text of the grammar")
      return
    }
  }

  @Test(arguments: [
    (
      #"root ::= "a" [^"\n]+ "\"""#, "a\n", "a character other than a line break, `\"`",
      "a line break"
    ),
    (
      #"root ::= [^\u2028] "x""#, "\u{2028}", "the rest of a character that is allowed",
      "the character U+2028"
    ),
    ("root ::= \"a\" | \"b\" x | \"b\" \"c\"\nx ::= \"d\" x? \"e\"", "bx", "`c` or `d`", "`x`"),
    (
      #"root ::= [0-9] root [a-f] | [0-9]"#, "1x", "a digit or the end of the text",
      "`x`"
    ),
    (#"root ::= [\r\n]"#, "x", "a line break", "`x`"),
  ])
  func violationsAreToldInWords(
    text: String, bad: String, expected: String, found: String
  ) throws {
    var validator = StreamValidator(grammar: try Grammar(gbnf: text))
    guard case .violated(let violation) = validator.append(bad) else {
      Issue.record("not refused")
      return
    }
    #expect(violation.expected == expected)
    #expect(violation.found == found)
  }

  @Test func whiteSpaceBeforeATextIsAPartOfIt() throws {
    var validator = StreamValidator(grammar: try Grammar(gbnf: #"root ::= " \n"? "a""#))
    #expect(validator.append(" \na") == .complete)
    #expect(validator.valueRange == 0..<3)
  }

  @Test func depthAndSizeAreBounded() throws {
    let deep =
      "root ::= " + String(repeating: "(", count: 100_000) + "\"a\""
      + String(repeating: ")", count: 100_000)
    let error = #expect(throws: GrammarError.self) { try Grammar(gbnf: deep) }
    #expect(error?.description.contains("deeper than 250") == true)
    // A long chain of rules, forwards and backwards, is no deep recursion.
    let count = 20_000
    for order in [Array(1..<count), (1..<count).reversed()] {
      let rules = order.map { "r\($0) ::= \"(\" r\($0 + 1) \")\" | <[\($0)]>" }
      let chain = ["root ::= r1"] + rules + ["r\(count) ::= \"x\""]
      let grammar = try Grammar(gbnf: chain.joined(separator: "\n"))
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      try matcher.accept(bytes: [UInt8](repeating: 0x28, count: 10_000))
      #expect(matcher.shortestCompletion().count == 2 * (count - 1) - 10_000 + 1)
    }
    for mark in ["*", "{1,2}"] {
      let repeated = #expect(throws: GrammarError.self) {
        try Grammar(gbnf: "root ::= \"a\"" + String(repeating: mark, count: 100_000))
      }
      #expect(repeated?.description.contains("repetitions stand on one part") == true)
    }
    let many = (0...50_000).map { "r\($0) ::= \"x\"" }.joined(separator: "\n")
    let tooMany = #expect(throws: GrammarError.self) { try Grammar(gbnf: many) }
    #expect(tooMany?.description.contains("more than the limit of 50000") == true)
    let wide = (0..<300).map { "r\($0) ::= [a-z]{900}" }
    let large = "root ::= " + (0..<300).map { "r\($0) \"!\"" }.joined(separator: " | ")
    let tooLarge = #expect(throws: GrammarError.self) {
      try Grammar(gbnf: ([large] + wide).joined(separator: "\n"))
    }
    #expect(tooLarge?.description.contains("positions in all") == true)
  }
}
