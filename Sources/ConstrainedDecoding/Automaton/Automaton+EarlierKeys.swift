/// Keys that cannot come because they have come, or because they are declared.
///
/// Of most keys there is always a longer one, so that it is enough to refuse the closing quote of one
/// that has come before. Where a key is the longest that its patterns take, what was read of it leads
/// nowhere, and has to be refused before. Then all keys that cannot come are a language of their own
/// beside the patterns, and keys of that language belong to no class that may come.
///
/// Worked example: keys are four digits, and `{"2001":1,"200` was read. A `1` is refused, since only
/// a quote could follow it. Where keys are digits, as many as you like, it is not: `20010` may come.
extension Automaton {
  /// More keys than this are not told apart.
  private static let excludedLimit = 512

  /// The tuple that the next key of an object starts with.
  mutating func startTuple(_ frame: Frame) -> UInt32 {
    let object = Int(frame.a)
    if obligations.objects[object].components.isEmpty { return obligations.startTuple(object) }
    let extras = objectStates.word(Self.extras, of: frame.b)
    let key = UInt64(object) << 32 | UInt64(extras)
    if let known = keyStarts[key] { return known }
    let excluded = excludedKeys(object, extras)
    let result =
      excluded.map { obligations.startTuple(object, without: $0) } ?? obligations.startTuple(object)
    keyStarts.set(key, result)
    return result
  }

  /// Whether what was read of a key depends on the undeclared keys before it.
  mutating func excludesKeys(_ frame: Frame) -> Bool {
    startTuple(frame) != obligations.startTuple(Int(frame.a))
  }

  /// The keys that cannot come as a language, where one of them is the longest that could; `nil` where
  /// none is.
  private mutating func excludedKeys(
    _ object: Int, _ extras: PersistentSets.Set
  ) -> RegularLanguages.State? {
    let texts = extraSets.words(of: extras)
    guard texts.count + obligations.objects[object].members.count <= Self.excludedLimit else {
      return nil
    }
    var keys = earlierKeys[object] ?? EarlierKeys()
    if keys.root < 0 || !keys.texts.isSubset(of: texts) {
      let names = obligations.objects[object].members.map { obligations.graph.names[$0.name] }
      keys = EarlierKeys(root: obligations.languages.trie.add(names))
      for name in names where obligations.isLongest(name, of: object) { keys.hasLongest = true }
    }
    for text in texts.sorted() where text != TextTable.unknown && keys.texts.insert(text).inserted {
      let key = self.texts.bytes(of: text)
      keys.root = obligations.languages.trie.adding(key, to: keys.root)
      if !keys.hasLongest { keys.hasLongest = obligations.isLongest(key, of: object) }
    }
    earlierKeys[object] = keys
    return keys.hasLongest ? obligations.languages.trieState(keys.root) : nil
  }
}

/// The keys that an object had when its earlier keys were last looked at: the next time there are
/// mostly some more.
struct EarlierKeys {
  /// The root of their trie.
  var root = -1
  var texts: Set<UInt32> = []
  /// Whether one of them is the longest that could come.
  var hasLongest = false
}
