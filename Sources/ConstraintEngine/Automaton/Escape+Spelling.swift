// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How the bytes of a JSON string spell its content.
extension Escape {
  /// What one byte of a spelling means for the content.
  enum Spelled {
    case byte
    case scalar(UInt32)
    case escape(Escape)
    case quote
    case nothing
  }

  /// What a byte means here.
  ///
  /// - Parameter anyEscapes: Whether a character may be escaped that need not be.
  @inline(__always)
  func spelled(_ byte: UInt8, anyEscapes: Bool) -> Spelled {
    if phase != .none { return escaped(byte, anyEscapes: anyEscapes) }
    if byte == 0x22 { return .quote }
    if byte == 0x5C { return .escape(Escape(.backslash)) }
    return byte < 0x20 ? .nothing : .byte
  }

  private func escaped(_ byte: UInt8, anyEscapes: Bool) -> Spelled {
    switch phase {
    case .none: return .nothing
    case .backslash:
      if byte == UInt8(ascii: "u") { return .escape(Escape(.hexadecimal)) }
      guard let scalar = Escape.scalar(letter: byte) else { return .nothing }
      return !anyEscapes && scalar == 0x2F ? .nothing : .scalar(scalar)
    case .hexadecimal:
      guard let digit = byte.hexadecimalValue else { return .nothing }
      if !anyEscapes, !isCanonical(byte) { return .nothing }
      let value = self.value << 4 | UInt32(digit)
      if digits < 3 {
        let after = Escape(.hexadecimal, value: value, digits: digits + 1, high: high)
        // Of half a pair without the other one nothing can become.
        return after.range.isEmpty ? .nothing : .escape(after)
      }
      if let high {
        guard (0xDC00..<0xE000).contains(value) else { return .nothing }
        return .scalar(0x10000 + high << 10 + (value - 0xDC00))
      }
      if (0xD800..<0xDC00).contains(value) {
        return .escape(Escape(.lowBackslash, high: value - 0xD800))
      }
      return (0xDC00..<0xE000).contains(value) ? .nothing : .scalar(value)
    case .lowBackslash:
      return byte == 0x5C ? .escape(Escape(.lowLetter, high: high)) : .nothing
    case .lowLetter:
      guard byte == UInt8(ascii: "u") else { return .nothing }
      return .escape(Escape(.hexadecimal, high: high))
    }
  }

  /// Canonical spelling keeps `\u00xx`, in lower case, for the controls without a letter.
  func isCanonical(_ byte: UInt8) -> Bool {
    switch digits {
    case 0, 1: return byte == 0x30
    case 2: return byte == 0x30 || byte == 0x31
    default:
      let scalar = value << 4 | UInt32(byte.hexadecimalValue ?? 0)
      return !(0x41...0x46).contains(byte) && ![0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(scalar)
    }
  }

  /// The scalars that can still be spelled.
  func scalars(anyEscapes: Bool) -> [ClosedRange<UInt32>] {
    if !anyEscapes {
      switch phase {
      case .backslash: return [0...0x1F, 0x22...0x22, 0x5C...0x5C]
      default:
        // Only the controls without a letter are spelled by their number.
        let controls: [ClosedRange<UInt32>] = [0...0x07, 0x0B...0x0B, 0x0E...0x1F]
        return range.flatMap { range in
          controls.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
        }
      }
    }
    switch phase {
    case .none: return []
    case .backslash: return [0...0xD7FF, 0xE000...0x10FFFF]
    case .hexadecimal: return range
    case .lowBackslash, .lowLetter:
      let base = 0x10000 + (high ?? 0) << 10
      return [base...base + 0x3FF]
    }
  }

  static func utf8(_ scalar: UInt32) -> Unicode.UTF8.EncodedScalar {
    Unicode.Scalar(scalar).flatMap { Unicode.UTF8.encode($0) } ?? Unicode.UTF8.EncodedScalar()
  }
}
