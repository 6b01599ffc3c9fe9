/// The masks of one grammar over one vocabulary, computed once for each stack that differs in what
/// a token can read.
struct MaskCache {
  private let vocabulary: Vocabulary.Storage
  private let index: TokenIndex
  /// By canonical stack.
  private var stackMasks: [StackID: TokenMask] = [:]
  /// By configuration.
  private var masks: [Automaton.Configuration: TokenMask] = [:]

  init(vocabulary: Vocabulary.Storage, anyEscapes: Bool) {
    self.vocabulary = vocabulary
    index = vocabulary.index(anyEscapes: anyEscapes)
  }

  /// The tokens that may come next in a configuration.
  mutating func mask(
    _ configuration: Automaton.Configuration, _ automaton: inout Automaton
  ) -> TokenMask {
    if let known = masks[configuration] { return known }
    let stacks = automaton.stacks(of: configuration)
    var result: TokenMask
    if stacks.count == 1 {
      result = mask(stack: stacks[0], &automaton)
    } else {
      var words = [UInt32](repeating: 0, count: (vocabulary.count + 31) / 32)
      for stack in stacks {
        let part = mask(stack: stack, &automaton)
        for place in words.indices { words[place] |= part.storage.words[place] }
      }
      result = TokenMask(storage: TokenMask.Storage(words: words))
    }
    masks[configuration] = result
    return result
  }

  private mutating func mask(stack: StackID, _ automaton: inout Automaton) -> TokenMask {
    let canonical = automaton.canonical(stack, reach: index.split.maximumScalars)
    var result: TokenMask
    if let known = stackMasks[canonical] {
      result = known
    } else {
      var builder = MaskBuilder(vocabulary: vocabulary, index: index)
      if let unbounded = withoutBound(canonical, &automaton) {
        builder.words = mask(stack: unbounded.stack, &automaton).storage.words
        builder.recheck(longerThan: unbounded.length, canonical, &automaton)
      } else {
        builder.add(canonical, &automaton)
      }
      if automaton.mayEnd(canonical) {
        let token = vocabulary.endOfSequence
        builder.words[token >> 5] |= 1 << UInt32(token & 31)
      }
      result = TokenMask(storage: TokenMask.Storage(words: builder.words))
      stackMasks[canonical] = result
    }
    if canonical != stack { recheck(&result, stack, &automaton) }
    return result
  }

  /// The stack of a string with a pattern without the bound on its length, and the length up to which
  /// no token can tell the difference.
  private func withoutBound(
    _ stack: StackID, _ automaton: inout Automaton
  ) -> (stack: StackID, length: Int)? {
    var frame = automaton.stacks[stack]
    guard frame.kind == .string, frame.b == 0, frame.c == 0, frame.d != .max,
      !automaton.obligations.languages.isFreeState(frame.a)
    else { return nil }
    let length = Int(frame.d) - automaton.obligations.languages.slack(frame.a)
    guard length >= 8 else { return nil }
    frame.d = .max
    return (automaton.stacks.intern(frame), length)
  }

  /// Takes out the tokens that would repeat a key, which the canonical stack does not remember.
  private func recheck(
    _ mask: inout TokenMask, _ stack: StackID, _ automaton: inout Automaton
  ) {
    let (seen, text, isRecorded) = automaton.seenKeys(stack)
    if seen.isEmpty, text == nil, !isRecorded { return }
    var words: [UInt32]?
    func look(_ token: Int32) {
      guard mask.contains(Int(token)) else { return }
      var configuration = stack
      for byte in vocabulary.bytes(of: Int(token)) {
        configuration = automaton.next(configuration, byte)
      }
      if configuration == Automaton.dead { clear(token, &words, mask) }
    }
    for key in seen {
      for token in index.quoted[key] ?? [] { look(token) }
    }
    for token in index.unusual { look(token) }
    // Tokens that complete the key as one seen before, whatever follows.
    if let text {
      for key in automaton.siblingKeys(stack) where key.starts(with: text) {
        guard let node = vocabulary.trie.node(key.dropFirst(text.count) + [0x22]) else { continue }
        for below in node..<Int(vocabulary.trie.ends[node]) {
          var token = vocabulary.trie.tokens[below]
          while token >= 0 {
            if mask.contains(Int(token)) { clear(token, &words, mask) }
            token = vocabulary.trie.duplicates[Int(token)]
          }
        }
      }
    }
    if let words { mask = TokenMask(storage: TokenMask.Storage(words: words)) }
  }

  private func clear(_ token: Int32, _ words: inout [UInt32]?, _ mask: TokenMask) {
    var changed = words ?? mask.storage.words
    changed[Int(token) >> 5] &= ~(1 << UInt32(token & 31))
    words = changed
  }
}
