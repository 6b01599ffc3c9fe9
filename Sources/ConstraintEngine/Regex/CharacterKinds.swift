// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The kinds of characters that sets of characters hardly ever tell apart, some forty, as bits of a word.
///
/// A pattern takes or leaves all characters of a kind, most often, and tokens are sorted by the kinds
/// that they have (``TokenSignatures``): so what a pattern says of a kind it says of thousands of tokens.
enum CharacterKinds {
  /// Some kinds.
  typealias Bits = UInt64

  /// What never stays inside by its signature: controls, quotes, escapes and stray bytes.
  static let never: Bits = 1 << 63
  /// The kind of each byte.
  static let kinds: [Bits] = makeKinds()
  /// The ASCII bytes of each kind that has any, in the order of the kinds.
  static let members: [(kind: Bits, bytes: [UInt8])] = {
    var result: [(kind: Bits, bytes: [UInt8])] = []
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

  private static func makeKinds() -> [Bits] {
    var kinds = [Bits](repeating: never, count: 256)
    var next: Bits = 1
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
