// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Tries that share what they have in common.
///
/// An array whose items must differ asks for one set of strings after another, each with one string
/// more. Equal nodes are made once (hash-consing), so that a new set costs new nodes along its new
/// string alone, and all that was computed for the states of the others stays.
///
/// Worked example: `{"ant", "bee"}` and then `{"ant", "bee", "bug"}`. Strings are added from the last
/// to the first, so that a node is made when its children and its later siblings are. The second trie
/// has new nodes for `bug`, for `b` and for the siblings before `b`. What is below `a` is shared.
extension ByteTrie {
  /// Adds the trie of some strings. Indices are not kept.
  ///
  /// - Returns: The root, the same one for the same strings.
  /// - Complexity: Linear in the bytes of the strings, beside sorting them.
  mutating func addShared(_ strings: [[UInt8]]) -> Int {
    let sorted = strings.sorted { $1.lexicographicallyPrecedes($0) }
    // By depth: the first child so far of the node there, and whether a string ends at it.
    var path: [UInt8] = []
    var firstChildren: [Int32] = [-1]
    var ends = [false]
    func close(to depth: Int) {
      while path.count > depth {
        let (byte, firstChild, isEnd) = (
          path.removeLast(), firstChildren.removeLast(), ends.removeLast()
        )
        firstChildren[path.count] = share(
          byte, isEnd: isEnd, firstChild: firstChild, nextSibling: firstChildren[path.count])
      }
    }
    for string in sorted {
      close(to: zip(path, string).prefix { $0 == $1 }.count)
      for byte in string[path.count...] {
        path.append(byte)
        firstChildren.append(-1)
        ends.append(false)
      }
      ends[path.count] = true
    }
    close(to: 0)
    return Int(share(0, isEnd: ends[0], firstChild: firstChildren[0], nextSibling: -1))
  }
}
