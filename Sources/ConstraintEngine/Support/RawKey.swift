// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A sequence of numbers as a key, hashed as the bytes that it is: an array hashes its elements one by
/// one.
struct RawKey<Element: BitwiseCopyable & Equatable>: Hashable {
  let elements: ArraySlice<Element>

  init(_ elements: ArraySlice<Element>) { self.elements = elements }

  static func == (first: RawKey, second: RawKey) -> Bool { first.elements == second.elements }

  func hash(into hasher: inout Hasher) {
    elements.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension RawKey: Sendable where Element: Sendable {}
