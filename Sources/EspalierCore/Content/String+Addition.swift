// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension String {
  /// What the text has gained over an earlier one; nil where it does not begin with that.
  ///
  /// By bytes: an accent, a vowel sign or a joiner that comes after its letter changes the last
  /// character, which `hasPrefix` and `count` take for another text.
  package func addition(to earlier: String) -> String? {
    guard utf8.starts(with: earlier.utf8) else { return nil }
    return String(decoding: utf8.dropFirst(earlier.utf8.count), as: UTF8.self)
  }
}
