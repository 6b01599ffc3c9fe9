// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Texts as the nodes of a trie.
protocol TextTrie {
  associatedtype Text

  /// Visits the texts with one more byte.
  func forEachChild(of text: Text, _ body: (UInt8, Text) -> Void)

  /// The text with one more byte, if there is one.
  func child(of text: Text, _ byte: UInt8) -> Text?
}
