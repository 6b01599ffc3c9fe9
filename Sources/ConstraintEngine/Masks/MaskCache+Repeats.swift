// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What was found of keys that cannot come again.
struct RepeatedKeys {
  /// Which sets of keys have one that some token holds between two quotes, by set.
  fileprivate var answers: [Int8] = []
  /// By place in an object and keys, where the tokens are that begin a key which could only be
  /// repeated.
  var openingPlaces = FlatMap()
  var openings: [[Int32]] = []

  /// The memory held, in bytes.
  var byteCount: Int {
    answers.count + openingPlaces.byteCount + openings.reduce(0) { $0 + 32 + $1.count * 4 }
  }
}

/// Keys that have come before.
///
/// A canonical stack does not remember the undeclared keys of its objects, nor the text of the key
/// being read, so that its mask allows tokens that repeat one. Few tokens can: those that hold a
/// whole key between two quotes, those that complete the key being read, and those after which it
/// could only be repeated (`MaskCache+KeyEnds`).
extension MaskCache {
  /// A mask without the tokens that would repeat a key or, in a set, a string.
  mutating func withoutRepeats(
    _ found: Int, _ stack: StackID, _ automaton: inout Automaton
  ) -> Int {
    var candidates: [Int32] = []
    /// The tokens that repeat a key however they are read.
    var certain: [Int32] = []
    let isKeyNext = automaton.stacks[stack].kind == .object
    var at = stack
    while at != .max {
      let frame = automaton.stacks[at]
      if frame.kind == .object {
        if frame.f != PersistentSets.empty, isHeld(frame.f, &automaton) {
          addHolders(
            of: frame.f, leading: isKeyNext && at == stack, &automaton, to: &candidates, &certain)
        }
        if automaton.keyEnds(frame).contains(.areReached) {
          addOpenings(of: at, frame, &automaton, to: &candidates)
          candidates += index.quoted.reopening
        }
      }
      at = frame.parent
    }
    let top = automaton.stacks[stack]
    if top.kind == .key || top.kind == .string && top.e != 0 {
      addCompleting(top, &automaton, to: &candidates)
    }
    if top.kind == .key, automaton.keyEnds(automaton.stacks[top.parent]).contains(.areReached) {
      addEnds(below: TokenTrie.root, top, &automaton, to: &certain)
    }
    if candidates.isEmpty, certain.isEmpty { return found }
    let mask = masks[found].storage
    var refused = builder.allowed(certain, by: mask)
    let known = Set(refused)
    for id in builder.allowed(candidates, by: mask) where known.isEmpty || !known.contains(id) {
      var configuration = stack
      for byte in vocabulary.bytes(of: Int(id)) {
        configuration = automaton.next(configuration, byte)
      }
      if configuration == Automaton.dead { refused.append(id) }
    }
    if refused.isEmpty { return found }
    let refusedSet = Set(refused)
    let removed = mask.removed + refused.filter { mask.base.contains($0) }
    let added = mask.added.filter { !refusedSet.contains($0) }
    return store(
      TokenMask(storage: TokenMask.Storage(base: mask.base, added: added, removed: removed)))
  }

  /// Whether some token holds a key of a set; kept for each part of a set, which the next set
  /// shares.
  private mutating func isHeld(_ keys: PersistentSets.Set, _ automaton: inout Automaton) -> Bool {
    while repeats.answers.count <= Int(keys) { repeats.answers.append(-1) }
    if repeats.answers[Int(keys)] >= 0 { return repeats.answers[Int(keys)] == 1 }
    var result: Bool
    if let key = automaton.wordSets.onlyWord(of: keys) {
      result = index.quoted.tokens[automaton.texts.bytes(of: key)] != nil
    } else {
      let (low, high) = automaton.wordSets.parts(of: keys)
      result = isHeld(low, &automaton)
      if !result { result = isHeld(high, &automaton) }
    }
    repeats.answers[Int(keys)] = result ? 1 : 0
    return result
  }

