// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Testing

@Suite(.computesForLong) struct LookAroundTests {
  /// A look-ahead knows the text before it (found by comparison with an ECMA-262 engine).
  @Test(arguments: [
    ("a(?=\\b)", "ab", false), ("a(?=\\b)", "a b", true), ("x(?=\\By)", "xy", true),
    ("_(?=$\\B)", "_", false), ("_(?=$\\b)", "_", true), ("a(?!(?<=a)b)", "ab", false),
    ("a(?!(?<=b)b)", "ab", true), ("a(?=(?=(?<=ba)c))", "bac", true),
    ("a(?=(?=(?<=ca)c))", "bac", false), ("b(?!^)a", "ba", true), ("(?!^(ab|cd)$)", "cd", true),
    ("^(?!^(ab|cd)$)", "cd", false),
  ])
  func lookAheadsKnowWhatCameBefore(pattern: String, text: String, matches: Bool) throws {
    let escaped = pattern.replacing("\\", with: "\\\\")
    var validator = try StreamValidator(
      jsonSchema: #"{"type":"string","pattern":"\#(escaped)"}"#)
    validator.append("\"\(text)\"")
    #expect((validator.finish() == .complete) == matches)
  }
}
