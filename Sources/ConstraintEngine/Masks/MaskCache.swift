// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The masks of one grammar over one vocabulary, computed once for each stack that differs in what
/// a token can read.
struct MaskCache {
  let vocabulary: Vocabulary.Storage
  let index: TokenIndex
  var builder: MaskBuilder
  private(set) var masks: [TokenMask] = []
  /// The masks by a hash of what they are made of.
  private var maskPlaces = FlatMap()
  /// By canonical stack, the index of its mask; -1 where it has not been needed.
  private var stackMasks: [Int32] = []
  /// The same by configuration.
  private var configurationMasks = FlatMap()
  /// By detached mask and row below, the mask of the two.
  private var detachedMasks = FlatMap()
  /// By masks, the mask of what any of them allows.
  private var unions: [[Int]: Int] = [:]
  private var maskBytes = 0
  var repeats = RepeatedKeys()

  init(vocabulary: Vocabulary.Storage, anyEscapes: Bool) {
    self.vocabulary = vocabulary
    index = vocabulary.index(anyEscapes: anyEscapes)
    builder = MaskBuilder(vocabulary: vocabulary, index: index)
  }

  /// The mask of a configuration, if it was made before.
  mutating func known(_ configuration: Automaton.Configuration) -> TokenMask.Storage? {
    guard let found = configurationMasks[UInt64(configuration)] else { return nil }
    let mask = Int(found)
    if masks[mask].storage.isWorthBits { addBits(mask) }
    return masks[mask].storage
  }

  /// Makes the masks objects of their own: two threads that count the references of the same objects
  /// wait for each other's caches.
  mutating func separate() {
    masks = masks.map { TokenMask(storage: $0.storage.copy()) }
  }

  /// Gives a mask that is asked for again all of its bits: from then on they are handed out as they
  /// are.
  private mutating func addBits(_ mask: Int) {
    masks[mask] = TokenMask(storage: masks[mask].storage.withBits())
    maskBytes += masks[mask].storage.base.words.count * 4
  }

  /// The tokens that may come next in a configuration.
  mutating func mask(
    _ configuration: Automaton.Configuration, _ automaton: inout Automaton
  ) -> TokenMask {
    if configuration == Automaton.dead {
      return TokenMask(storage: TokenMask.Storage(base: index.noTokens, added: []))
    }
    if let known = known(configuration) { return TokenMask(storage: known) }
    let found = union(automaton.stacks(of: configuration).map { mask(stack: $0, &automaton) })
    configurationMasks.set(UInt64(configuration), UInt32(found))
    return masks[found]
  }

  /// The memory of the masks and of what they are made from, in bytes. Mutating, for it is asked at
  /// each step, and a copy of all tables would be made for it.
  var byteCount: Int {
    mutating get {
      maskBytes + maskPlaces.byteCount + builder.byteCount + detachedMasks.byteCount
        + repeats.byteCount + unions.count * 96
        + configurationMasks.byteCount + stackMasks.count * 4
    }
  }

  /// Keeps a mask; an equal one is kept once, since the ways to read a text mostly go on alike.
  mutating func store(_ mask: TokenMask) -> Int {
    var hash = mask.storage.contentHash
    while let known = maskPlaces[hash] {
      if masks[Int(known)].storage.isAlike(mask.storage) { return Int(known) }
      hash &+= 1
    }
    maskPlaces.set(hash, UInt32(masks.count))
    masks.append(mask)
    maskBytes += mask.storage.byteCount
    return masks.count - 1
  }

  /// The mask of what any of some masks allows.
  private mutating func union(_ parts: [Int]) -> Int {
    if parts.count == 1 { return parts[0] }
    let parts = Set(parts).sorted()
    if let known = unions[parts] { return known }
    let result = findUnion(parts)
    unions[parts] = result
    return result
  }

