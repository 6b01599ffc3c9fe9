// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Where a subschema stands, as its steps below another place: the text is put together where it is
/// asked for.
///
/// Each subschema has one. As texts they would hold every name on the way once for each subschema
/// below it: a name of a megabyte above a thousand subschemas would be a gigabyte.
package struct SchemaPointer: Sendable {
  private final class Step: Sendable {
    /// Written by `init`, and in `deinit` of steps that nobody else holds: no two threads ever write it,
    /// and none reads it then. `let` would not do, since `deinit` has to take the chain apart.
    nonisolated(unsafe) private(set) var parent: Step?
    let text: String

    init(_ text: String, below parent: Step?) {
      self.text = text
      self.parent = parent
    }

    /// Lets go of the steps above one by one: each would let go of the next within its own `deinit`,
    /// and a schema may be deeper than a stack.
    deinit {
      var next = parent
      parent = nil
      while isKnownUniquelyReferenced(&next) {
        let above = next?.parent
        next?.parent = nil
        next = above
      }
    }
  }

  private let last: Step

  /// The most bytes of a text.
  static let textLimit = 1 << 16

  package init(_ text: String) { last = Step(text, below: nil) }

  private init(_ step: Step) { last = step }

  /// A place below another.
  package static func + (pointer: SchemaPointer, step: String) -> SchemaPointer {
    SchemaPointer(Step(step, below: pointer.last))
  }

  /// The text; of a very long one the end, after an ellipsis.
  package var text: String {
    if last.parent == nil { return last.text }
    var steps: [String] = []
    var count = 0
    var next: Step? = last
    while let step = next {
      count += step.text.utf8.count
      guard count <= Self.textLimit else {
        steps.append("…")
        break
      }
      steps.append(step.text)
      next = step.parent
    }
    return steps.reversed().joined()
  }
}
