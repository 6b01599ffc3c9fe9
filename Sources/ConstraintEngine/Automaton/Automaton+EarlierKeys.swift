// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keys that cannot come because they have come, or because they are declared.
///
/// Of most keys there is always a longer one, so that it is enough to refuse the closing quote of one
/// that has come before. Where no longer one goes on from what was read of a key, that could only be
/// repeated, and has to be refused before: it is asked whether some key that goes on from there is new.
/// The search for one follows the texts of the keys that came and ends where it leaves them, which
/// next to every byte does.
///
/// Worked example: keys are four digits, and `{"2001":1,"200` was read. A `1` is refused, since only
/// a quote could follow it; a `2` leaves all keys that came, and `2002` may come. Where keys are digits,
/// as many as you like, a `1` is not refused: `20010` may come. There no key is the last one of its
/// kind, and nothing is searched (``KeyEnds``).
extension Automaton {
  /// How the undeclared keys that may come next in an object end.
  struct KeyEnds: OptionSet {
    let rawValue: UInt32
    /// Some text has no longer keys than finitely many.
    static let areReached = KeyEnds(rawValue: 1)
    /// There are finitely many keys in all.
    static let canRunOut = KeyEnds(rawValue: 2)
  }

  /// More joint states than this are not gone through to see how keys end.
  private static let mostJointStates = 512

  /// Whether a key that starts with what was read can become one that may come next and has not come.
  ///
  /// - Parameter text: what was read, where it is known.
  mutating func canComplete(key tuple: UInt32, _ text: UInt32, _ frame: Frame) -> Bool {
    guard canComplete(key: tuple, frame) else { return false }
    if obligations.objects[Int(frame.a)].components.isEmpty { return true }
    guard keyEnds(frame).contains(.areReached) else { return true }
    if let name = obligations.nameNode(of: tuple), isLive(name: name, frame) { return true }
    return hasNewKey(tuple, text, frame)
  }

  /// How the undeclared keys that may come next end. What depends on the members so far depends on
  /// what they leave of the object's formula.
  mutating func keyEnds(_ frame: Frame) -> KeyEnds {
    if obligations.objects[Int(frame.a)].components.isEmpty { return [] }
    let key = UInt64(frame.a) << 32 | UInt64(formula(frame.b))
    if let known = keyEnds[key] { return KeyEnds(rawValue: known) }
    let start = obligations.withoutName(obligations.startTuple(Int(frame.a)))
    // Where none may come for their number, others may later.
    guard canComplete(key: start, frame) else { return [] }
    let result = computeKeyEnds(start, frame)
    keyEnds.set(key, result.rawValue)
    return result
  }

  /// Goes through the joint states of the patterns: keys end at one that none follows, and there is no
  /// end to them where one is come back to.
  private mutating func computeKeyEnds(_ start: UInt32, _ frame: Frame) -> KeyEnds {
    var result: KeyEnds = [.canRunOut]
    var isOpen: [UInt32: Bool] = [start: true]
    var path: [(tuple: UInt32, successors: [UInt32])] = [(start, live(after: start, frame))]
    if path[0].successors.isEmpty { result.insert(.areReached) }
    while let last = path.indices.last {
      guard let next = path[last].successors.popLast() else {
        isOpen[path[last].tuple] = false
        path.removeLast()
        continue
      }
      if let isOpen = isOpen[next] {
        if isOpen { result.remove(.canRunOut) }
        continue
      }
      if isOpen.count >= Self.mostJointStates { return result.union(.areReached) }
      let successors = live(after: next, frame)
      if successors.isEmpty { result.insert(.areReached) }
      isOpen[next] = true
      path.append((next, successors))
      if result == .areReached { return result }
    }
    return result
  }

  /// The joint states after one more byte from which keys go on.
  private mutating func live(after tuple: UInt32, _ frame: Frame) -> [UInt32] {
    var result: [UInt32] = []
    for target in obligations.successors(of: tuple) where canComplete(key: target, frame) {
      result.append(target)
    }
    return result
  }

  /// Whether an undeclared key goes on from what was read that may come and has not come.
  private mutating func hasNewKey(_ tuple: UInt32, _ text: UInt32, _ frame: Frame) -> Bool {
    let object = Int(frame.a)
    guard allowsExtrasNext(object, frame.b) else { return false }
    if !isNarrow(frame), undeclaredKeyCount(tuple, frame) > wordSets.count(of: frame.f) {
      return true
    }
    var pending = [(tuple: tuple, text: text)]
    while let (tuple, text) = pending.popLast() {
      let outside = obligations.withoutName(tuple)
      guard canComplete(key: outside, frame) else { continue }
      // Unlike all keys that came, and unlike the declared ones.
      if text == TextTable.unknown, outside == tuple { return true }
      if obligations.isBoundary(tuple), obligations.member(object, tuple) == nil,
        !isAmong(text, frame.f)
      {
        let keyClass = obligations.keyClass(tuple)
        if !extraChoices(object: object, frame.b, class: keyClass).isEmpty { return true }
      }
      for run in obligations.runStarts(of: tuple).runs {
        let after = obligations.nextTuple(tuple, UInt8(run.lowerBound))
        if obligations.content(of: after) == RegularLanguages.dead { continue }
        let isOutside = obligations.nameNode(of: after) == nil
        for byte in run {
          if text != TextTable.unknown, let longer = texts.child(of: text, UInt8(byte)) {
            pending.append((after, longer))
            continue
          }
          // It leaves all texts, as the other bytes of the run would.
          if isOutside, canComplete(key: after, frame) { return true }
          if !isOutside { pending.append((after, TextTable.unknown)) }
          break
        }
      }
    }
    return false
  }

  /// More keys than an object has had are not counted.
  private static let manyKeys: UInt32 = 1 << 20

  /// How many undeclared keys go on from what was read, or fewer: where there are many, and more than
  /// some bytes ahead, nothing is counted.
  private mutating func undeclaredKeyCount(
    _ tuple: UInt32, _ frame: Frame, lookahead: Int = 24
  ) -> UInt32 {
    let key = UInt64(place(of: frame.a, frame.b)) << 32 | UInt64(tuple)
    if let known = undeclaredKeyCounts[key] { return known }
    if lookahead == 0 { return 1 }
    // Where what was read leads here again there is no end of keys.
    undeclaredKeyCounts.set(key, .max)
    let keyClass = obligations.isBoundary(tuple) ? obligations.keyClass(tuple) : nil
    let endsHere =
      keyClass.map { !extraChoices(object: Int(frame.a), frame.b, class: $0).isEmpty } ?? false
    var result: UInt32 = endsHere && obligations.nameNode(of: tuple) == nil ? 1 : 0
    for run in obligations.runStarts(of: tuple).runs where result < Self.manyKeys {
      let after = obligations.nextTuple(tuple, UInt8(run.lowerBound))
      guard obligations.nameNode(of: after) == nil, canComplete(key: after, frame) else {
        continue
      }
      let more = undeclaredKeyCount(after, frame, lookahead: lookahead - 1)
      result = UInt32(clamping: UInt64(result) + UInt64(more) * UInt64(run.count))
    }
    undeclaredKeyCounts.set(key, result)
    return result
  }

  private mutating func isAmong(_ text: UInt32, _ keys: PersistentSets.Set) -> Bool {
    text != TextTable.unknown && wordSets.contains(text, in: keys)
  }
}
