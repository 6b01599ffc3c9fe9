import SwiftDiagnostics
import SwiftSyntax

// A guide whose name is one or two letters off a known one is taken for a misspelling. The compiler
// says that there is no such guide, at the property, and the expansion leaves the guide out, so that
// it does not say so again. A guide of another name may be an app's own, and stays.

/// The name of a guide that is none, and the name that is meant.
struct MisspelledGuide {
  let name: TokenSyntax
  let meant: String

  init?(_ guide: ExprSyntax) {
    let callee = guide.as(FunctionCallExprSyntax.self)?.calledExpression ?? guide
    guard let member = callee.as(MemberAccessExprSyntax.self), member.base == nil else {
      return nil
    }
    name = member.declName.baseName
    let written = Array(name.plainText)
    guard !Self.known.contains(name.plainText) else { return nil }
    let near = Self.known.map { (name: $0, distance: distance(written, Array($0))) }
      .filter { $0.distance <= ($0.name.count < 6 ? 1 : 2) }
    guard let best = near.min(by: { $0.distance < $1.distance }) else { return nil }
    meant = best.name
  }

  private static let known = [
    "constant", "anyOf", "pattern", "minimumLength", "maximumLength", "length", "format", "minimum",
    "maximum", "range", "exclusiveMinimum", "exclusiveMaximum", "multiple", "minimumCount",
    "maximumCount", "count", "element", "uniqueElements",
  ]

  /// What the macro says beside the compiler's error.
  var diagnostic: Diagnostic {
    Diagnostic(
      node: name,
      message: MacroProblem(
        id: "misspelledGuide",
        message: "'.\(name.text)' is taken for a misspelled '.\(meant)', and is left out.",
        severity: .warning),
      fixIt: .replace(
        message: MacroFix(id: "spellGuide", message: "write '.\(meant)'"), oldNode: name,
        newNode: name.with(\.tokenKind, .identifier(meant))))
  }
}

/// How many letters have to be added, left out, replaced, or swapped with the next.
private func distance(_ left: [Character], _ right: [Character]) -> Int {
  var rows = [Array(0...right.count)]
  for row in left.indices {
    var next = [row + 1]
    for column in right.indices {
      let same = left[row] == right[column]
      var best = min(
        rows[row][column] + (same ? 0 : 1), rows[row][column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, rows[row - 1][column - 1] + 1)
      }
      next.append(best)
    }
    rows.append(next)
  }
  return rows[left.count][right.count]
}
