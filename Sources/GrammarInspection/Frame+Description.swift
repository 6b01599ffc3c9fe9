// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension Automaton {
  /// The stacks of a configuration in words.
  mutating func described(
    _ configuration: Configuration, _ vocabulary: Vocabulary
  ) -> [GrammarInspection.Stack] {
    let reach = vocabulary.storage.index(anyEscapes: anyEscapes).split.reach
    return stacks(of: configuration).map { stack in
      var frames: [GrammarInspection.Frame] = []
      var at = stack
      while at != .max {
        frames.append(described(frame: at))
        at = stacks[at].parent
      }
      return GrammarInspection.Stack(
        id: Int(stack), canonical: Int(canonical(stack, reach: reach)), frames: frames)
    }
  }

  /// The tops of a configuration's stacks in words, equal ones once.
  mutating func describedTops(_ configuration: Configuration) -> [GrammarInspection.Frame] {
    var result: [GrammarInspection.Frame] = []
    for stack in stacks(of: configuration) {
      let top = described(frame: stack)
      if !result.contains(top) { result.append(top) }
    }
    return result
  }

  /// The bytes that may come next, by what they lead to, in the order of the bytes. Tops that no word
  /// tells apart count as one.
  mutating func describedSteps(_ configuration: Configuration) -> [GrammarInspection.Step] {
    var kinds: [(tops: [GrammarInspection.Frame], bytes: ByteSet)] = []
    for byte in UInt8.min...UInt8.max {
      let next = next(configuration, byte)
      if next == Self.dead { continue }
      let tops = describedTops(next)
      if let known = kinds.firstIndex(where: { $0.tops == tops }) {
        kinds[known].bytes.insert(byte)
      } else {
        kinds.append((tops, ByteSet([byte])))
      }
    }
    return kinds.map { kind in
      GrammarInspection.Step(
        bytes: Self.describe(kind.bytes) ?? "", count: kind.bytes.count, tops: kind.tops)
    }
  }

  private mutating func described(frame stack: StackID) -> GrammarInspection.Frame {
    let frame = stacks[stack]
    switch frame.kind {
    case .value:
      let words = obligations.described(goal: frame.a).nodes.map(\.summary)
      return .init(
        kind: "value", location: location(ofGoal: frame.a),
        state: "expected, to meet goal \(frame.a): " + words.joined(separator: " or "))
    case .literal:
      let spelling = Self.spellings[Int(frame.a)]
      return .init(
        kind: "literal", location: "",
        state: "`\(String(decoding: spelling, as: UTF8.self))`, \(frame.b) letters read")
    case .number:
      return .init(
        kind: "number", location: "", state: obligations.numbers.described(frame.a))
    case .string: return .init(kind: "string", location: "", state: state(string: frame))
    case .key:
      let text = texts.bytes(of: frame.e).shown()
      return .init(
        kind: "key", location: "",
        state: (text.isEmpty ? "before its first character" : "`\(text)` read")
          + (frame.b == 0 ? "" : ", inside an escape") + " (key tuple \(frame.a))")
    case .colon:
      return .init(
        kind: "colon", location: location(ofGoal: frame.a),
        state: "expected, then a value that meets goal \(frame.a)")
    case .object:
      return .init(
        kind: "object", location: location(of: obligations.objects[Int(frame.a)].sources),
        state: state(object: frame))
    case .member:
      return .init(
        kind: "member", location: "",
        state:
          "`\(String(decoding: texts.bytes(of: frame.a), as: UTF8.self))`, recorded to be compared")
    case .array:
      return .init(
        kind: "array", location: location(of: obligations.arrays[Int(frame.a)].sources),
        state: state(array: frame))
    case .end: return .init(kind: "end", location: "", state: "after the outermost value")
    case .bottom:
      return .init(kind: "bottom", location: "", state: "what lies below is looked at apart")
    case .rule:
      return .init(kind: "rule", location: "", state: "position \(frame.a), language \(frame.b)")
    }
  }

  private mutating func state(string frame: Frame) -> String {
    if frame.b != 0 { return "inside an escape" }
    var result = "left: \(obligations.languages.described(frame.a))"
    let most = frame.d == .max ? nil : Int(frame.d)
    if let length = Obligations.range(Int(frame.c), most) { result += ", \(length) characters" }
    let mayClose = frame.c == 0 && obligations.languages.accepts(frame.a)
    return result + (mayClose ? "; may close" : "; may not close yet")
  }

  private mutating func state(object frame: Frame) -> String {
    let object = Int(frame.a)
    var next: [String] = []
    for (index, member) in obligations.objects[object].members.enumerated()
    where canTake(member: index, object, frame.b) {
      let name = String(decoding: obligations.graph.names[member.name], as: UTF8.self)
      next.append("`\(name)`" + (member.isRequired ? " (required)" : ""))
    }
    if !isClosed(frame) { next.append("other keys") }
    let following = next.isEmpty ? "no more members" : "next " + next.joined(separator: ", ")
    let mayClose = mayClose(object, frame.b) ? "may close" : "may not close yet"
    return "\(Self.words(ofPhase: frame.c, "{")); \(following); \(mayClose) "
      + "(object \(object), state \(frame.b))"
  }

  private mutating func state(array frame: Frame) -> String {
    let array = Int(frame.a)
    let goals = items(frame).map { "goal \($0.goal)" }
    let following =
      goals.isEmpty ? "no more items" : "next an item of \(goals.joined(separator: " or "))"
    let mayClose = mayClose(array: array, frame.b) ? "may close" : "may not close yet"
    return "\(Self.words(ofPhase: frame.c, "[")); \(following); \(mayClose) "
      + "(array \(array), state \(frame.b))"
  }

  private static func words(ofPhase phase: UInt32, _ bracket: String) -> String {
    switch Frame.Phase(rawValue: phase) {
    case .afterValue: "after a value"
    case .afterComma: "after a comma"
    default: "after `\(bracket)`"
    }
  }

  private func location(ofGoal goal: Obligations.Goal) -> String {
    let literals = obligations.goals[goal].flatMap { obligations.conjunctions[$0] }
    return location(of: literals.map { Obligations.schema(of: $0) })
  }

  /// Where some subschemas stand: the first of them, and how many more there are.
  private func location(of schemas: [SchemaNode.ID]) -> String {
    guard let first = schemas.first else { return "" }
    let more = schemas.count > 1 ? " and \(schemas.count - 1) more" : ""
    return obligations.graph.nodes[first].pointer + more
  }
}
