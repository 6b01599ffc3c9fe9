// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which kinds of characters tokens are made of.
///
/// In a language that stays in one state over some characters, such as `[a-z0-9-]*`, a token made of
/// those alone stays inside, whatever its length. The bytes are divided into some forty kinds
/// (``CharacterKinds``); a token's *signature* is the set of the kinds that it has, as bits, and tokens of one signature are
/// taken or left together: of 128,256 tokens 25,000 are `a`…`z` alone. For a walk over the trie every
/// node has the signature of all that is below it.
///
/// Worked example: the tokens `ab`, `ab-`, `a1` have the signatures {a–f}, {a–f, -} and {a–f, 1–9}.
struct TokenSignatures: Sendable {
  typealias Signature = CharacterKinds.Bits

  /// Many tokens with one signature, as bits.
  struct LargeGroup: Sendable {
    var signature: Signature
    var words: [UInt32]
    var count: Int
  }

  /// Tokens by their signatures, where there are few of each.
  struct SmallGroups: Sendable {
    var signatures: [Signature] = []
    /// Where the tokens of each signature start in `tokens`, and the last ones end.
    var starts: [Int32] = []
  }

  /// The groups of tokens that do not start with a space, and of those that do, which is not in their
  /// signatures: in most vocabularies every other token does.
  let largeGroups: [[LargeGroup]]
  let smallGroups: [SmallGroups]
  let tokens: [Int32]
  /// By node of the trie: the kinds of its byte and of all bytes below it.
  let below: [Signature]
  /// The nodes that complete a scalar of ``spaceBeyondASCII``, as bits.
  private let spaceNodes: [UInt64]
  /// The nodes of ``unusualBeyondASCII``, and of ``otherBeyondASCII``.
  private let unusualNodes: [UInt64]
  private let otherNodes: [UInt64]

  /// The kinds of a node's byte.
  @inline(__always)
  func kind(_ node: Int, _ byte: UInt8) -> Signature {
    let kind = CharacterKinds.kinds[Int(byte)]
    if kind != CharacterKinds.beyondASCII { return kind }
    let (word, bit) = (node >> 6, UInt64(node & 63))
    let (space, unusual, other) = (spaceNodes[word], unusualNodes[word], otherNodes[word])
    return kind | (space >> bit & 1) * CharacterKinds.spaceBeyondASCII
      | (unusual >> bit & 1) * CharacterKinds.unusualBeyondASCII
      | (other >> bit & 1) * CharacterKinds.otherBeyondASCII
  }

  /// Sets of this size are bits.
  private static let largeGroup = 1024

  init(trie: TokenTrie, tokenCount: Int) {
    let scanner = StringScanner(anyEscapes: false)
    var below = [Signature](repeating: 0, count: trie.count)
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var paths = [Signature](repeating: 0, count: trie.maximumDepth + 1)
    var open: [Int] = []
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var spaceNodes = [UInt64](repeating: 0, count: trie.count / 64 + 1)
    var (unusualNodes, otherNodes) = (spaceNodes, spaceNodes)
    var found: [[Signature: [Int32]]] = [[:], [:]]
    var isAfterSpace = 0
    for node in 0..<trie.count {
      let depth = Int(trie.nodes[node].depth)
      while open.count >= depth {
        let child = open.removeLast()
        if let parent = open.last { below[parent] |= below[child] }
      }
      let byte = trie.nodes[node].byte
      var kind = CharacterKinds.kinds[Int(byte)]
      var state = states[depth - 1]
      if kind != CharacterKinds.never, state < StringScanner.closed {
        state = scanner.next(state, byte)
      }
      if kind == CharacterKinds.never || state >= StringScanner.closed {
        state = StringScanner.dead
        kind = CharacterKinds.never
      }
      text[depth] = byte
      if kind == CharacterKinds.beyondASCII {
        var scalarStart = depth
        while scalarStart > 1, text[scalarStart] & 0xC0 == 0x80 { scalarStart -= 1 }
        kind = CharacterKinds.kindsBeyondASCII(text[scalarStart...depth])
        let bit: UInt64 = 1 << UInt64(node & 63)
        if kind & CharacterKinds.spaceBeyondASCII != 0 { spaceNodes[node >> 6] |= bit }
        if kind & CharacterKinds.unusualBeyondASCII != 0 { unusualNodes[node >> 6] |= bit }
        if kind & CharacterKinds.otherBeyondASCII != 0 { otherNodes[node >> 6] |= bit }
      }
      states[depth] = state
      if depth == 1 { isAfterSpace = byte == 0x20 ? 1 : 0 }
      paths[depth] = depth == 1 && byte == 0x20 ? 0 : paths[depth - 1] | kind
      below[node] = kind
      open.append(node)
      if paths[depth] & CharacterKinds.never != 0 { continue }
      trie.forEachToken(of: node) { found[isAfterSpace][paths[depth], default: []].append($0) }
    }
    while let child = open.popLast() {
      if let parent = open.last { below[parent] |= below[child] }
    }
    self.below = below
    self.spaceNodes = spaceNodes
    self.unusualNodes = unusualNodes
    self.otherNodes = otherNodes
    var largeGroups: [[LargeGroup]] = [[], []]
    var smallGroups = [SmallGroups(), SmallGroups()]
    var tokens: [Int32] = []
    for (place, groups) in found.enumerated() {
      for (signature, members) in groups.sorted(by: { $0.key < $1.key }) {
        if members.count >= Self.largeGroup {
          var words = [UInt32](repeating: 0, count: (tokenCount + 31) / 32)
          for token in members { words[Int(token) >> 5] |= 1 << UInt32(token & 31) }
          largeGroups[place].append(
            LargeGroup(signature: signature, words: words, count: members.count))
        } else {
          smallGroups[place].signatures.append(signature)
          smallGroups[place].starts.append(Int32(tokens.count))
          tokens += members
        }
      }
      smallGroups[place].starts.append(Int32(tokens.count))
    }
    self.largeGroups = largeGroups
    self.smallGroups = smallGroups
    self.tokens = tokens
  }
}
