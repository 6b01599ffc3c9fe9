// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConstraintEngine

@Suite struct SchemaKeywordTests {
  /// They are found by a hash, which must be another one for each.
  @Test(arguments: SchemaKeyword.allCases) func eachIsFoundByItsSpelling(keyword: SchemaKeyword) {
    #expect(SchemaKeyword(Array(keyword.rawValue.utf8)[...]) == keyword)
    #expect(SchemaKeyword(Array((keyword.rawValue + "s").utf8)[...]) != keyword)
    #expect(SchemaKeyword(Array(keyword.rawValue.uppercased().utf8)[...]) == nil)
  }
}
