// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// Services, actors, tools and view models as apps have them: what surrounds a session.

// An actor that owns a session, and gives streams of text to views.
actor ChatService {
  enum Failure: Error {
    case unavailable(String)
    case busy
  }

  private var session: LanguageModelSession
  private let instructions: String
  private var turnCount = 0

  init(instructions: String = "You answer in short sentences.") {
    self.instructions = instructions
    self.session = LanguageModelSession(instructions: instructions)
  }

  func send(_ text: String) async throws -> String {
    guard case .available = SystemLanguageModel.default.availability else {
      throw Failure.unavailable("no model")
    }
    guard !session.isResponding else { throw Failure.busy }
    turnCount += 1
    let response = try await session.respond(to: text)
    return response.content
  }

  func stream(_ text: String) -> AsyncThrowingStream<String, any Error> {
    let session = session
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          let stream = session.streamResponse(to: text)
          for try await partial in stream {
            continuation.yield(partial.content)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { @Sendable _ in task.cancel() }
    }
  }

  func typed<T: Generable>(_ text: String, as type: T.Type) async throws -> T where T: Sendable {
    try await session.respond(to: text, generating: type).content
  }

  /// Apple's advice for a window that has overflowed: a new session with the first and last entry.
  func restartAfterOverflow() {
    let entries = session.transcript
    var condensed = [Transcript.Entry]()
    if let first = entries.first {
      condensed.append(first)
      if entries.count > 1, let last = entries.last { condensed.append(last) }
    }
    session = LanguageModelSession(transcript: Transcript(entries: condensed))
  }

  func sendRecovering(_ text: String) async throws -> String {
    do {
      return try await send(text)
    } catch LanguageModelSession.GenerationError.exceededContextWindowSize {
      restartAfterOverflow()
      return try await send(text)
    } catch LanguageModelError.contextSizeExceeded {
      restartAfterOverflow()
      return try await send(text)
    }
  }
}

// Functions that give streams on.
func lines(_ session: LanguageModelSession) -> LanguageModelSession.ResponseStream<String> {
  session.streamResponse(to: "Lines")
}
func texts(_ session: LanguageModelSession) -> some AsyncSequence<String, any Error> {
  session.streamResponse(to: "Lines").map(\.content)
}
func boxed(_ session: LanguageModelSession) -> any AsyncSequence<String, any Error> {
  session.streamResponse(to: "Lines").map { $0.content }
}
func titles(_ session: LanguageModelSession) async throws -> [String] {
  var titles: [String] = []
  for try await snapshot in session.streamResponse(to: "Plan", generating: TripItinerary.self)
    .compactMap({ $0.content.title })
  {
    titles.append(snapshot)
  }
  let first = try await session.streamResponse(to: "Plan", generating: TripItinerary.self)
    .first { $0.content.days?.isEmpty == false }
  if let snapshot = first { titles.append(snapshot.content.title ?? "") }
  for try await text in texts(session).prefix(3) { titles.append(text) }
  let whole = try await lines(session).reduce("") { $1.content }
  return titles + [whole]
}
func show(_ snapshot: LanguageModelSession.ResponseStream<TripItinerary>.Snapshot) -> String {
  snapshot.content.title ?? snapshot.rawContent.jsonString
}
func twoAtOnce() async throws -> (String, TripItinerary) {
  async let text = LanguageModelSession().respond(to: "A")
  async let trip = LanguageModelSession().respond(to: "B", generating: TripItinerary.self)
  return try await (text.content, trip.content)
}
func inAGroup(_ cities: [String]) async throws -> [String: TripItinerary] {
  try await withThrowingTaskGroup(of: (String, TripItinerary).self) { group in
    for city in cities {
      group.addTask {
        let session = LanguageModelSession(instructions: "About \(city)")
        return (city, try await session.respond(to: city, generating: TripItinerary.self).content)
      }
    }
    var results: [String: TripItinerary] = [:]
    for try await (city, itinerary) in group { results[city] = itinerary }
    return results
  }
}

// A cache of what has been generated, by key.
final class GenerationStore<Content: Generable & Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [String: Content] = [:]
  private let session = LanguageModelSession()

  func value(for key: String) async throws -> Content {
    if let known = lock.withLock({ values[key] }) { return known }
    let content = try await session.respond(to: key, generating: Content.self).content
    lock.withLock { values[key] = content }
    return content
  }
}

