// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

extension Grammar {
  /// Something that a rule is made of: a text, characters, a pattern, another rule, a JSON value, or
  /// several of them.
  ///
  /// A string literal is the text itself.
  public struct Element: Sendable, Hashable, ExpressibleByStringLiteral {
    indirect enum Node: Hashable, Sendable {
      case expression(RuleExpression)
      case pattern(String)
      case value(schema: String)
      case sequence([Element])
      case choice([Element])
      case repetition(Element, minimum: Int, maximum: Int?)
    }

    let node: Node

    private init(_ node: Node) { self.node = node }

    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }

    /// A text.
    public static func text(_ text: String) -> Element { Element(.expression(.text(text))) }

    /// One character (Unicode scalar) out of some ranges.
    public static func character(in ranges: ClosedRange<Unicode.Scalar>...) -> Element {
      let set = ScalarSet(ranges.map { $0.lowerBound.value...$0.upperBound.value })
      return Element(.expression(.characters(set.intersection(.all))))
    }

    /// One character (Unicode scalar) out of those of a string.
    public static func character(of characters: String) -> Element {
      Element(.expression(.characters(ScalarSet(characters))))
    }

    /// One character (Unicode scalar) that is none of those of a string.
    public static func character(notOf characters: String) -> Element {
      Element(.expression(.characters(ScalarSet(characters).complement)))
    }

    /// Any one character (Unicode scalar), line ends too.
    public static let anyCharacter = Element(.expression(.characters(.all)))

    /// Any text, the empty one too, in which another text does not occur: free text up to a marker.
    ///
    /// - Parameter marker: the text that ends the free text; it is not part of it.
    public static func anyText(before marker: String) -> Element {
      let found = RegularExpression.look(
        .sequence([.anything, .literal(marker.unicodeScalars)]), ahead: true, negated: true)
      return Element(.expression(.regular(.sequence([found, .anything]))))
    }

    /// The texts that a regular expression (ECMA-262) matches from their first to their last
    /// character.
    public static func regularExpression(_ pattern: String) -> Element {
      Element(.pattern(pattern))
    }

    /// What another rule stands for.
    public static func rule(_ name: String) -> Element { Element(.expression(.rule(name))) }

    /// The JSON text of a value that satisfies a JSON Schema, spelled as the grammar's options say.
    public static func jsonValue(schema: String) -> Element { Element(.value(schema: schema)) }

    /// One token by its id, whatever its text is: the way to ask for a special token. An id that the
    /// matcher's vocabulary does not have is never allowed.
    ///
    /// - Important: A byte offered to `Matcher.accept(bytes:)` never stands for it, and where it
    ///   must come, no text completes the grammar: budgets do not narrow the mask there.
    public static func token(_ id: Int) -> Element {
      Element(.expression(.token(id, isNegated: false)))
    }

    /// Any token but one, by its id; the end of the sequence is none.
    public static func anyToken(except id: Int) -> Element {
      Element(.expression(.token(id, isNegated: true)))
    }

    /// One element after the other.
    public static func sequence(_ elements: [Element]) -> Element { Element(.sequence(elements)) }

    /// One of several elements.
    public static func oneOf(_ elements: [Element]) -> Element { Element(.choice(elements)) }

    /// One of several elements.
    public static func oneOf(_ elements: Element...) -> Element { Element(.choice(elements)) }

    /// The element or nothing.
    public var optional: Element { Element(.repetition(self, minimum: 0, maximum: 1)) }

    /// The element any number of times, at least `minimum`.
    public func repeated(atLeast minimum: Int = 0) -> Element {
      Element(.repetition(self, minimum: minimum, maximum: nil))
    }

    /// The element a number of times. Large numbers are counted, not written out.
    public func repeated(_ counts: ClosedRange<Int>) -> Element {
      Element(.repetition(self, minimum: counts.lowerBound, maximum: counts.upperBound))
    }
  }

  /// A name for an element, by which other elements, and the element itself, refer to it.
  public struct Rule: Sendable, Hashable {
    /// The name.
    public var name: String
    /// What the rule stands for.
    public var element: Element

    /// Names an element.
    public init(_ name: String, _ element: Element) {
      self.name = name
      self.element = element
    }

    /// Names elements that follow each other.
    public init(_ name: String, @SequenceBuilder _ content: () -> Element) {
      self.init(name, content())
    }
  }

  /// Joins elements that are listed one after the other.
  @resultBuilder
  public enum SequenceBuilder {
    /// An element as it is.
    public static func buildExpression(_ element: Element) -> Element { element }
    /// Elements one after the other.
    public static func buildBlock(_ elements: Element...) -> Element { .sequence(elements) }
    /// The elements of an `if` without `else`: none where it does not hold.
    public static func buildOptional(_ element: Element?) -> Element { element ?? .sequence([]) }
    /// The elements of one branch.
    public static func buildEither(first element: Element) -> Element { element }
    /// The elements of the other branch.
    public static func buildEither(second element: Element) -> Element { element }
    /// The elements of a loop, one after the other.
    public static func buildArray(_ elements: [Element]) -> Element { .sequence(elements) }
  }

  /// Lists rules.
  @resultBuilder
  public enum RuleBuilder {
    /// A rule as it is.
    public static func buildExpression(_ rule: Rule) -> [Rule] { [rule] }
    /// Several rules as they are.
    public static func buildExpression(_ rules: [Rule]) -> [Rule] { rules }
    /// Rules one after the other.
    public static func buildBlock(_ rules: [Rule]...) -> [Rule] { Array(rules.joined()) }
    /// The rules of an `if` without `else`.
    public static func buildOptional(_ rules: [Rule]?) -> [Rule] { rules ?? [] }
    /// The rules of one branch.
    public static func buildEither(first rules: [Rule]) -> [Rule] { rules }
    /// The rules of the other branch.
    public static func buildEither(second rules: [Rule]) -> [Rule] { rules }
    /// The rules of a loop.
    public static func buildArray(_ rules: [[Rule]]) -> [Rule] { Array(rules.joined()) }
  }
}

/// Turns elements into expressions, collecting the schemas they mention.
struct ElementReader {
  private(set) var schemas: [String] = []
  private(set) var diagnostics: [GrammarError.Diagnostic] = []
  private var indices: [String: Int] = [:]

  /// - Parameter location: Where the element stands, for what is wrong with it.
  mutating func expression(_ element: Grammar.Element, at location: String) -> RuleExpression {
    switch element.node {
    case .expression(let expression): return expression
    case .pattern(let pattern):
      do {
        return .regular(try RegularExpressionParser.parse(pattern))
      } catch {
        diagnostics.append(
          .init(
            keyword: "", location: location,
            message: "the pattern `\(pattern)`: \(error.message) at character \(error.offset)"))
        return .sequence([])
      }
    case .value(let schema):
      let index = indices[schema] ?? schemas.count
      if index == schemas.count {
        indices[schema] = index
        schemas.append(schema)
      }
      return .value(index)
    case .sequence(let elements): return .sequence(elements.map { expression($0, at: location) })
    case .choice(let elements): return .choice(elements.map { expression($0, at: location) })
    case .repetition(let body, let minimum, let maximum):
      return .repetition(expression(body, at: location), minimum: minimum, maximum: maximum)
    }
  }
}
