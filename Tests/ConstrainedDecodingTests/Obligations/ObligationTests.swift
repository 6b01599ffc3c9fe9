// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ConstraintEngine

/// Goals and typed nodes at their own interface: random schemas over a few scalars, against sets of these.
@Suite(.computesForLong) struct ObligationTests {
  /// The scalars, as JSON spells them; a set of them is one bit each.
  private static let scalars = [
    "null", "true", "false", "0", "1", "2.5", #""""#, #""a""#, #""ab""#,
  ]
  private static let all = (1 << scalars.count) - 1

  private static func list(_ set: Int) -> String {
    let values = scalars.indices.filter { set >> $0 & 1 == 1 }.map { scalars[$0] }
    return #"{"enum":[\#(values.joined(separator: ","))]}"#
  }

  /// A schema, and the scalars that it allows.
  private static func schema(
    _ generator: inout SeededGenerator, depth: Int
  ) -> (text: String, set: Int) {
    func inner() -> (text: String, set: Int) { schema(&generator, depth: depth - 1) }
    func join(_ parts: [(text: String, set: Int)]) -> String {
      parts.map(\.text).joined(separator: ",")
    }
    switch Int.random(in: 0...(depth > 0 ? 6 : 2), using: &generator) {
    case 0: return (#"{"type":["string","null"]}"#, 0b111_000_001)
    case 1: return (#"{"not":{"type":"number","minimum":1}}"#, all & ~0b110_000)
    case 2:
      let set = Int.random(in: 1...all, using: &generator)
      return (list(set), set)
    case 3:
      let parts = [inner(), inner()]
      return (#"{"allOf":[\#(join(parts))]}"#, parts[0].set & parts[1].set)
    case 4:
      let parts = [inner(), inner()]
      return (#"{"anyOf":[\#(join(parts))]}"#, parts[0].set | parts[1].set)
    case 5:
      let parts = [inner(), inner(), inner()]
      var one = 0
      for bit in scalars.indices where parts.count(where: { $0.set >> bit & 1 == 1 }) == 1 {
        one |= 1 << bit
      }
      return (#"{"oneOf":[\#(join(parts))]}"#, one)
    default:
      let parts = [inner(), inner(), inner()]
      let set = parts[0].set & parts[1].set | all & ~parts[0].set & parts[2].set
      return (#"{"if":\#(parts[0].text),"then":\#(parts[1].text),"else":\#(parts[2].text)}"#, set)
    }
  }

  private static func obligations(of text: String) throws -> Obligations {
    let options = CompilationOptions.validation
    var loader = SchemaLoader(options: options, languages: RegularLanguages(options.limits))
    try loader.load(text)
    let graph = loader.graph
    return Obligations(graph: graph, languages: loader.takeLanguages(), options: options)
  }

  /// The scalars that meet a goal, by its typed nodes.
  private static func set(_ goal: Obligations.Goal, _ obligations: inout Obligations) -> Int {
    var result = 0
    if !obligations.nodes(goal, .null).isEmpty { result |= 1 }
    for case .boolean(let allowsTrue, let allowsFalse) in obligations.nodes(goal, .boolean) {
      result |= (allowsTrue ? 2 : 0) | (allowsFalse ? 4 : 0)
    }
    for case .number(let index) in obligations.nodes(goal, .number) {
      for bit in 3...5 {
        let value = ExactDecimal(Array(scalars[bit].utf8))!
        if obligations.numberConstraints[index].admits(value) { result |= 1 << bit }
      }
    }
    for case .string(let node) in obligations.nodes(goal, .string) {
      for bit in 6...8 {
        let text = Array(scalars[bit].utf8.dropFirst().dropLast())
        let fits = node.minimum <= text.count && node.maximum.map { text.count <= $0 } ?? true
        if fits, obligations.languages.contains(node.language, text) { result |= 1 << bit }
      }
    }
    return result
  }

  @Test func nodesHaveTheScalarsOfTheSchema() throws {
    for seed in UInt64(0)..<300 {
      var generator = SeededGenerator(seed: seed)
      let (text, set) = Self.schema(&generator, depth: 3)
      for (schema, expected) in [(text, set), (#"{"not":\#(text)}"#, Self.all & ~set)] {
        // Held to the scalars, so that the goal is met exactly where one of them meets it.
        let whole = #"{"allOf":[\#(Self.list(Self.all)),\#(schema)]}"#
        var obligations = try Self.obligations(of: whole)
        let goal = obligations.goal([Obligations.literal(0)])
        let isSatisfiable = obligations.isSatisfiable(goal)
        #expect(isSatisfiable == (expected != 0), "seed \(seed): \(whole)")
        let found = Self.set(goal, &obligations)
        #expect(found == expected, "seed \(seed): \(whole)")
        #if DEBUG
          let broken = obligations._checkInvariants()
          #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))\n\(whole)")
        #endif
      }
    }
  }

  /// The kinds of values of a member that decides what must follow: together they have every value, and
  /// one of those that a value is of is content with other members exactly where the schema is.
  @Test func splitsOfAMemberLeaveWhatItsValuesAskFor() throws {
    for seed in UInt64(0)..<80 {
      var generator = SeededGenerator(seed: seed)
      let conditions = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        Self.schema(&generator, depth: 1)
      }
      let parts = conditions.enumerated().map { place, condition in
        #"{"if":{"properties":{"a":\#(condition.text)}},"then":{"required":["k\#(place)"]}}"#
      }
      let whole =
        #"{"type":"object","required":["a"],"properties":{"a":\#(Self.list(Self.all))},"#
        + #""allOf":[\#(parts.joined(separator: ","))]}"#
      var obligations = try Self.obligations(of: whole)
      let goal = obligations.goal([Obligations.literal(0)])
      // For each set of the members that may be asked for, the values of `a` with which it is enough.
      var enough = [Int](repeating: 0, count: 1 << conditions.count)
      var covered = 0
      for case .object(let index) in obligations.nodes(goal, .object) {
        let node = obligations.objects[index]
        let name = try #require(obligations.graph.knownName([0x61]))
        let member = try #require(node.members.first { $0.name == name })
        for split in obligations.splits(of: node.formula, member.goal, member.atoms) {
          let set = Self.set(split.goal, &obligations)
          covered |= set
          for present in enough.indices
          where Self.isTrue(split.formula, withMembers: present, conditions.count, &obligations) {
            enough[present] |= set
          }
        }
      }
      #expect(covered == Self.all, "seed \(seed): \(whole)")
      #if DEBUG
        let broken = obligations._checkInvariants()
        #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))\n\(whole)")
      #endif
      for present in enough.indices {
        var expected = Self.all
        for (place, condition) in conditions.enumerated() where present >> place & 1 == 0 {
          expected &= ~condition.set
        }
        #expect(enough[present] == expected, "seed \(seed), members \(present): \(whole)")
      }
    }
  }

  /// Whether a formula is true with some of the members `k0`, `k1` … and no other.
  private static func isTrue(
    _ formula: ObjectFormulas.ID, withMembers present: Int, _ count: Int,
    _ obligations: inout Obligations
  ) -> Bool {
    var known: [(atom: ObjectFormulas.Atom, isTrue: Bool)] = []
    for (atom, content) in obligations.alternatives.formulas.atoms.enumerated() {
      guard case .member(let name, _) = content else { continue }
      for place in 0..<count where obligations.graph.names[name] == Array("k\(place)".utf8) {
        known.append((ObjectFormulas.Atom(atom), present >> place & 1 == 1))
      }
    }
    let left = obligations.alternatives.formulas.assigning(known, in: formula)
    return obligations.alternatives.formulas.isTrueAtEnd(left)
  }
}