// Tools: one with an actor, one of the main actor, one that is generic, one that throws.
actor Counter {
  private(set) var total = 0
  func add(_ step: Int) -> Int {
    total += step
    return total
  }
}
struct CounterTool: Tool {
  let name = "count"
  let description = "Counts."
  let counter = Counter()
  @Generable struct Arguments { @Guide(.range(1...9)) let step: Int }
  func call(arguments: Arguments) async throws -> String {
    "\(await counter.add(arguments.step))"
  }
}
@MainActor
final class ScreenTool: Tool {
  nonisolated let name = "screen"
  nonisolated let description = "Changes the screen."
  var shown: [String] = []
  @Generable struct Arguments { let title: String }
  nonisolated func call(arguments: Arguments) async throws -> String {
    let title = arguments.title
    await MainActor.run { shown.append(title) }
    return "shown"
  }
}
protocol SearchIndex: Sendable {
  func search(_ words: String, limit: Int) async throws -> [String]
}
struct SearchTool<Index: SearchIndex>: Tool {
  let index: Index
  var name: String { "search" }
  var description: String { "Searches." }

  @Generable
  struct Arguments {
    @Guide(description: "What to look for") var words: String
    @Guide(description: "How many", .range(1...20)) var limit: Int?
  }

  struct Hit: PromptRepresentable {
    let title: String
    var promptRepresentation: Prompt { Prompt("Hit: \(title)") }
  }

  func call(arguments: Arguments) async throws -> [Hit] {
    try await index.search(arguments.words, limit: arguments.limit ?? 5).map(Hit.init)
  }
}
struct CalendarTool: Tool {
  enum Failure: LocalizedError {
    case denied
    var errorDescription: String? { "There is no access to the calendar." }
  }
  let description = "Looks into the calendar."
  @Generable struct Arguments {
    @Guide(description: "The day", .pattern(/\d{4}-\d{2}-\d{2}/)) var day: String
    @Guide(.anyOf(["work", "home"])) var calendar: String?
    var kinds: [Kind]
    @Generable enum Kind { case event, reminder }
  }
  @Generable struct Output {
    var events: [String]
    var isFree: Bool
  }
  func call(arguments: Arguments) async throws -> Output {
    guard arguments.calendar != "work" else { throw Failure.denied }
    return Output(events: arguments.kinds.map { "\($0)" }, isFree: arguments.kinds.isEmpty)
  }
}
func toolSessions(index: some SearchIndex) -> [LanguageModelSession] {
  let tools: [any Tool] = [CounterTool(), ScreenTool(), SearchTool(index: index), CalendarTool()]
  return [
    LanguageModelSession(tools: tools),
    LanguageModelSession(tools: [CalendarTool()], instructions: "Look first."),
    LanguageModelSession(tools: [SearchTool(index: index)]) { "Look first." },
  ]
}

// Reading a transcript, as code of both generations does.
func bubbles(_ transcript: Transcript) -> [(role: String, text: String)] {
  transcript.compactMap { entry in
    switch entry {
    case .instructions: return nil
    case .prompt(let prompt): return ("user", text(of: prompt.segments))
    case .response(let response): return ("assistant", text(of: response.segments))
    case .toolCalls(let calls):
      return ("tools", calls.map { "\($0.toolName) \($0.arguments.jsonString)" }.joined())
    case .toolOutput(let output): return (output.toolName, text(of: output.segments))
    case .reasoning(let reasoning): return ("thought", text(of: reasoning.segments))
    @unknown default: return nil
    }
  }
}
private func text(of segments: [Transcript.Segment]) -> String {
  segments.map { segment in
    switch segment {
    case .text(let text): text.content
    case .structure(let structure): structure.content.jsonString
    case .attachment(let attachment): attachment.label ?? ""
    @unknown default: ""
    }
  }.joined(separator: " ")
}
func restored(from url: URL, tools: [any Tool]) throws -> LanguageModelSession {
  let transcript = try JSONDecoder().decode(Transcript.self, from: Data(contentsOf: url))
  let lastPrompt = transcript.last { entry in
    if case .prompt = entry { return true }
    return false
  }
  _ = lastPrompt?.id
  _ = transcript.indices.map { transcript[$0].id }
  var shortened = Array(transcript.suffix(10))
  shortened.insert(contentsOf: transcript.prefix(1), at: 0)
  return LanguageModelSession(tools: tools, transcript: Transcript(entries: shortened))
}
