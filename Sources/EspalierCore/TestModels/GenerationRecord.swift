// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The parts of one answer, as they came: what a recording, or a cache, keeps of it. Of what an executor
/// says of its usage beside the numbers, only that a limit shortened the answer is kept.
public struct GenerationRecord: Codable, Sendable, Equatable {
  /// One part.
  enum Part: Codable, Sendable, Equatable {
    case text(String, entry: String?, segment: String?, tokens: Int, replaces: Bool)
    case reasoning(String, entry: String?, segment: String?, tokens: Int, replaces: Bool)
    case signature(Data, entry: String?, tokens: Int)
    case call(String, id: String, name: String, entry: String?, tokens: Int)
    case removedCall(id: String, entry: String?)
    case segment(StoredSegment, entry: String?)
    case removedSegment(id: String, entry: String?)
    case metadata(StoredMetadata, of: Target, entry: String?)
    case usage(input: Int, cached: Int, output: Int, reasoning: Int, isShortened: Bool?)
  }

  /// What values are attached to.
  enum Target: Codable, Sendable, Equatable {
    case response, reasoning, toolCalls
    case call(id: String, name: String)
  }

  var parts: [Part] = []

  init() {}

  /// - Throws: `DecodingError` where a part says that it has fewer than no tokens, or more than any
  ///   model writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var list = try container.nestedUnkeyedContainer(forKey: .parts)
    while !list.isAtEnd {
      let index = list.currentIndex
      let part = try list.decode(Part.self)
      if let count = part.tokenCounts.first(where: { !(0...Self.tokenLimit).contains($0) }) {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: container.codingPath + [CodingKeys.parts, PartKey(intValue: index)],
            debugDescription: "Expected 0 to \(Self.tokenLimit) tokens, found \(count)."))
      }
      parts.append(part)
    }
  }

  /// More than the tokens of any response; sums of such counts stay far below the greatest integer.
  private static let tokenLimit = 1 << 28

  private struct PartKey: CodingKey {
    var intValue: Int?
    var stringValue: String { intValue.map { "\($0)" } ?? "" }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
  }

  mutating func append(_ event: LanguageModelExecutorGenerationChannel.Event) {
    let entry = event.entryID
    switch event.kind {
    case .response(let action):
      switch action.kind {
      case .append(let text):
        parts.append(
          .text(
            text.content, entry: entry, segment: text.segmentID, tokens: text.tokenCount,
            replaces: false))
      case .replace(let text):
        parts.append(
          .text(
            text.content, entry: entry, segment: text.segmentID, tokens: text.tokenCount,
            replaces: true))
      case .usage(let usage): append(usage)
      case .addAttachment(let segment):
        parts.append(.segment(StoredSegment(segment: .attachment(segment)), entry: entry))
      case .removeAttachment(let id): parts.append(.removedSegment(id: id, entry: entry))
      case .metadata(let metadata): append(metadata, of: .response, entry: entry)
      }
    case .reasoning(let action):
      switch action.kind {
      case .append(let text):
        parts.append(
          .reasoning(
            text.content, entry: entry, segment: text.segmentID, tokens: text.tokenCount,
            replaces: false))
      case .replace(let text):
        parts.append(
          .reasoning(
            text.content, entry: entry, segment: text.segmentID, tokens: text.tokenCount,
            replaces: true))
      case .signature(let signature):
        parts.append(
          .signature(signature.signature, entry: entry, tokens: signature.tokenCount))
      case .usage(let usage): append(usage)
      case .metadata(let metadata): append(metadata, of: .reasoning, entry: entry)
      }
    case .toolCalls(let action):
      switch action.kind {
      case .call(let call):
        switch call.action.kind {
        case .append(let fragment):
          parts.append(
            .call(
              fragment.content, id: call.id, name: call.name, entry: entry,
              tokens: fragment.tokenCount))
        case .metadata(let metadata):
          append(metadata, of: .call(id: call.id, name: call.name), entry: entry)
        }
      case .remove(let id): parts.append(.removedCall(id: id, entry: entry))
      case .usage(let usage): append(usage)
      case .metadata(let metadata): append(metadata, of: .toolCalls, entry: entry)
      }
    }
  }

  private mutating func append(
    _ metadata: LanguageModelExecutorGenerationChannel.Metadata, of target: Target, entry: String?
  ) {
    parts.append(.metadata(StoredMetadata(values: metadata.values), of: target, entry: entry))
  }

  private mutating func append(_ usage: LanguageModelExecutorGenerationChannel.Usage) {
    parts.append(
      .usage(
        input: usage.input.totalTokenCount, cached: usage.input.cachedTokenCount,
        output: usage.output.totalTokenCount, reasoning: usage.output.reasoningTokenCount,
        isShortened: usage.isShortened ? true : nil))
  }

  func replay(into channel: LanguageModelExecutorGenerationChannel) async {
    for part in parts { await channel.send(part.event) }
  }
}

