// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import IncrementalJSON
import TestSupport
import Testing

@Suite struct JSONStreamParserTests {
  /// A tree to compare, with `?` where something is not complete.
  private static func outline(_ node: JSONNode) -> String {
    let mark = node.isComplete ? "" : "?"
    switch node.kind {
    case .unknown: return "?"
    case .null: return "null"
    case .bool(let bool): return "\(bool)"
    case .number: return node.text + mark
    case .string: return node.text.debugDescription + mark
    case .array: return "[" + node.elements().map(outline).joined(separator: ",") + "]" + mark
    case .object:
      return "{"
        + node.members().map { "\($0.key.debugDescription):\(outline($0.value))" }
        .joined(separator: ",") + "}" + mark
    }
  }

  private static func outline(
    of text: String, unfinishedNumbers: Bool = false
  ) throws -> String {
    var parser = JSONStreamParser(showsUnfinishedNumbers: unfinishedNumbers)
    try parser.append(text)
    return outline(parser.snapshot)
  }

  /// What is no object has no members, whatever stands before it; what is no array, no elements.
  @Test func onlyContainersHaveInnerValues() throws {
    let text =
      #"{"a":["x",5,null,true],"b":{"c":"d","x":null},"x":[["x","y"],{"x":false}],"e":null,"f":1}"#
    func check(_ node: JSONNode) {
      if case .object = node.kind {
        for (name, value) in node.members() {
          #expect(node.member(named: name) != nil)
          check(value)
        }
      } else {
        #expect(node.members().isEmpty)
        for name in ["a", "b", "c", "d", "x", "y", "e", "f", ""] {
          #expect(node.member(named: name) == nil)
        }
      }
      if case .array = node.kind {
        for element in node.elements() { check(element) }
      } else {
        #expect(node.elements().isEmpty)
      }
    }
    for count in 0...text.utf8.count {
      var parser = JSONStreamParser(showsUnfinishedNumbers: false)
      try parser.append(String(decoding: text.utf8.prefix(count), as: UTF8.self))
      check(parser.snapshot)
    }
  }

  @Test(arguments: [
    ("", "?"), ("  ", "?"), ("t", "?"), ("tru", "?"), ("true", "true"), ("nul", "?"),
    ("-", "?"), ("12", "?"), ("12 ", "12"), ("\"ab", "\"ab\"?"), ("\"ab\"", "\"ab\""),
    ("[", "[]?"), ("[1", "[]?"), ("[1,", "[1]?"), ("[tr", "[]?"), ("[\"a", "[\"a\"?]?"),
    ("[[1,2],[3,4", "[[1,2],[3]?]?"), ("{", "{}?"), ("{\"a", "{}?"), ("{\"a\"", "{}?"),
    ("{\"a\":", "{}?"), ("{\"a\":1", "{}?"), ("{\"a\":1}", "{\"a\":1}"),
    ("{\"a\":\"x", "{\"a\":\"x\"?}?"), ("{\"a\":{\"b\":[null,", "{\"a\":{\"b\":[null]?}?}?"),
    ("\"a\\", "\"a\"?"), ("\"a\\u00e", "\"a\"?"), ("\"a\\u00e9", "\"aé\"?"),
    ("\"\\ud83d", "\"\"?"), ("\"\\ud83d\\ude42", "\"🙂\"?"),
  ])
  func snapshotOfTheBeginning(text: String, outline: String) throws {
    #expect(try Self.outline(of: text) == outline)
  }

  @Test(arguments: [
    ("12", "12?"), ("-", "?"), ("1.", "?"), ("1.5", "1.5?"), ("1e", "?"), ("1e+", "?"),
    ("1e2", "1e2?"), ("[0", "[0?]?"), ("{\"a\":1", "{\"a\":1?}?"),
  ])
  func unfinishedNumbersWhereAskedFor(text: String, outline: String) throws {
    #expect(try Self.outline(of: text, unfinishedNumbers: true) == outline)
  }

  @Test(arguments: 0..<400)
  func everySplitGivesTheSameTree(seed: UInt64) throws {
    var random = RandomJSON(seed: seed)
    let bytes = Array(random.text().utf8)
    var whole = JSONStreamParser()
    try bytes.withUnsafeBufferPointer { try whole.append($0) }
    try whole.finish()
    let expected = Self.outline(whole.snapshot)
    var bytewise = JSONStreamParser()
    for byte in bytes {
      try [byte].withUnsafeBufferPointer { try bytewise.append($0) }
      #if DEBUG
        let broken = bytewise._checkInvariants()
        #expect(broken.isEmpty, "seed \(seed), byte \(bytewise.byteCount): \(broken)")
      #endif
    }
    try bytewise.finish()
    #expect(Self.outline(bytewise.snapshot) == expected, "seed \(seed)")
    for cut in bytes.indices {
      var parser = JSONStreamParser()
      try bytes[..<cut].withUnsafeBufferPointer { try parser.append($0) }
      let early = parser.snapshot
      let earlyOutline = Self.outline(early)
      try bytes[cut...].withUnsafeBufferPointer { try parser.append($0) }
      try parser.finish()
      #expect(Self.outline(parser.snapshot) == expected, "seed \(seed), cut \(cut)")
      #expect(Self.outline(early) == earlyOutline, "seed \(seed), cut \(cut)")
    }
  }

