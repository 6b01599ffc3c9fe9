// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The shortest way to the end.
///
/// Every frame of a stack has a shortest text that completes it, whatever lies below; the text for
/// the whole is theirs from the top down. For a value still to come, the shortest texts of all goals
/// that it can lead to are the least solution of a system of equations (an object's is that of its
/// required members, and so on), found by repeated relaxation from "none known".
extension Automaton {
  /// The shortest text, in bytes, after which the value is complete: empty where it already is,
  /// `nil` where none was found within the search's bounds.
  mutating func shortestCompletion(_ configuration: Configuration) -> [UInt8]? {
    if mayEnd(configuration) { return [] }
    guard let text = completionByFrames(configuration) else { return nil }
    return obligations.comparesItems ? withoutRepetitions(text, from: configuration) : text
  }

  /// The shortest texts of all frames together, as if items could be repeated.
  mutating func completionByFrames(_ configuration: Configuration) -> [UInt8]? {
    if mayEnd(configuration) { return [] }
    let mayChoose = obligations.hasListings || obligations.comparesItems
    var best: [UInt8]?
    for stack in stacks(of: configuration) {
      if mayChoose, mustBeOneOf(stack) { continue }
      guard let text = completion(stack: stack) else { continue }
      if text.count < best?.count ?? .max { best = text }
    }
    if best == nil, mayChoose, let chosen = completionOfChosen(configuration), !chosen.text.isEmpty
    {
      return completionByFrames(chosen.after).map { chosen.text + $0 }
    }
    return best
  }

  private mutating func completion(stack: StackID) -> [UInt8]? {
    let frame = stacks[stack]
    guard var text = completion(frame, stack) else { return nil }
    let parent = frame.kind == .key ? stacks[frame.parent].parent : frame.parent
    guard frame.kind != .end, parent != .max else { return text }
    // Searches ask it for many frames above the same stack.
    if let lastCompletion, lastCompletion.stack == parent { return text + lastCompletion.text }
    var rest: [UInt8] = []
    var at = parent
    while at != .max {
      let frame = stacks[at]
      guard let part = completion(frame, at) else { return nil }
      rest += part
      if frame.kind == .end { break }
      at = frame.kind == .key ? stacks[frame.parent].parent : frame.parent
    }
    lastCompletion = (parent, rest)
    text += rest
    return text
  }

  private mutating func completion(_ frame: Frame, _ stack: StackID) -> [UInt8]? {
    switch frame.kind {
    case .value: return minimalText(frame.a).map { (awaitsSpace(frame) ? [0x20] : []) + $0 }
    case .literal: return Array(Self.spellings[Int(frame.a)].dropFirst(Int(frame.b)))
    case .number: return numberCompletion(frame.a)
    case .string: return stringCompletion(stack)
    case .key: return keyCompletion(frame)
    case .colon: return minimalText(frame.a).map { colon + $0 }
    case .object:
      return objectCompletion(
        ObjectPosition(
          object: Int(frame.a), state: frame.b, keys: frame.f,
          phase: Frame.Phase(rawValue: frame.c) ?? .opened)
      ).map { (awaitsSpace(frame) ? [0x20] : []) + $0 }
    case .array: return arrayCompletion(frame)
    case .member, .bottom, .end: return []
    case .rule: return ruleCompletion(frame)
    }
  }

  /// A colon and a comma, with the space that is due after them.
  var colon: [UInt8] { isSpaced ? [UInt8(ascii: ":"), 0x20] : [UInt8(ascii: ":")] }
  var comma: [UInt8] { isSpaced ? [UInt8(ascii: ","), 0x20] : [UInt8(ascii: ",")] }

  /// The most characters, items or members that are added one by one: a value that needs more has
  /// no completion that is known.
  static let stepLimit = 4096

  // MARK: Minimal texts of goals

