// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON, and where.
package struct JSONSyntaxError: Error, Sendable, Equatable {
  package enum Problem: Sendable, Equatable {
    /// Something else was expected; `found` is the byte that stood there, nil at the end.
    case unexpected(found: UInt8?, expected: String)
    case duplicateKey(String)
    case invalidUTF8
    case loneSurrogate
    case tooDeep(limit: Int)
    case tooLong(limit: Int)
  }

  package let problem: Problem

  /// Where, in bytes from the beginning.
  package let offset: Int

  /// The text around the place, and how many characters of it stand before the place.
  let excerpt: String
  let column: Int
}

extension JSONSyntaxError: CustomStringConvertible {
  /// What is wrong in one sentence.
  package var summary: String {
    switch problem {
    case .unexpected(let found?, let expected):
      "Expected \(expected) at byte \(offset), found \(Self.name(of: found))."
    case .unexpected(nil, let expected):
      "Expected \(expected) at byte \(offset), found the end of the text."
    case .duplicateKey(let key): "The object already has a property \"\(key)\" (byte \(offset))."
    case .invalidUTF8: "The bytes at \(offset) are not valid UTF-8."
    case .loneSurrogate: "Half of a surrogate pair at byte \(offset) stands for no character."
    case .tooDeep(let limit): "More than \(limit) levels of nesting, at byte \(offset)."
    case .tooLong(let limit): "More than \(limit) bytes of JSON."
    }
  }

  /// What is wrong, with the text around the place and a caret under it.
  package var description: String {
    excerpt.isEmpty
      ? summary : "\(summary)\n\(excerpt)\n\(String(repeating: " ", count: column))^"
  }

  private static func name(of byte: UInt8) -> String {
    switch byte {
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: "a space"
    case 0x0A, 0x0D: "a line break"
    case 0x09: "a tab"
    default: "the byte 0x\(String(byte, radix: 16, uppercase: true))"
    }
  }
}
