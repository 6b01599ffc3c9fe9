// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The SHA-256 digest of bytes that come in pieces.
///
/// Source: FIPS 180-4. A platform's own library is not everywhere, and what an app links has no
/// package.
///
/// A module of its own, for debug builds optimise it: without, the digest of the model that a newcomer
/// fetches took 24 seconds.
///
/// Example: the digest of `abc` is `ba7816bf 8f01cfea … f20015ad`.
package struct SHA256 {
  package init() {}

  private var state: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
    0x5BE0_CD19,
  ]
  private var rest: [UInt8] = []
  private var count: UInt64 = 0
  private var words = [UInt32](repeating: 0, count: 64)

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]

  /// Takes bytes in.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var start = 0
    if !rest.isEmpty {
      start = min(64 - rest.count, bytes.count)
      rest += bytes[..<start]
      guard rest.count == 64 else { return }
      let block = rest
      rest = []
      block.withUnsafeBytes { take($0, at: 0) }
    }
    while bytes.count - start >= 64 {
      take(bytes, at: start)
      start += 64
    }
    rest += bytes[start...]
  }

  /// The digest in hexadecimal digits.
  package consuming func digest() -> String {
    let bitCount = count * 8
    var end: [UInt8] = [0x80]
    end += repeatElement(0, count: (119 - rest.count) % 64)
    end += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
    end.withUnsafeBytes { update($0) }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    for i in 0..<16 {
      words[i] = UInt32(
        bigEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * i, as: UInt32.self))
    }
    for i in 16..<64 {
      let (a, b) = (words[i - 15], words[i - 2])
      let first = Self.rotate(a, 7) ^ Self.rotate(a, 18) ^ a >> 3
      let second = Self.rotate(b, 17) ^ Self.rotate(b, 19) ^ b >> 10
      words[i] = words[i - 16] &+ first &+ words[i - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    let constants = Self.constants
    for i in 0..<64 {
      let high = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
      let one = h &+ high &+ (e & f ^ ~e & g) &+ constants[i] &+ words[i]
      let low = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
      let two = low &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
    }
    for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= value }
  }

  @inline(__always)
  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }
}
