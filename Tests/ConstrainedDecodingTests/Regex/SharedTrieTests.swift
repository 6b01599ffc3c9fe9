// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConstraintEngine

@Suite struct SharedTrieTests {
  private static func bytes(_ strings: [String]) -> [[UInt8]] { strings.map { Array($0.utf8) } }

  @Test(arguments: [
    [], [""], ["a"], ["", "a", "ab", "b"], ["ant", "bee", "bug"], ["é", "e", "è", "日本"],
  ])
  func holdsItsStrings(strings: [String]) {
    var trie = ByteTrie()
    _ = trie.addShared(Self.bytes(["b", "ant", "e"]))
    let root = trie.addShared(Self.bytes(strings))
    let found = trie.strings(from: root).map { String(decoding: $0, as: UTF8.self) }
    #expect(found.sorted() == strings.sorted())
    #expect(trie.addShared(Self.bytes(strings.reversed())) == root)
  }

  /// What one more string does not go through stays as it was.
  @Test func oneMoreStringCostsItsOwnNodes() throws {
    var languages = RegularLanguages()
    let names = (0..<200).map { "name\($0 % 20)-\($0)-of-many" }
    var strings: [String] = []
    for name in names {
      strings.append(name)
      let before = languages.trie.count
      let state = languages.sharedFinite(Self.bytes(strings))
      #expect(languages.countStrings(state) == strings.count)
      if strings.count == names.count {
        // Its own nodes and their siblings, not those of 200 strings.
        #expect(languages.trie.count - before < 100)
      }
    }
    var few = RegularLanguages()
    let (one, two) = (
      few.sharedFinite(Self.bytes(["ant", "bee"])),
      few.sharedFinite(Self.bytes(["ant", "bee", "bug"]))
    )
    #expect(one != two)
    let (first, second) = (few.liveNext(one, 0x61), few.liveNext(two, 0x61))
    #expect(first == second)
    let (third, fourth) = (few.liveNext(one, 0x62), few.liveNext(two, 0x62))
    #expect(third != fourth)
  }
}
