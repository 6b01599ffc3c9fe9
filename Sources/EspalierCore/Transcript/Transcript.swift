// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything said in a session, in order.
///
/// A transcript is a collection of entries that can be read, changed, saved (`Codable`), and given
/// to a new session.
public struct Transcript: Sendable, Equatable {
  package var entries: [Entry]

  /// Creates a transcript.
  public init(entries: some Sequence<Entry> = []) { self.entries = Array(entries) }

  /// All entries after the instructions at the beginning.
  public var history: HistoryView {
    get { HistoryView(entries: entries[instructionsCount...]) }
    set { entries.replaceSubrange(instructionsCount..., with: newValue.entries) }
  }

  /// How many entries at the beginning are instructions.
  package var instructionsCount: Int {
    entries.prefix { if case .instructions = $0 { true } else { false } }.count
  }

  /// Puts instructions in place of those at the beginning; none, where they say nothing and define
  /// no tools.
  mutating func replaceInstructions(with instructions: Instructions) {
    entries.replaceSubrange(
      0..<instructionsCount, with: instructions.isEmpty ? [] : [.instructions(instructions)])
  }

  /// Whether the instructions at the beginning are these but for identities.
  func says(_ instructions: Instructions) -> Bool {
    switch entries.first {
    case .instructions(let known)? where instructionsCount == 1: known.saysTheSame(as: instructions)
    case .instructions?: false
    default: instructions.isEmpty
    }
  }

  /// One thing that was said.
  public enum Entry: Sendable, Identifiable, Equatable {
    /// What the app told the model to be and do.
    case instructions(Instructions)
    /// What was asked.
    case prompt(Prompt)
    /// The tools that the model called.
    case toolCalls(ToolCalls)
    /// What a tool gave.
    case toolOutput(ToolOutput)
    /// What the model answered.
    case response(Response)
    /// What the model thought.
    case reasoning(Reasoning)

    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      }
    }
  }

  package static func newID() -> String { UUID().uuidString }
}

extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public typealias Index = Int

  /// Creates an empty transcript.
  public init() { entries = [] }

  public var startIndex: Int { entries.startIndex }
  public var endIndex: Int { entries.endIndex }

  public subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  public mutating func replaceSubrange(
    _ range: Range<Int>, with newEntries: some Collection<Entry>
  ) {
    entries.replaceSubrange(range, with: newEntries)
  }
}