  private mutating func findUnion(_ parts: [Int]) -> Int {
    let largest = parts.max { masks[$0].count < masks[$1].count } ?? 0
    let others = parts.filter { $0 != largest }
    let first = masks[largest].storage
    if others.isEmpty { return largest }
    let isSparse = others.allSatisfy {
      let storage = masks[$0].storage
      return storage.base === first.base && storage.removed.isEmpty || storage.count <= 4096
    }
    guard isSparse, first.removed.isEmpty else {
      var words = first.words
      for part in others {
        let more = masks[part].storage.words
        for place in words.indices { words[place] |= more[place] }
      }
      return store(TokenMask(storage: TokenMask.Storage(words: words)))
    }
    builder.reset()
    builder.base = first.base
    builder.added = first.added
    builder.isAmbiguous = true
    for part in others {
      let storage = masks[part].storage
      if storage.base === first.base {
        builder.added += storage.added
      } else {
        for token in masks[part].tokens { builder.added.append(UInt32(token)) }
      }
    }
    return store(builder.mask())
  }

  private mutating func mask(stack: StackID, _ automaton: inout Automaton) -> Int {
    let canonical = automaton.canonical(stack, reach: index.split.reach)
    let place = Int(canonical)
    while stackMasks.count <= place { stackMasks.append(-1) }
    var found = Int(stackMasks[place])
    if found < 0 {
      found = build(canonical, &automaton)
      while stackMasks.count <= place { stackMasks.append(-1) }
      stackMasks[place] = Int32(found)
    }
    return withoutRepeats(found, stack, &automaton)
  }

  private mutating func build(_ canonical: StackID, _ automaton: inout Automaton) -> Int {
    let frame = automaton.stacks[canonical]
    if frame.kind == .number, automaton.obligations.numbers.mayEnd(frame.a) {
      return buildNumber(canonical, frame, &automaton)
    }
    if frame.kind == .rule { return buildRule(canonical, &automaton) }
    if let parts = builder.detachedMask(frame, &automaton) {
      let key = UInt64(parts.mask) << 32 | UInt64(parts.below)
      if let known = detachedMasks[key] { return Int(known) }
      builder.reset()
      builder.add(detached: parts.mask, below: parts.below)
      let found = store(builder.mask())
      detachedMasks.set(key, UInt32(found))
      return found
    }
    builder.reset()
    builder.add(canonical, &automaton)
    if automaton.mayEnd(canonical) { builder.added += vocabulary.ends }
    return store(builder.mask())
  }

  /// A position of a rule: what its leaves allow.
  private mutating func buildRule(_ stack: StackID, _ automaton: inout Automaton) -> Int {
    let closure = automaton.ruleClosure(stack)
    var parts: [Int] = []
    for leaf in closure.leaves where automaton.stacks[leaf].kind != .rule {
      parts.append(mask(stack: leaf, &automaton))
    }
    builder.reset()
    builder.isAmbiguous = true
    for leaf in closure.leaves { builder.addLanguage(automaton.stacks[leaf], &automaton) }
    if closure.mayEnd { builder.added += vocabulary.ends }
    let own = builder.mask()
    return parts.isEmpty ? store(own) : union(parts + [store(own)])
  }

  /// A number that may end: what goes on with it, and what may come after it.
  private mutating func buildNumber(
    _ canonical: StackID, _ frame: Frame, _ automaton: inout Automaton
  ) -> Int {
    var after: [StackID] = []
    automaton.complete(number: frame, into: &after)
    let parts = after.map { mask(stack: $0, &automaton) }
    builder.reset()
    if parts.count == 1, automaton.stacks[after[0]].kind != .rule {
      // What follows a number starts with none of its characters, so that the two are disjoint.
      let rest = masks[parts[0]].storage
      builder.base = rest.base
      builder.added = rest.added
      builder.removed = rest.removed
      builder.add(canonical, &automaton)
      return store(builder.mask())
    }
    builder.add(canonical, &automaton)
    return union(parts + [store(builder.mask())])
  }
}
