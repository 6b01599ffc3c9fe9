// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How JSON writes strings.
enum JSONSpelling {
  /// Whether a byte stands for itself between quotes.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x22 && byte != 0x5C }
}