  private mutating func addHolders(
    of extras: PersistentSets.Set, leading: Bool, _ automaton: inout Automaton,
    to candidates: inout [Int32], _ certain: inout [Int32]
  ) {
    if let key = automaton.wordSets.onlyWord(of: extras) {
      for holder in index.quoted.tokens[automaton.texts.bytes(of: key)] ?? [] {
        if leading, holder.isLeading {
          certain.append(holder.token)
        } else {
          candidates.append(holder.token)
        }
      }
      return
    }
    let (low, high) = automaton.wordSets.parts(of: extras)
    for part in [low, high] where isHeld(part, &automaton) {
      addHolders(of: part, leading: leading, &automaton, to: &candidates, &certain)
    }
  }

  /// The tokens that complete the key or string being read as one of some texts: the spellings before
  /// a quote are gone down beside the texts that were read.
  private func addCompleting(
    _ top: Frame, _ automaton: inout Automaton, to candidates: inout [Int32],
    asOneThat isAmong: (Automaton, UInt32) -> Bool
  ) {
    for (prefix, text) in index.split.spellings(in: automaton.texts, from: top.e)
    where isAmong(automaton, text) {
      candidates += index.split.entries(after: prefix).map { index.split.closingByPrefix[$0].token }
    }
  }

  /// The tokens that could complete the key or string being read as one that has come before, or
  /// repeat it later.
  private func addCompleting(
    _ top: Frame, _ automaton: inout Automaton, to candidates: inout [Int32]
  ) {
    if top.e == TextTable.unknown { return }
    // A string of few keeps its text: its mask holds nothing but what it may become.
    if top.kind == .string, automaton.isPartOfOneOf(top) { return }
    let parent = automaton.stacks[top.parent]
    // Of an object whose values are not compared only the keys are.
    let isKeyAlone = top.kind == .key && parent.kind == .object && parent.e == 0
    // Declared ones come once each, whatever their texts are.
    if isKeyAlone, !automaton.obligations.takesUndeclared(Int(parent.a)) { return }
    if top.b != 0 {
      // Inside an escape a token's first quote may be the escape's.
      candidates += index.quoted.all
    } else if let first = automaton.texts.firstByte(of: top.e) {
      candidates +=
        isKeyAlone ? index.quoted.laterKeys[Int(first)] : index.quoted.laterTexts[Int(first)]
    } else {
      candidates += isKeyAlone ? index.quoted.selfRepeatingKeys : index.quoted.selfRepeating
    }
    // Where a set compares containers, those that this text ends in are compared as well.
    if parent.kind == .member || parent.e != 0 { candidates += index.quoted.ending }
    if top.b != 0 { return }
    if isKeyAlone {
      if parent.f == PersistentSets.empty { return }
      // Most keys begin as no other one.
      guard automaton.texts.goesOn(top.e) || automaton.wordSets.contains(top.e, in: parent.f)
      else { return }
      return addCompleting(top, &automaton, to: &candidates) { automaton, text in
        automaton.wordSets.contains(text, in: parent.f)
      }
    }
    if parent.kind == .array, parent.e == 0 {
      let seen = automaton.seenSet(array: parent)
      if seen == PersistentSets.empty { return }
      return addCompleting(top, &automaton, to: &candidates) { automaton, text in
        automaton.values.known(.string(text)).map { automaton.wordSets.contains($0, in: seen) }
          ?? false
      }
    }
    let longest = vocabulary.trie.maximumDepth
    for earlier in automaton.earlierTexts(top) {
      guard let missing = automaton.texts.bytes(of: earlier, after: top.e, atMost: longest) else {
        continue
      }
      for (prefix, spelled) in index.split.escapedPrefixes where spelled.elementsEqual(missing) {
        candidates += index.split.entries(after: prefix).map {
          index.split.closingByPrefix[$0].token
        }
      }
      guard let node = vocabulary.trie.node(missing + [0x22]) else { continue }
      for below in node..<Int(vocabulary.trie.nodes[node].end) {
        vocabulary.trie.forEachToken(of: below) { candidates.append($0) }
      }
    }
  }
}
