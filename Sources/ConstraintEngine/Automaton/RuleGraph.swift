// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A grammar written by hand, ready to be read: positions that name each other by their index.
///
/// Every part of a rule that is regular is one position with a deterministic automaton of its own;
/// what is left are calls of rules, JSON values, tokens, choices, and repetitions that are counted.
///
/// Worked example: `call ::= "<call>" value ws "</call>"`, with a schema for `value` and
/// `ws ::= [ \n]*`, becomes `language("<call>") → value → language([ \n]*</call>) → end`: `ws` is
/// regular, and was joined with the text that follows it.
///
/// A frame of kind ``Frame/Kind/rule`` is a position: `a` its index, `b` the state of its language
/// (0 before the first byte), `c` the rounds of a repetition, `d` whether one was begun. The frame
/// below is where reading goes on once the position's rule is complete. A call that is the last
/// thing of a rule takes the rule's place on the stack, so that lists written as right recursion
/// need no more room than loops.
package struct RuleGraph {
  /// The index of a position.
  package typealias Position = Int

  package enum Node {
    /// The end of a rule or of a repetition's body: reading goes on with the frame below.
    case end
    /// The end of the whole text.
    case accept
    case language(RegularLanguages.State, next: Position)
    case call(rule: Int, next: Position)
    case value(Obligations.Goal, next: Position)
    case token(Int, isNegated: Bool, next: Position)
    case choice([Position])
    /// `maximum` is `UInt32.max` where there is no bound.
    case repetition(body: Position, minimum: UInt32, maximum: UInt32, next: Position)
  }

  package static let end: Position = 0
  package static let accept: Position = 1

  package private(set) var nodes: [Node] = [.end, .accept]
  /// The rule that each position is part of.
  package private(set) var owners: [Int] = [-1, -1]
  /// Where each rule starts.
  package var entries: [Position] = []
  package var names: [String] = []
  package var start: Position = 0
  /// Whether some position asks for a token by its id.
  package var hasTokens = false

  /// What may be read next from a stack, once its calls, choices and empty parts are gone through.
  struct Closure {
    /// Stacks whose top reads a byte or a token: languages begun, values, tokens.
    var leaves: [StackID] = []
    /// Whether the whole text may end here.
    var mayEnd = false
  }

  var closures: [StackID: Closure] = [:]
  /// For each state of a language whether it has no way on: 1, 0, or -1 where that is not known.
  var finals: [Int8] = []
  /// The length of the shortest text from each position to the end of its rule, once worked out.
  var shortest: [Int?] = []
  /// The branch of each choice that its shortest text takes.
  var chosen: [Position] = []
  var shortestStrings: [RegularLanguages.State: [UInt8]] = [:]

  package init() {}

  package mutating func add(_ node: Node, owner: Int) -> Position {
    nodes.append(node)
    owners.append(owner)
    return nodes.count - 1
  }
}