  /// The shortest text of a value that meets a goal.
  mutating func minimalText(_ goal: Obligations.Goal) -> [UInt8]? {
    if let known = minimalTexts[goal], !isRelaxing { return known }
    if isRelaxing {
      wantedGoals.insert(goal)
      return minimalTexts[goal]
    }
    isRelaxing = true
    wantedGoals = [goal]
    var changed = true
    while changed {
      changed = false
      for goal in wantedGoals.sorted() {
        guard let text = relaxedText(goal) else { continue }
        if text.count < minimalTexts[goal]?.count ?? .max {
          minimalTexts[goal] = text
          changed = true
        }
      }
      if wantedGoals.contains(where: { minimalTexts[$0] == nil && visitedGoals.insert($0).inserted }
      ) {
        changed = true
      }
    }
    isRelaxing = false
    visitedGoals = []
    return minimalTexts[goal]
  }

  private mutating func relaxedText(_ goal: Obligations.Goal) -> [UInt8]? {
    var best: [UInt8]?
    func offer(_ text: [UInt8]?) {
      if let text, text.count < best?.count ?? .max { best = text }
    }
    if !obligations.nodes(goal, .null).isEmpty { offer(Self.spellings[0]) }
    for case .boolean(let allowsTrue, _) in obligations.nodes(goal, .boolean) {
      offer(Self.spellings[allowsTrue ? 1 : 2])
    }
    for case .number(let index) in obligations.nodes(goal, .number) {
      offer(numberCompletion(obligations.numberStart(index)))
    }
    for case .string(let node) in obligations.nodes(goal, .string) {
      let frame = Frame(
        kind: .string, a: node.language, c: UInt32(node.minimum),
        d: node.maximum.map { UInt32($0) } ?? .max)
      offer(stringCompletion(stacks.intern(frame)).map { [0x22] + $0 })
    }
    for case .array(let index) in obligations.nodes(goal, .array) {
      if let id = obligations.arrays[index].listing {
        offer(minimalText(listedBy: id, isArray: true))
        continue
      }
      let frame = Frame(
        kind: .array, a: UInt32(index), b: startState(array: index),
        c: Frame.Phase.opened.rawValue)
      offer(arrayCompletion(frame).map { [UInt8(ascii: "[")] + $0 })
    }
    for case .object(let index) in obligations.nodes(goal, .object) {
      if let id = obligations.objects[index].listing {
        offer(minimalText(listedBy: id, isArray: false))
        continue
      }
      let state = startState(object: index)
      guard isLive(object: index, state) else { continue }
      let start = ObjectPosition(object: index, state: state, phase: .opened)
      offer(objectCompletion(start).map { [UInt8(ascii: "{")] + $0 })
    }
    return best
  }

  // MARK: Containers

  private mutating func arrayCompletion(_ start: Frame) -> [UInt8]? {
    var frame = start
    var text: [UInt8] = []
    var steps = 0
    let missing =
      obligations.arrays[Int(start.a)].minimum - Int(arrayStates.word(0, of: start.b))
    guard missing <= Self.stepLimit else { return nil }
    // Where there is little room, which items are equal is found when the text is read.
    if obligations.arrays[Int(start.a)].isBounded, lacksDuplicate(array: Int(start.a), start.b) {
      frame.b = withDuplicate(start.b)
    }
    while true {
      if frame.c != Frame.Phase.afterComma.rawValue, mayClose(array: Int(frame.a), frame.b) {
        return text + [UInt8(ascii: "]")]
      }
      // What `contains` still asks for comes first: other items may be shorter for ever.
      var best: (missing: Int, text: [UInt8], parent: StackID)?
      for item in items(frame) {
        guard let text = minimalText(item.goal) else { continue }
        let missing = missingContained(array: Int(frame.a), stacks[item.parent].b)
        if let best, (best.missing, best.text.count) <= (missing, text.count) { continue }
        best = (missing, text, item.parent)
      }
      let array = Int(frame.a)
      if let best, lacksDuplicate(array: array, frame.b), hasEnough(array: array, frame.b),
        Int(arrayStates.word(0, of: frame.b)) >= obligations.arrays[array].uniformFrom
      {
        // Where all items are alike, the same one twice.
        let first = frame.c == Frame.Phase.afterValue.rawValue ? comma : []
        return text + first + best.text + comma + best.text + [UInt8(ascii: "]")]
      }
      steps += 1
      guard let best, steps <= 10_000 else { return nil }
      if frame.c == Frame.Phase.afterValue.rawValue { text += comma }
      text += best.text
      frame = stacks[best.parent]
    }
  }