  @Test func snapshotsKeepWhatTheyShowed() throws {
    var parser = JSONStreamParser()
    var snapshots: [(JSONNode, String)] = []
    for piece in [
      "[1,", "\"tw", "o\",{\"three\"", ":[", String(repeating: "3,", count: 5000), "3]}]",
    ] {
      try parser.append(piece)
      snapshots.append((parser.snapshot, Self.outline(parser.snapshot)))
    }
    for (snapshot, outline) in snapshots { #expect(Self.outline(snapshot) == outline) }
  }

  @Test func snapshotsAreReadWhileTheParserGoesOn() async throws {
    await withTaskGroup(of: Bool.self) { group in
      var parser = JSONStreamParser()
      do {
        try parser.append("[")
        for number in 0..<2000 {
          try parser.append("{\"number\":\(number),\"text\":\"é\\n\"},")
          let snapshot = parser.snapshot
          group.addTask {
            let last = snapshot.elements().last
            return snapshot.elements().count == number + 1
              && last?.member(named: "number")?.text == "\(number)"
          }
        }
      } catch {
        Issue.record(error)
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func copiesGoTheirOwnWay() throws {
    var first = JSONStreamParser()
    try first.append("[1,")
    var second = first
    try first.append("2]")
    try second.append("\"x\",3]")
    #expect(Self.outline(first.snapshot) == "[1,2]")
    #expect(Self.outline(second.snapshot) == "[1,\"x\",3]")
  }

  /// Strings that are long enough to be kept, with escapes, pairs and characters of several bytes
  /// everywhere: whatever of them has been looked at before, and held or let go of, each is what
  /// the whole text up to there says.
  @Test(arguments: 0..<60)
  func longStringsAreWhatTheTextSays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parts = [
      "word ", "é", "日", "🙂", #"\n"#, #"\""#, #"\\"#, #"\u00e9"#, #"\ud83d\ude42"#, #"\/"#,
    ]
    let strings = (0..<4).map { _ in
      (0..<Int.random(in: 0...300, using: &random)).map { _ in
        Int.random(in: 0..<4, using: &random) > 0 ? "plain" : parts.randomElement(using: &random)!
      }
      .joined()
    }
    let bytes = Array("[\(strings.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
    var parser = JSONStreamParser()
    var copies: [(parser: JSONStreamParser, read: Int)] = []
    var held: [(node: JSONNode, outline: String)] = []
    var read = 0
    while read < bytes.count {
      let next = min(bytes.count, read + Int.random(in: 1...9, using: &random))
      try bytes[read..<next].withUnsafeBufferPointer { try parser.append($0) }
      read = next
      guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
      let outline = Self.outline(parser.snapshot)
      var fresh = JSONStreamParser()
      try bytes[..<read].withUnsafeBufferPointer { try fresh.append($0) }
      #expect(outline == Self.outline(fresh.snapshot), "seed \(seed), byte \(read)")
      if Bool.random(using: &random) { held.append((parser.snapshot, outline)) }
      if copies.count < 3 { copies.append((parser, read)) }
    }
    for (node, outline) in held { #expect(Self.outline(node) == outline, "seed \(seed)") }
    // A copy goes on with another text from where it was.
    for (index, copy) in copies.enumerated() {
      let beginning = String(decoding: bytes[..<copy.read], as: UTF8.self)
      guard beginning.utf8.elementsEqual(bytes[..<copy.read]), !beginning.hasSuffix("\\") else {
        continue
      }
      var (other, fresh) = (copy.parser, JSONStreamParser())
      let before = Self.outline(other.snapshot)
      try fresh.append(beginning)
      #expect(Self.outline(fresh.snapshot) == before, "seed \(seed), copy \(index)")
      for ending in ["u0041", "q\"", "other", "\","] {
        guard (try? other.append(ending)) != nil else { break }
        try fresh.append(ending)
        #expect(Self.outline(other.snapshot) == Self.outline(fresh.snapshot), "seed \(seed)")
      }
    }
    #expect(Self.outline(parser.snapshot).count > 10)
  }

  @Test func identitiesStayWhileValuesGrow() throws {
    var parser = JSONStreamParser()
    try parser.append("[{\"a\":\"x")
    let object = try #require(parser.snapshot.elements().first)
    let string = try #require(object.member(named: "a"))
    try parser.append("y\"},{\"a\":1}]")
    let elements = parser.snapshot.elements()
    #expect(elements[0].identity == object.identity)
    #expect(elements[0].member(named: "a")?.identity == string.identity)
    #expect(elements[1].identity != object.identity)
  }

  @Test(arguments: [
    ("[1,]", 3, "Expected a value at byte 3, found ']'.\n[1,]\n   ^"),
    ("{\"a\" 1}", 5, "Expected a colon at byte 5, found '1'.\n{\"a\" 1}\n     ^"),
    ("{\"a\":1,}", 7, "Expected a property name at byte 7, found '}'.\n{\"a\":1,}\n       ^"),
    (
      "[01]", 2,
      "Expected a point, an exponent or the end of the number at byte 2, found '1'.\n[01]\n  ^"
    ),
    ("trie", 2, "Expected 'true' at byte 2, found 'i'.\ntrie\n  ^"),
    ("[1\n 2]", 4, "Expected a comma or ']' at byte 4, found '2'.\n 2]\n ^"),
    (
      "{\"k\":1,\"k\":2}", 7,
      "The object already has a property \"k\" (byte 7).\n{\"k\":1,\"k\":2}\n       ^"
    ),
    (
      "{\"k\":1,\"\\u006b\":2}", 7,
      "The object already has a property \"k\" (byte 7).\n{\"k\":1,\"\\u006b\":2}\n       ^"
    ),
    (
      "\"\\udc00\"", 1,
      "Half of a surrogate pair at byte 1 stands for no character.\n\"\\udc00\"\n ^"
    ),
    (
      "\"\\ud800x\"", 1,
      "Half of a surrogate pair at byte 1 stands for no character.\n\"\\ud800x\"\n ^"
    ),
    ("1 2", 2, "Expected nothing more at byte 2, found '2'.\n1 2\n  ^"),
    ("\u{FEFF}1", 0, "Expected a value at byte 0, found the byte 0xEF.\n\u{FEFF}1\n^"),
  ])
  func syntaxErrorsWithACaret(text: String, offset: Int, description: String) throws {
    for isBytewise in [false, true] {
      var parser = JSONStreamParser()
      let error = #expect(throws: JSONSyntaxError.self) {
        if isBytewise {
          for byte in text.utf8 { try [byte].withUnsafeBufferPointer { try parser.append($0) } }
        } else {
          try parser.append(text)
        }
      }
      #expect(error?.offset == offset)
      if !isBytewise { #expect(error?.description == description) }
      #expect(throws: JSONSyntaxError.self) { try parser.append(" ") }
    }
  }

  @Test(arguments: ["", "[", "[1", "\"a", "{\"a\":", "tru", "-", "1.", "1e"])
  func textsThatEndTooEarly(text: String) throws {
    var parser = JSONStreamParser()
    try parser.append(text)
    let error = #expect(throws: JSONSyntaxError.self) { try parser.finish() }
    #expect(error?.description.contains("found the end of the text") == true)
  }

  @Test(
    arguments: [
      [0x22, 0xFF], [0x22, 0xC0, 0x80], [0x22, 0xED, 0xA0, 0x80], [0x22, 0xF5, 0x80, 0x80, 0x80],
      [0x22, 0xE2, 0x28], [0x22, 0x80], [0x22, 0xF4, 0x90, 0x80, 0x80], [0x22, 0xE0, 0x9F, 0xBF],
    ] as [[UInt8]])
  func bytesThatAreNotUTF8(bytes: [UInt8]) {
    var parser = JSONStreamParser()
    let error = #expect(throws: JSONSyntaxError.self) {
      try bytes.withUnsafeBufferPointer { try parser.append($0) }
    }
    #expect(error?.problem == .invalidUTF8)
    #expect(error?.offset == 1)
  }

  @Test func depthAndSizeHaveLimits() throws {
    var deep = JSONStreamParser()
    let error = #expect(throws: JSONSyntaxError.self) {
      try deep.append(String(repeating: "[", count: 10_000))
    }
    #expect(error?.problem == .tooDeep(limit: 512))
    #expect(error?.offset == 512)
    var allowed = JSONStreamParser(limits: JSONLimits(depth: 10_000))
    try allowed.append(
      String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000))
    #expect(allowed.isComplete)
    var long = JSONStreamParser(limits: JSONLimits(byteCount: 10))
    let tooLong = #expect(throws: JSONSyntaxError.self) { try long.append("[1,2,3,4,5,6]") }
    #expect(tooLong?.problem == .tooLong(limit: 10))
  }

  @Test func objectsWithManyKeys() throws {
    var parser = JSONStreamParser()
    let members = (0..<2000).map { "\"key\($0)\":{\"a\":\($0)}" }.joined(separator: ",")
    var fork = parser
    try parser.append("{\(members)}")
    #expect(parser.snapshot.members().count == 2000)
    #expect(parser.snapshot.member(named: "key1234")?.member(named: "a")?.text == "1234")
    try fork.append("{\(members)")
    var copy = fork
    #expect(throws: JSONSyntaxError.self) { try fork.append(",\"key7\":1}") }
    try copy.append(",\"other\":1}")
    #expect(copy.snapshot.members().count == 2001)
  }
}
