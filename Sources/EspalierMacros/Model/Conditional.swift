// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// An element of a declaration, or alternatives under `#if`.
enum Conditional<Element> {
  case element(Element)
  case branches([Branch])

  struct Branch {
    /// The line that opens the branch: `#if DEBUG`, `#else`.
    let directive: String
    let elements: [Conditional]
  }
}

extension Conditional {
  /// The elements of all branches.
  var elements: [Element] {
    switch self {
    case .element(let element): [element]
    case .branches(let branches): branches.flatMap { $0.elements.flatMap(\.elements) }
    }
  }

  /// Whether an element, in whatever branch, satisfies a condition.
  func contains(where predicate: (Element) -> Bool) -> Bool {
    switch self {
    case .element(let element): predicate(element)
    case .branches(let branches):
      branches.contains { $0.elements.contains { $0.contains(where: predicate) } }
    }
  }
}

extension Array {
  /// The elements that satisfy a condition, in the branches where they were.
  func filter<Model>(
    _ isIncluded: (Model) -> Bool
  ) -> [Conditional<Model>] where Element == Conditional<Model> {
    compactMap { element in
      switch element {
      case .element(let model): return isIncluded(model) ? element : nil
      case .branches(let branches):
        let kept = branches.map { branch in
          Conditional<Model>.Branch(
            directive: branch.directive, elements: branch.elements.filter(isIncluded))
        }
        return kept.allSatisfy(\.elements.isEmpty) ? nil : .branches(kept)
      }
    }
  }
}

extension [MemberBlockItemSyntax] {
  /// The members, with `#if` blocks as alternatives.
  func conditional<Model>(
    _ read: (DeclSyntax) -> [Model]
  ) -> [Conditional<Model>] {
    flatMap { item -> [Conditional<Model>] in
      guard let ifConfig = item.decl.as(IfConfigDeclSyntax.self) else {
        return read(item.decl).map(Conditional<Model>.element)
      }
      let branches = ifConfig.clauses.map { clause in
        let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
        var members: [MemberBlockItemSyntax] = []
        if case .decls(let items)? = clause.elements { members = Array(items) }
        return Conditional<Model>.Branch(
          directive: clause.poundKeyword.text + condition, elements: members.conditional(read))
      }
      let isEmpty = branches.allSatisfy(\.elements.isEmpty)
      return isEmpty ? [] : [.branches(branches)]
    }
  }
}

/// Lines of source for every element, under the same `#if`.
func lines<Element>(
  for elements: [Conditional<Element>], _ write: (Element) -> [String]
) -> [String] {
  elements.flatMap { element -> [String] in
    switch element {
    case .element(let element): return write(element)
    case .branches(let branches):
      return branches.flatMap { [$0.directive] + lines(for: $0.elements, write) } + ["#endif"]
    }
  }
}

extension [String] {
  /// The lines moved to the right; conditional compilation stays at its own level.
  var indented: [String] { map { $0.isEmpty ? $0 : "  " + $0 } }
}