  mutating func objectCompletion(_ start: ObjectPosition) -> [UInt8]? {
    if !isRelaxing {
      if let known = objectCompletions[start] { return known?.text }
      // Almost every key of a mask leads to a set of its own, and to search for each took seconds: mostly
      // the completion of an object without undeclared keys serves one with some.
      if start.keys != PersistentSets.empty {
        var free = start
        free.keys = PersistentSets.empty
        _ = objectCompletion(free)
        if let known = objectCompletions[free], !repeats(known, start.keys) { return known?.text }
      }
    }
    let object = start.object
    let missing =
      obligations.objects[object].minimum - Int(objectStates.word(Self.count, of: start.state))
    guard missing <= Self.stepLimit else { return nil }
    var state = start.state
    var phase = start.phase
    var text: [UInt8] = []
    var used = Set(wordSets.words(of: start.keys).map { texts.bytes(of: $0) })
    var isComplete = false
    for _ in 0..<10_000 {
      if phase != .afterComma, mayClose(object, state) {
        text.append(UInt8(ascii: "}"))
        isComplete = true
        break
      }
      guard let member = shortestMember(object, state, used, after: start.keys) else { break }
      // A member after which the same ones must come leads no nearer to the end: others are known later.
      if member.state == state, phase != .afterComma { break }
      if phase == .afterValue { text += comma }
      text += [0x22] + member.key + [0x22] + colon + member.value
      used.insert(member.key)
      state = member.state
      phase = .afterValue
    }
    if isRelaxing { return isComplete ? text : nil }
    let completion = ObjectCompletion(text: text, keys: Array(used))
    objectCompletions[start] = .some(isComplete ? completion : nil)
    return isComplete ? text : nil
  }

  /// Whether the completion of an object adds one of some keys.
  private mutating func repeats(
    _ completion: ObjectCompletion?, _ keys: PersistentSets.Set
  ) -> Bool {
    for key in completion?.keys ?? [] {
      let text = key.reduce(TextTable.empty) { texts.append($1, to: $0) }
      if wordSets.contains(text, in: keys) { return true }
    }
    return false
  }

  /// The shortest member that may come next: a required one where there is one.
  private mutating func shortestMember(
    _ object: Int, _ state: UInt32, _ used: Set<[UInt8]>, after keys: PersistentSets.Set
  ) -> (key: [UInt8], value: [UInt8], state: UInt32)? {
    var left: Set<Int> = []
    if formula(state) != ObjectFormulas.always,
      let plan = obligations.completionPlan(object: object, progress(of: state))
    {
      if plan.extras.isEmpty, let best = shortestOfFew(object, state, after: keys) { return best }
      // Where required members come before these in the order, they are taken first.
      if let member = plan.goals.keys.min() {
        if isInOrder(member, object, state) { return settlingMember(object, state, member) }
      } else if let extra = plan.extras.first, allowsExtrasNext(object, state) {
        return shortestExtra(object, state, used, class: extra.keyClass)
      }
      left = plan.absent
    }
    var best: (key: [UInt8], value: [UInt8], state: UInt32, isRequired: Bool)?
    // A required member whose text is not known yet: others would not help.
    var waits = false
    for (index, member) in obligations.objects[object].members.enumerated()
    where !left.contains(index) {
      let choices = choices(object: object, state, member: index)
      var isKnown = false
      for choice in choices {
        guard let value = minimalText(choice.goal) else { continue }
        isKnown = true
        let key = JSONSpelling.escaped(obligations.graph.names[member.name])
        let isBetter =
          best.map {
            member.isRequired != $0.isRequired
              ? member.isRequired : key.count + value.count < $0.key.count + $0.value.count
          } ?? true
        if isBetter { best = (key, value, choice.state, member.isRequired) }
        if member.isRequired, propertiesInOrder { break }
      }
      if member.isRequired, !choices.isEmpty, !isKnown { waits = true }
      if best?.isRequired == true { break }
    }
    if waits, best?.isRequired != true { return nil }
    if let best { return (best.key, best.value, best.state) }
    return shortestExtra(object, state, used)
  }

