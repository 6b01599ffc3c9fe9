// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxMacros

/// In which lines of its file the parts of a declaration are.
///
/// A context finds one place by going through the whole declaration, which for many properties takes
/// longer than the rest of the expansion: it is asked for the first place alone.
final class SourceLines {
  private let declaration: Syntax
  private let context: any MacroExpansionContext

  init(_ declaration: some SyntaxProtocol, in context: some MacroExpansionContext) {
    self.declaration = Syntax(declaration)
    self.context = context
  }

  /// The file as a literal, the line of the declaration, and where in it lines end.
  private lazy var table: (file: String, line: Int, ends: [Int])? = {
    guard
      let place = context.location(
        of: declaration, at: .afterLeadingTrivia, filePathMode: .filePath),
      let line = Int(place.line.trimmedDescription)
    else { return nil }
    let start = declaration.positionAfterSkippingLeadingTrivia.utf8Offset
    let skipped = start - declaration.position.utf8Offset
    let ends = declaration.syntaxTextBytes.dropFirst(skipped).enumerated()
      .filter { $0.element == UInt8(ascii: "\n") }.map { start + $0.offset }
    return (place.file.trimmedDescription, line, ends)
  }()

  /// Where a part is; nil where the context does not know.
  func place(of part: some SyntaxProtocol) -> SourcePlace? {
    guard let table else { return nil }
    let offset = part.positionAfterSkippingLeadingTrivia.utf8Offset
    let before = table.ends.partitioningIndex { $0 >= offset }
    return SourcePlace(file: table.file, line: table.line + before)
  }
}

/// A line of a file.
struct SourcePlace {
  /// The file, as a literal.
  let file: String
  let line: Int
}

extension [String] {
  /// Lines of which the compiler says that they are at a place of the developer's source.
  func located(at place: SourcePlace?) -> [String] {
    guard let place else { return self }
    return ["#sourceLocation(file: \(place.file), line: \(place.line))"] + self
      + ["#sourceLocation()"]
  }
}

extension [Int] {
  /// The first index whose element, and every one after it, satisfies the condition.
  fileprivate func partitioningIndex(where condition: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
