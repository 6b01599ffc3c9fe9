/// Which kinds of characters tokens are made of.
///
/// In a language that stays in one state over some characters, such as `[a-z0-9-]*`, a token made of
/// those alone stays inside, whatever its length. The bytes are divided into some forty kinds; a
/// token's *signature* is the set of the kinds that it has, as bits, and tokens of one signature are
/// taken or left together: of 128,256 tokens 25,000 are `a`…`z` alone. For a walk over the trie every
/// node has the signature of all that is below it.
///
/// Worked example: the tokens `ab`, `ab-`, `a1` have the signatures {a–f}, {a–f, -} and {a–f, 1–9}.
struct TokenSignatures: Sendable {
  typealias Signature = UInt64

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

  /// A scalar beyond ASCII, whole or cut at the token's end.
  static let beyondASCII: Signature = 1 << 62
  /// A scalar beyond ASCII that is white space or ends a line in regular expressions, beside
  /// ``beyondASCII``: `.` and `\S` take all others. Every beginning of one begins others too.
  static let spaceBeyondASCII: Signature = 1 << 61
  /// The scalars of that kind, in UTF-8 (ECMA-262, sections 12.2 and 12.3).
  static let spacesBeyondASCII: [[UInt8]] = spaceScalarsBeyondASCII.compactMap {
    Unicode.Scalar($0).map { Array(String(Character($0)).utf8) }
  }
  static let spaceScalarsBeyondASCII: [UInt32] =
    [0xA0, 0x1680] + (0x2000...0x200A) + [0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
  /// The same as numbers, the first byte highest, and what they begin with.
  static let packedSpaces = spacesBeyondASCII.map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  static let packedSpaceBeginnings: [UInt32] = {
    let beginnings = packedSpaces.flatMap { text in
      text >> 16 == 0 ? [text >> 8] : [text >> 8, text >> 16]
    }
    return Array(Set(beginnings)).sorted()
  }()
  /// The first bytes of those.
  static let spaceLeads = ByteSet(spacesBeyondASCII.compactMap(\.first))
  /// A scalar beyond ASCII that texts rarely have, beside ``beyondASCII``: controls, private use, and
  /// what is no character, which identifiers of resources leave out. Whole, or cut where all that
  /// begin so are of this kind.
  static let unusualBeyondASCII: Signature = 1 << 60
  /// The scalars of that kind.
  static let unusualScalarsBeyondASCII: [ClosedRange<UInt32>] =
    [0x80...0x9F, 0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFFF0...0xFFFF]
    + (1...14).map { $0 << 16 | 0xFFFE...$0 << 16 | 0xFFFF } + [0xF_0000...0x10_FFFF]
  /// All kinds beyond ASCII.
  static let anyBeyondASCII = beyondASCII | spaceBeyondASCII | unusualBeyondASCII
  /// What never stays inside by its signature: controls, quotes, escapes and stray bytes.
  static let never: Signature = 1 << 63
  /// The kind of each byte.
  static let kinds: [Signature] = makeKinds()
  /// The ASCII bytes of each kind that has any, in the order of the kinds.
  static let members: [(kind: Signature, bytes: [UInt8])] = {
    var result: [(kind: Signature, bytes: [UInt8])] = []
    for byte in UInt8(0x20)...0x7F where byte != 0x22 && byte != 0x5C {
      let kind = kinds[Int(byte)]
      if let place = result.firstIndex(where: { $0.kind == kind }) {
        result[place].bytes.append(byte)
      } else {
        result.append((kind, [byte]))
      }
    }
    return result
  }()

  /// The kinds of those.
  static let memberKinds = members.map(\.kind)
  /// By ASCII byte, which of ``members`` has it, or ``noMember``.
  static let memberIndices: [UInt8] = {
    var indices = [UInt8](repeating: UInt8(noMember), count: 0x80)
    for (index, (_, bytes)) in members.enumerated() {
      for byte in bytes { indices[Int(byte)] = UInt8(index) }
    }
    return indices
  }()
  static let noMember = 0xFF

  /// All kinds that tokens inside a string may have.
  static let all = members.reduce(anyBeyondASCII) { $0 | $1.kind }

  /// The groups of tokens that do not start with a space, and of those that do, which is not in their
  /// signatures: in most vocabularies every other token does.
  let largeGroups: [[LargeGroup]]
  let smallGroups: [SmallGroups]
  let tokens: [Int32]
  /// By node of the trie: the kinds of its byte and of all bytes below it.
  let below: [Signature]
  /// The nodes that complete a scalar of ``spaceBeyondASCII``, as bits.
  private let spaceNodes: [UInt64]
  /// The nodes of ``unusualBeyondASCII``.
  private let unusualNodes: [UInt64]

  /// The kinds of a node's byte.
  @inline(__always)
  func kind(_ node: Int, _ byte: UInt8) -> Signature {
    let kind = Self.kinds[Int(byte)]
    if kind != Self.beyondASCII { return kind }
    let (space, unusual) = (spaceNodes[node >> 6], unusualNodes[node >> 6])
    if space | unusual == 0 { return kind }
    let bit = UInt64(node & 63)
    return kind | (space >> bit & 1) * Self.spaceBeyondASCII
      | (unusual >> bit & 1) * Self.unusualBeyondASCII
  }

  /// Whether a node completes white space beyond ASCII.
  func isSpaceBeyondASCII(_ node: Int) -> Bool {
    spaceNodes[node >> 6] >> UInt64(node & 63) & 1 == 1
  }

  /// Whether all scalars that begin with some bytes beyond ASCII are unusual.
  private static func areUnusual(startingWith text: ArraySlice<UInt8>) -> Bool {
    guard let lead = text.first, lead >= 0xC2 else { return false }
    let count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var value = UInt32(lead) & (0x7F >> UInt32(count))
    for byte in text.dropFirst() { value = value << 6 | UInt32(byte & 0x3F) }
    let rest = UInt32(6 * (count - text.count))
    let (low, high) = (value << rest, min(value << rest | ((1 << rest) - 1), 0x10_FFFF))
    return unusualScalarsBeyondASCII.contains { $0.lowerBound <= low && high <= $0.upperBound }
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
    var unusualNodes = spaceNodes
    var found: [[Signature: [Int32]]] = [[:], [:]]
    var isAfterSpace = 0
    for node in 0..<trie.count {
      let depth = Int(trie.nodes[node].depth)
      while open.count >= depth {
        let child = open.removeLast()
        if let parent = open.last { below[parent] |= below[child] }
      }
      let byte = trie.nodes[node].byte
      var kind = Self.kinds[Int(byte)]
      var state = states[depth - 1]
      if kind != Self.never, state < StringScanner.closed { state = scanner.next(state, byte) }
      if kind == Self.never || state >= StringScanner.closed {
        state = StringScanner.dead
        kind = Self.never
      }
      text[depth] = byte
      if kind == Self.beyondASCII {
        var scalarStart = depth
        while scalarStart > 1, text[scalarStart] & 0xC0 == 0x80 { scalarStart -= 1 }
        if Self.areUnusual(startingWith: text[scalarStart...depth]) {
          kind |= Self.unusualBeyondASCII
          unusualNodes[node >> 6] |= 1 << UInt64(node & 63)
        }
      }
      if kind == Self.beyondASCII, depth > 1 {
        let last = UInt32(text[depth - 1]) << 8 | UInt32(byte)
        let packed = last >> 8 == 0xC2 ? last : UInt32(text[depth - 2]) << 16 | last
        if Self.packedSpaces.contains(packed) {
          kind |= Self.spaceBeyondASCII
          spaceNodes[node >> 6] |= 1 << UInt64(node & 63)
        }
      }
      states[depth] = state
      if depth == 1 { isAfterSpace = byte == 0x20 ? 1 : 0 }
      paths[depth] = depth == 1 && byte == 0x20 ? 0 : paths[depth - 1] | kind
      below[node] = kind
      open.append(node)
      if paths[depth] & Self.never != 0 { continue }
      var token = trie.nodes[node].token
      while token >= 0 {
        found[isAfterSpace][paths[depth], default: []].append(token)
        token = trie.duplicates[Int(token)]
      }
    }
    while let child = open.popLast() {
      if let parent = open.last { below[parent] |= below[child] }
    }
    self.below = below
    self.spaceNodes = spaceNodes
    self.unusualNodes = unusualNodes
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

  private static func makeKinds() -> [Signature] {
    var kinds = [Signature](repeating: never, count: 256)
    var next: Signature = 1
    func add(_ bytes: ClosedRange<UInt8>) {
      for byte in bytes { kinds[Int(byte)] = next }
      next <<= 1
    }
    let ranges: [ClosedRange<UInt8>] = [
      0x61...0x66, 0x67...0x7A, 0x41...0x46, 0x47...0x5A, 0x30...0x30, 0x31...0x39,
    ]
    for range in ranges { add(range) }
    for byte in UInt8(0x20)...0x7F where kinds[Int(byte)] == never && byte != 0x22 && byte != 0x5C {
      add(byte...byte)
    }
    for byte in 0x80...0xFF { kinds[byte] = beyondASCII }
    return kinds
  }
}