  /// A formula of more atoms than this is completed as its plan says, and not by the shortest way.
  private static let mostAtoms = 8

  /// The member that starts the shortest way to the end, where few members decide what is left of an
  /// object's formula.
  private mutating func shortestOfFew(
    _ object: Int, _ state: UInt32, after keys: PersistentSets.Set
  ) -> (key: [UInt8], value: [UInt8], state: UInt32)? {
    let left = formula(state)
    guard obligations.alternatives.formulas.weight(of: left) <= Self.mostAtoms else { return nil }
    var best: (key: [UInt8], value: [UInt8], state: UInt32, length: Int)?
    for (index, member) in obligations.objects[object].members.enumerated()
    where member.atoms != 0 && obligations.isAbout(left, member.atoms) {
      for choice in choices(object: object, state, member: index) where choice.state != state {
        guard let value = minimalText(choice.goal),
          let rest = objectCompletion(
            ObjectPosition(
              object: object, state: choice.state, keys: keys, phase: .afterValue))
        else { continue }
        let key = JSONSpelling.escaped(obligations.graph.names[member.name])
        let length = key.count + value.count + rest.count
        if length < best?.length ?? .max { best = (key, value, choice.state, length) }
      }
    }
    return best.map { ($0.key, $0.value, $0.state) }
  }

  /// A member in the way that leaves the least of the formula, and of those the shortest.
  private mutating func settlingMember(
    _ object: Int, _ state: UInt32, _ member: Int
  ) -> (key: [UInt8], value: [UInt8], state: UInt32)? {
    var best: (left: Int, value: [UInt8], state: UInt32)?
    for choice in choices(object: object, state, member: member) {
      guard let value = minimalText(choice.goal) else { continue }
      let left = obligations.alternatives.formulas.weight(of: formula(choice.state))
      if let best, (best.left, best.value.count) <= (left, value.count) { continue }
      best = (left, value, choice.state)
    }
    let name = obligations.objects[object].members[member].name
    return best.map { (JSONSpelling.escaped(obligations.graph.names[name]), $0.value, $0.state) }
  }

  /// The shortest undeclared member: the shortest key that the patterns take, found breadth first.
  private mutating func shortestExtra(
    _ object: Int, _ state: UInt32, _ used: Set<[UInt8]>, class wanted: UInt32? = nil
  ) -> (key: [UInt8], value: [UInt8], state: UInt32)? {
    var frontier: [(tuple: UInt32, text: [UInt8])] = [(obligations.startTuple(object), [])]
    var visits: [UInt32: Int] = [:]
    let hasPatterns = obligations.hasPatterns(frontier[0].tuple)
    for _ in 0..<64 {
      var next: [(tuple: UInt32, text: [UInt8])] = []
      for (tuple, text) in frontier {
        if obligations.isBoundary(tuple), obligations.member(object, tuple) == nil,
          !used.contains(text)
        {
          let keyClass = obligations.keyClass(tuple)
          var best: (value: [UInt8], left: Int, state: UInt32)?
          for choice in extraChoices(object: object, state, class: keyClass)
          where wanted.map({ $0 == keyClass }) ?? true {
            guard let value = minimalText(choice.goal) else { continue }
            let left = obligations.alternatives.formulas.weight(of: formula(choice.state))
            if left < best?.left ?? .max { best = (value, left, choice.state) }
          }
          if let best { return (text, best.value, best.state) }
          // Without patterns, or once none can match, keys are all alike: what one cannot open, none can.
          if !obligations.hasPatterns(tuple) {
            if hasPatterns { continue }
            return nil
          }
        }
        for byte in UInt8(0x20)...0xF4 where byte != 0x22 && byte != 0x5C {
          let after = obligations.nextTuple(tuple, byte)
          guard obligations.content(of: after) != RegularLanguages.dead else { continue }
          // A tuple is gone through by one key more than there are to repeat.
          guard visits[after, default: 0] <= used.count else { continue }
          visits[after, default: 0] += 1
          next.append((after, text + [byte]))
        }
        if next.count > 4096 { return nil }
      }
      frontier = next
    }
    return nil
  }
}
