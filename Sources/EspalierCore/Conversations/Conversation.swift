// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A conversation that a store keeps: what a list of chats shows.
public struct Conversation: Sendable, Hashable, Identifiable {
  /// The identity, which never changes.
  public let id: String
  /// The title, for people to read.
  public var title: String
  /// When it was created.
  public var created: Date
  /// When entries were last added, or its title was changed.
  public var changed: Date

  /// Creates a description of a conversation.
  public init(id: String, title: String, created: Date, changed: Date) {
    self.id = id
    self.title = title
    self.created = created
    self.changed = changed
  }
}

/// An entry of a conversation in which a text was found.
public struct ConversationMatch: Sendable, Equatable, Identifiable {
  /// The conversation.
  public var conversation: Conversation
  /// The entry.
  public var entry: Transcript.Entry
  /// A part of the entry's text around what was found, on one line.
  public var excerpt: String

  public var id: String { conversation.id + "/" + entry.id }

  /// Creates a match.
  public init(conversation: Conversation, entry: Transcript.Entry, excerpt: String) {
    self.conversation = conversation
    self.entry = entry
    self.excerpt = excerpt
  }
}

/// Why a store cannot do what it was asked for.
public struct ConversationStoreError: ExplainedError, Sendable, Equatable {
  /// What is wrong.
  public enum Kind: Sendable, Equatable {
    /// There is no such conversation.
    case noSuchConversation
    /// What is stored was changed by something else, or the disk has lost it.
    case damaged
    /// A newer version of the package wrote it.
    case newerVersion
    /// Nothing can be written: the disk is full, or the store may only be read.
    case cannotWrite
    /// Nothing can be read.
    case cannotRead
  }

  /// What is wrong.
  public var kind: Kind
  /// The file or the conversation that it is about.
  public var place: String
  /// What was expected, and what was found.
  public var problem: String
  /// What to do.
  public var suggestion: String

  /// Creates an error.
  public init(_ kind: Kind, place: String, problem: String, suggestion: String) {
    self.kind = kind
    self.place = place
    self.problem = problem
    self.suggestion = suggestion
  }

  public var userMessage: ErrorMessage {
    switch kind {
    case .noSuchConversation: ErrorMessage(.conversationMissing)
    case .damaged: ErrorMessage(.conversationDamaged)
    case .newerVersion: ErrorMessage(.conversationNewer)
    case .cannotWrite: ErrorMessage(.conversationNotSaved)
    case .cannotRead: ErrorMessage(.conversationUnreadable)
    }
  }

  public var problemDescription: String { "'\(place)': \(problem)" }
  public var recoverySuggestion: String? { suggestion }
}