extension GenerationRecord.Part {
  /// The counts of tokens that the part states.
  fileprivate var tokenCounts: [Int] {
    switch self {
    case .text(_, _, _, let tokens, _), .reasoning(_, _, _, let tokens, _),
      .signature(_, _, let tokens), .call(_, _, _, _, let tokens):
      [tokens]
    case .usage(let input, let cached, let output, let reasoning, _):
      [input, cached, output, reasoning]
    case .removedCall, .segment, .removedSegment, .metadata: []
    }
  }

  fileprivate var event: LanguageModelExecutorGenerationChannel.Event {
    switch self {
    case .text(let text, let entry, let segment, let tokens, let replaces):
      .response(
        entryID: entry,
        action: replaces
          ? .replaceTextSegment(text, segmentID: segment, tokenCount: tokens)
          : .appendText(text, segmentID: segment, tokenCount: tokens))
    case .reasoning(let text, let entry, let segment, let tokens, let replaces):
      .reasoning(
        entryID: entry,
        action: replaces
          ? .replaceTextSegment(text, segmentID: segment, tokenCount: tokens)
          : .appendText(text, segmentID: segment, tokenCount: tokens))
    case .signature(let signature, let entry, let tokens):
      .reasoning(entryID: entry, action: .updateSignature(signature, tokenCount: tokens))
    case .call(let json, let id, let name, let entry, let tokens):
      .toolCalls(
        entryID: entry,
        action: .toolCall(
          id: id, name: name, action: .appendArguments(json, tokenCount: tokens)))
    case .removedCall(let id, let entry):
      .toolCalls(entryID: entry, action: .removeToolCall(id: id))
    case .segment(let stored, let entry):
      switch stored.segment {
      case .attachment(let segment):
        .response(entryID: entry, action: .addAttachmentSegment(segment))
      case .text, .structure:
        .response(entryID: entry, action: .appendText(stored.segment.description, tokenCount: 0))
      }
    case .removedSegment(let id, let entry):
      .response(entryID: entry, action: .removeAttachmentSegment(id: id))
    case .metadata(let stored, .response, let entry):
      .response(entryID: entry, action: .updateMetadata(stored.values))
    case .metadata(let stored, .reasoning, let entry):
      .reasoning(entryID: entry, action: .updateMetadata(stored.values))
    case .metadata(let stored, .toolCalls, let entry):
      .toolCalls(entryID: entry, action: .updateMetadata(stored.values))
    case .metadata(let stored, .call(let id, let name), let entry):
      .toolCalls(
        entryID: entry,
        action: .toolCall(id: id, name: name, action: .updateMetadata(stored.values)))
    case .usage(let input, let cached, let output, let reasoning, let isShortened):
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: input, cachedTokenCount: cached),
          output: .init(totalTokenCount: output, reasoningTokenCount: reasoning),
          metadata: isShortened == true ? [LanguageModelSession.Usage.shortened: true] : [:]))
    }
  }
}

/// Keeps the parts of an answer as they go by.
final class GenerationRecorder: Sendable {
  private let state = Mutex(GenerationRecord())

  var record: GenerationRecord { state.withLock { $0 } }

  func channel(
    into channel: LanguageModelExecutorGenerationChannel
  ) -> LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel { [self] event in
      state.withLock { $0.append(event) }
      await channel.send(event)
    }
  }
}
