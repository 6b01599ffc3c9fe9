// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// What is sent of an answer, whatever the route.
enum ServedPart: Sendable {
  case text(String, [TokenProbability] = [])
  case reasoning(String)
  case call(id: String, name: String, arguments: String)
  case end(ServedEnd)
}

/// How an answer ended.
struct ServedEnd: Sendable {
  enum Reason: String, Sendable {
    case stop, length
    case toolCalls = "tool_calls"
  }

  var reason = Reason.stop
  var input = 0
  var cachedInput = 0
  var output = 0
  var reasoning = 0
}

/// Makes parts of the events of a model: cuts the text at its stop, and counts.
struct ServedAnswer {
  private let request: ServedRequest
  private let model: ServedModel
  private var stop: StopFilter
  private var end = ServedEnd()
  private var counted = 0
  private var firstCall: String?
  private var statedUsage = false
  /// Whether a limit kept the model from going on.
  private var isShortened = false
  private var hasText = false
  /// The probabilities of tokens whose text is not sent yet.
  private var unsent: [TokenProbability] = []

  init(_ request: ServedRequest, model: ServedModel) {
    self.request = request
    self.model = model
    stop = StopFilter(request.stop)
  }

  /// The parts, as they come. The first is there before anything is sent, so that what keeps the
  /// model from answering is an error with a status.
  static func parts(
    of request: ServedRequest, model: ServedModel
  ) -> AsyncThrowingStream<ServedPart, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        var answer = ServedAnswer(request, model: model)
        do {
          try await answer.run { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private mutating func run(_ send: (ServedPart) -> Void) async throws {
    do {
      try await read(send)
    } catch LanguageModelError.contextSizeExceeded where hasText {
      // What was begun and does not fit is cut off; nobody takes it for a value.
      try await finish(.length, send)
      return
    }
    let rest = stop.finish()
    if !rest.isEmpty { send(.text(rest, unsent)) }
    try Task.checkCancellation()
    try await finish(nil, send)
  }

  private mutating func read(_ send: (ServedPart) -> Void) async throws {
    for try await event in model.events(for: request.generation) {
      switch event.kind {
      case .response(let action):
        switch action.kind {
        case .append(let fragment):
          counted += fragment.tokenCount
          unsent += event.tokens
          let text = stop.take(fragment.content)
          if !text.isEmpty {
            hasText = true
            send(.text(text, takeProbabilities(of: text)))
          }
        case .usage(let usage): state(usage)
        default: break
        }
        if stop.hasStopped { break }
      case .toolCalls(let action):
        switch action.kind {
        case .call(let call):
          guard case .append(let arguments) = call.action.kind else { continue }
          counted += arguments.tokenCount
          // A call comes in parts, which have its identity.
          firstCall = firstCall ?? call.id
          if request.onlyOneCall, call.id != firstCall { continue }
          send(.call(id: call.id, name: call.name, arguments: arguments.content))
        case .usage(let usage): state(usage)
        default: break
        }
      case .reasoning(let action):
        switch action.kind {
        case .append(let fragment):
          counted += fragment.tokenCount
          if !fragment.content.isEmpty { send(.reasoning(fragment.content)) }
        case .usage(let usage): state(usage)
        default: break
        }
      }
      if stop.hasStopped { break }
    }
  }

  /// The probabilities of the tokens that a text begins, as far as it goes.
  private mutating func takeProbabilities(of text: String) -> [TokenProbability] {
    var covered = 0
    let count = unsent.firstIndex { token in
      defer { covered += token.written.bytes.count }
      return covered >= text.utf8.count
    }
    defer { unsent.removeFirst(count ?? unsent.count) }
    return Array(unsent.prefix(count ?? unsent.count))
  }

  private mutating func finish(
    _ reason: ServedEnd.Reason?, _ send: (ServedPart) -> Void
  ) async throws {
    if !statedUsage {
      end.output = counted
      end.input = try await model.tokenCount(of: request) ?? 0
    }
    if let reason {
      end.reason = reason
    } else if firstCall != nil {
      end.reason = .toolCalls
    } else if isShortened, !stop.hasStopped {
      end.reason = .length
    } else if request.schema == nil, request.guide == nil, !stop.hasStopped,
      end.output >= request.options.maximumResponseTokens ?? .max
        || end.input + end.output >= model.contextSize
    {
      end.reason = .length
    }
    send(.end(end))
  }

  private mutating func state(_ usage: LanguageModelExecutorGenerationChannel.Usage) {
    statedUsage = true
    isShortened = usage.isShortened
    end.input = usage.input.totalTokenCount
    end.cachedInput = usage.input.cachedTokenCount
    end.output = usage.output.totalTokenCount
    end.reasoning = usage.output.reasoningTokenCount
  }
}

/// Ends a text before the first of some texts. What could be the beginning of one waits.
///
/// Each text is followed byte by byte with the table of Knuth, Morris and Pratt, so that a byte costs
/// the same however long the texts are.
struct StopFilter {
  private struct Stop {
    let bytes: [UInt8]
    /// For each number of bytes, how many of the last of them are its beginning once more.
    let borders: [Int]
    /// How many of its bytes are at the end of what was read.
    var matched = 0

    init(_ text: String) {
      bytes = Array(text.utf8)
      var borders = [0]
      var border = 0
      for byte in bytes.dropFirst() {
        while border > 0, bytes[border] != byte { border = borders[border - 1] }
        if bytes[border] == byte { border += 1 }
        borders.append(border)
      }
      self.borders = borders
    }

    /// Reads a byte; whether the text ends with it.
    mutating func read(_ byte: UInt8) -> Bool {
      while matched > 0, bytes[matched] != byte { matched = borders[matched - 1] }
      if bytes[matched] == byte { matched += 1 }
      return matched == bytes.count
    }
  }

  private var stops: [Stop]
  private var held: [UInt8] = []
  private(set) var hasStopped = false

  init(_ stops: [String]) { self.stops = stops.filter { !$0.isEmpty }.map(Stop.init) }

  mutating func take(_ text: String) -> String {
    guard !stops.isEmpty, !hasStopped else { return hasStopped ? "" : text }
    let start = held.count
    held += text.utf8
    var end: Int?
    for stop in stops.indices {
      for index in start..<held.count where stops[stop].read(held[index]) {
        end = min(end ?? .max, index + 1 - stops[stop].bytes.count)
        break
      }
    }
    if let end {
      hasStopped = true
      defer { held = [] }
      return String(decoding: held[..<end], as: UTF8.self)
    }
    let kept = stops.map(\.matched).max() ?? 0
    defer { held.removeFirst(held.count - kept) }
    return String(decoding: held.dropLast(kept), as: UTF8.self)
  }

  mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }
}
