// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

// A session that saves its conversation adds what is new of its transcript to a store at the end of
// each request, as one record: after a crash there is the whole of a turn, or nothing of it.

/// Where a session saves its conversation, and what of it is saved.
struct ConversationRecorder: Sendable {
  var store: any ConversationStore
  var id: Conversation.ID
  /// How many entries of each identity are saved: models that name their entries themselves may give
  /// a name twice.
  var savedCounts: [String: Int] = [:]
  /// The last entry that the saved summary is of.
  var summarizedID: String?

  mutating func note(_ entries: some Sequence<Transcript.Entry>) {
    for entry in entries { savedCounts[entry.id, default: 0] += 1 }
  }

  /// The entries that are not saved, in their order.
  func unsaved(of entries: some Sequence<Transcript.Entry>) -> [Transcript.Entry] {
    var known = savedCounts
    return entries.filter { entry in
      guard let count = known[entry.id], count > 0 else { return true }
      known[entry.id] = count - 1
      return false
    }
  }
}

extension LanguageModelSession {
  /// Saves the conversation: each request that is answered adds its entries to a store before it
  /// returns. One that fails adds nothing, and one whose entries cannot be saved fails.
  ///
  /// ```swift
  /// let chat = try await store.create(title: "Kyoto")
  /// let session = LanguageModelSession(model: model).saving(to: store, as: chat.id)
  /// ```
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - id: A conversation there, which has no entries yet. One that has is gone on with by
  ///     ``init(resuming:in:model:tools:latest:)``.
  /// - Returns: The session itself.
  @discardableResult
  public func saving(
    to store: any ConversationStore, as id: Conversation.ID
  ) -> LanguageModelSession {
    state.withLock { $0.recorder = ConversationRecorder(store: store, id: id) }
    return self
  }

  /// Goes on with a conversation that was saved, and saves what is added to it.
  ///
  /// ```swift
  /// let session = try await LanguageModelSession(resuming: chat.id, in: store, model: model)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The conversation.
  ///   - store: The store that keeps it.
  ///   - model: The model that answers.
  ///   - tools: What the model may call.
  ///   - count: How many of the latest entries are loaded at most, beside the instructions. The first
  ///     one loaded is a prompt. All where left out: a context policy deals with what is too long.
  /// - Throws: What the store throws.
  public convenience init(
    resuming id: Conversation.ID, in store: any ConversationStore, model: some LanguageModel,
    tools: [any Tool] = [], latest count: Int = .max
  ) async throws {
    var entries = try await store.entries(of: id, latest: count)
    if entries.count == count {
      // The middle of a turn says nothing to a model.
      entries.removeFirst(entries.firstIndex { $0.isPrompt } ?? entries.count)
      if !entries.contains(where: \.isInstructions) {
        entries.insert(
          contentsOf: try await store.entries(of: id).filter(\.isInstructions), at: 0)
      }
    }
    let summary = entries.takeSummary()
    self.init(model: model, tools: tools, transcript: Transcript(restoring: entries))
    var recorder = ConversationRecorder(
      store: store, id: id, summarizedID: summary?.lastEntryID)
    recorder.note(entries)
    state.withLock { [recorder] in
      $0.summary = summary
      $0.recorder = recorder
    }
  }

  /// Saves what the request has added.
  ///
  /// - Throws: What the store throws.
  func save(for active: ActiveRequest) async throws {
    guard let recorder = state.withLock({ $0.recorder }) else { return }
    var new = recorder.unsaved(of: try currentTranscript(of: active))
    guard !new.isEmpty else { return }
    let summary = state.withLock { $0.summary }
    let isAttached =
      summary.map { $0.lastEntryID != recorder.summarizedID && new.attach($0) } ?? false
    try await recorder.store.append(new, to: recorder.id)
    state.withLock {
      $0.recorder?.note(new)
      if isAttached { $0.recorder?.summarizedID = summary?.lastEntryID }
    }
  }
}

// A summary that a context policy had the model write stands in the store with the response that was
// saved next, so that no turn is summarised again after the next launch.
extension [Transcript.Entry] {
  private static let summaryKey = "contextSummary"

  /// Attaches a summary to the last response; whether there is one.
  fileprivate mutating func attach(_ summary: ContextSummary) -> Bool {
    for index in indices.reversed() {
      guard case .response(var response) = self[index] else { continue }
      response.metadata[Self.summaryKey] = GeneratedContent(properties: [
        "text": summary.text, "lastEntryID": summary.lastEntryID,
      ])
      self[index] = .response(response)
      return true
    }
    return false
  }

  /// Takes all summaries off the entries, and gives the last.
  fileprivate mutating func takeSummary() -> ContextSummary? {
    var last: ContextSummary?
    for index in indices {
      guard case .response(var response) = self[index],
        let content = response.metadata.removeValue(forKey: Self.summaryKey)
      else { continue }
      self[index] = .response(response)
      guard let text = try? content.value(String.self, forProperty: "text"),
        let id = try? content.value(String.self, forProperty: "lastEntryID")
      else { continue }
      last = ContextSummary(text: text, lastEntryID: id)
    }
    return last
  }
}

extension Transcript {
  /// The transcript of entries that were saved one after the other: of several instructions, which a
  /// profile may have replaced, the last ones count, and they come first.
  init(restoring entries: [Entry]) {
    self.init(
      entries: entries.filter(\.isInstructions).suffix(1) + entries.filter { !$0.isInstructions })
  }
}

extension Transcript.Entry {
  fileprivate var isInstructions: Bool { if case .instructions = self { true } else { false } }
  fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }
}
