// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  public import EspalierCore
  import GRDB

  extension SQLiteConversationStore {
    /// The conversations as they are now, and again after each change: for a list that is on screen.
    ///
    /// ```swift
    /// for try await chats in store.conversationUpdates(limit: 50) { print(chats.map(\.title)) }
    /// ```
    ///
    /// Changes by this store are seen; those of another process, or of another store of the same file,
    /// are seen with the next change by this one. Where the reader is slow, only the newest state waits.
    ///
    /// - Parameter limit: How many conversations there are at most, the one that was changed last first.
    /// - Returns: States, without end; what is thrown is a ``/EspalierCore/ConversationStoreError``.
    public func conversationUpdates(
      limit: Int = .max
    ) -> AsyncThrowingStream<[Conversation], any Error> {
      updates {
        try Self.conversations(limit: limit, $0)
      } value: {
        $0
      }
    }

    /// The last entries of a conversation as they are now, and again after each change.
    ///
    /// Changes are seen as by ``conversationUpdates(limit:)``. The sequence ends with an error where the
    /// conversation is deleted.
    ///
    /// - Parameters:
    ///   - id: The conversation.
    ///   - count: How many entries there are at most.
    /// - Returns: States; what is thrown is a ``/EspalierCore/ConversationStoreError``.
    public func entryUpdates(
      of id: Conversation.ID, latest count: Int = .max
    ) -> AsyncThrowingStream<[Transcript.Entry], any Error> {
      updates {
        try Self.entryTexts(of: id, latest: count, $0)
      } value: { texts in
        try texts.map { try self.entry($0, of: id) }
      }
    }

    private func updates<Found: Sendable & Equatable, Value: Sendable>(
      _ fetch: @escaping @Sendable (Database) throws -> Found,
      value: @escaping @Sendable (Found) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
      let (stream, continuation) = AsyncThrowingStream<Value, any Error>.makeStream(
        bufferingPolicy: .bufferingNewest(1))
      let states = ValueObservation.tracking(fetch).removeDuplicates()
        .values(in: pool, bufferingPolicy: .bufferingNewest(1))
      let task = Task {
        do {
          for try await state in states { continuation.yield(try value(state)) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: DatabaseFormat.conversations.storeError(error, file))
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
#endif
