// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// What each stage of the engine holds for one schema and one beginning of a value.
///
/// It is made for people who read, not for programs: numbers are those of the engine's own tables,
/// states are in words. Stages are in the order in which the engine goes through them.
package struct GrammarInspection: Sendable {
  /// A subschema of the graph, with its keywords read.
  package struct Subschema: Sendable {
    /// Its index in the graph.
    package var index: Int
    /// Where it stands: a JSON Pointer as a URI fragment.
    package var location: String
    /// Its keywords in words, with subschemas by their index.
    package var keywords: [String]
  }

  /// A goal that values of the schema come to, with what it became.
  package struct Goal: Sendable {
    /// Its index among the goals.
    package var index: Int
    /// Its conjunctions, of which one has to hold: literals in words.
    package var conjunctions: [String]
    /// Its typed nodes.
    package var nodes: [Node]
  }

  /// One alternative of a goal, merged for one type of JSON.
  package struct Node: Sendable {
    /// What it allows.
    package var summary: String
    /// Its members or items, each with the goal of the value.
    package var parts: [String]
  }

  /// An open part of the value.
  package struct Frame: Sendable, Equatable {
    /// What is open: "object", "string", "number".
    package var kind: String
    /// The subschemas that it is held to, where the frame knows them.
    package var location: String
    /// How far reading has come, and what is left.
    package var state: String
  }

  /// One way to read the text so far.
  package struct Stack: Sendable {
    /// The id of the stack.
    package var id: Int
    /// The id of its canonical stack: the one that its mask is made for.
    package var canonical: Int
    /// The frames, the innermost first.
    package var frames: [Frame]
  }

  /// Bytes after which the tops of the stacks are the same, as far as words tell them apart.
  package struct Step: Sendable {
    /// The bytes, as characters and ranges of them.
    package var bytes: String
    /// How many they are.
    package var count: Int
    /// The top of each stack afterwards.
    package var tops: [Frame]
  }

  /// The subschemas, in the order of their indices.
  package var subschemas: [Subschema]
  /// What was noticed while the schema was read.
  package var warnings: [String]
  /// The goals that are met from the outermost value on, breadth first, and how many more there are.
  package var goals: [Goal]
  package var furtherGoals: Int
  /// The ways to read the text so far.
  package var stacks: [Stack]
  /// Which bytes may come next, by what they lead to.
  package var steps: [Step]
  /// Whether the text may end here.
  package var mayEnd: Bool
}

/// The mask after a text, and how it is kept.
package struct MaskInspection: Sendable {
  /// The number of tokens that may come, and of all tokens.
  package var count: Int
  package var vocabularyCount: Int
  /// The number of tokens of the base, and what they are.
  package var baseCount: Int
  package var base: String
  /// The numbers of tokens by which the mask differs from its base.
  package var addedCount: Int
  package var removedCount: Int
  /// Some tokens that may come, and some that may not.
  package var allowed: [Int]
  package var refused: [Int]
}

/// The way of one token through the trie and the automaton.
package struct TokenInspection: Sendable {
  /// One byte of the token.
  package struct Step: Sendable {
    /// The byte, as a character.
    package var byte: String
    /// The node of the trie that it leads to; `nil` where the token is not in the trie.
    package var node: Int?
    /// How many nodes are below that: what is skipped where the byte is refused.
    package var nodesBelow: Int
    /// The top of each stack after the byte; none where it is refused.
    package var tops: [GrammarInspection.Frame]
  }

  /// The bytes up to the end or to the one that is refused.
  package var steps: [Step]
  /// Whether the token may come, by the automaton and by the mask: they agree.
  package var isAllowed: Bool
  package var isInMask: Bool
  /// What could have come in place of the refused byte.
  package var expected: String?
  /// The stacks after the token.
  package var stacks: [GrammarInspection.Stack]
}
