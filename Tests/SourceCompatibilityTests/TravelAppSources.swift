// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// Larger pieces as apps have them.

// More app-like sources: code-along style.
@Observable
@MainActor
final class ItineraryPlanner {
  private(set) var itinerary: TripItinerary.PartiallyGenerated?
  private var session: LanguageModelSession
  var error: Error?
  let landmark: Landmark
  init(landmark: Landmark) {
    self.landmark = landmark
    Logging.general.log("x")
    self.session = LanguageModelSession(
      tools: [FindPlaces(landmark: landmark)],
      instructions: Instructions {
        "Your job is to create an itinerary for the user."
        "Each day needs an activity, hotel and restaurant."
        """
        Always use the findPointsOfInterest tool to find businesses \
        and activities in \(landmark.name), especially hotels and restaurants.
        """
        "Here is a description of \(landmark.name) for your reference:"
        landmark.description
      })
  }
  func suggest(dayCount: Int) async throws {
    let stream = session.streamResponse(
      generating: TripItinerary.self,
      includeSchemaInPrompt: false,
      options: GenerationOptions(sampling: .greedy)
    ) {
      "Generate a \(dayCount)-day itinerary to \(landmark.name)."
      "Give it a fun title and description."
      "Here is an example, but don't copy it:"
      TripItinerary.example
    }
    for try await partialResponse in stream {
      itinerary = partialResponse.content
    }
  }
  func prewarmModel() {
    session.prewarm(promptPrefix: Prompt { "Generate an itinerary to \(landmark.name)." })
  }
}
enum Logging {
  static let general = L()
  struct L: Sendable { func log(_ s: String) {} }
}
struct Landmark: Identifiable, Codable, Hashable, Sendable {
  var id: Int
  var name: String
  var description: String
}
@Generable
struct TripItinerary: Equatable {
  @Guide(description: "An exciting name for the trip.")
  let title: String
  @Guide(.anyOf(["a", "b"]))
  let destinationName: String
  let description: String
  @Guide(description: "An explanation of how the itinerary meets the user's special requests.")
  let rationale: String
  @Guide(description: "A list of day-by-day plans.")
  @Guide(.count(3))
  let days: [PlannedDay]
}
extension TripItinerary {
  static let example = TripItinerary(
    title: "t", destinationName: "a", description: "d", rationale: "r",
    days: [PlannedDay(title: "x", subtitle: "y", activities: [.init(type: .sight, title: "z")])])
}
@Generable
struct PlannedDay: Equatable {
  @Guide(description: "A unique and exciting title for this day plan.")
  let title: String
  let subtitle: String
  @Guide(.count(3))
  let activities: [PlannedActivity]
}
@Generable
struct PlannedActivity: Equatable {
  let type: ActivityKind
  let title: String
}
@Generable
enum ActivityKind {
  case sight, food
  var symbolName: String {
    switch self {
    case .sight: "binoculars.fill"
    case .food: "fork.knife"
    }
  }
}
@Observable
final class FindPlaces: Tool {
  let name = "findPointsOfInterest"
  let description = "Finds points of interest for a landmark."
  let landmark: Landmark
  @MainActor var lookupHistory: [Lookup] = []
  init(landmark: Landmark) { self.landmark = landmark }
  struct Lookup: Identifiable {
    let id = UUID()
    let history: Arguments
  }
  @Generable
  enum Category: String, CaseIterable { case campground, hotel, cafe }
  @Generable
  struct Arguments {
    @Guide(description: "This is the type of destination to look up for.")
    let pointOfInterest: Category
    @Guide(description: "The natural language query of what to search for.")
    let naturalLanguageQuery: String
  }
  func call(arguments: Arguments) async throws -> String {
    await recordLookup(arguments: arguments)
    let results = await suggestions(category: arguments.pointOfInterest)
    return
      "There are these \(arguments.pointOfInterest) in \(landmark.name): \(results.joined(separator: ", "))"
  }
  @MainActor func recordLookup(arguments: Arguments) {
    lookupHistory.append(Lookup(history: arguments))
  }
  private func suggestions(category: Category) async -> [String] {
    switch category {
    case .cafe: ["Cafe 1"]
    case .campground: ["C"]
    case .hotel: ["H"]
    }
  }
}
// SwiftUI-like view code: partials
func view(_ it: TripItinerary.PartiallyGenerated) -> [String] {
  var out: [String] = []
  if let title = it.title { out.append(title) }
  if let days = it.days {
    for plan in days {
      if let t = plan.title { out.append(t) }
      if let acts = plan.activities {
        for a in acts {
          if let k = a.type { out.append(k.symbolName) }
          out.append(a.title ?? "")
        }
      }
    }
  }
  let ids: [GenerationID] = it.days?.map(\.id) ?? []
  _ = ids.enumerated().map { $0.offset }
  return out
}
func forEachLike<Data: RandomAccessCollection>(_ d: Data) where Data.Element: Identifiable {}
func useForEach(_ it: TripItinerary.PartiallyGenerated) { forEachLike(it.days ?? []) }
// coffee game
@Generable struct NPC: Equatable {
  let name: String
  let coffeeOrder: String
  let picture: GeneratedPic
}
@Generable struct GeneratedPic: Equatable {
  let imageDescription: String
  let gender: Gender
  @Generable enum Gender { case male, female, nonbinary }
}
struct CoffeeCustomer: Identifiable {
  let id = UUID()
  let npc: NPC
}
@Generable enum CafeEncounter {
  case orderCoffee(String)
  case wantToTalkToManager(complaint: String)
}
func encounter() async throws {
  let s = LanguageModelSession {
    """
    A conversation between a user and a helpful assistant.
    """
  }
  let r = try await s.respond(generating: CafeEncounter.self, options: .init(temperature: 1.0)) {
    "A customer"
  }
  switch r.content {
  case .orderCoffee(let o): print(o)
  case .wantToTalkToManager(let c): print(c)
  }
}
// Contacts tool w/ state
class ContactsTool: Tool, @unchecked Sendable {
  let name = "findContacts"
  let description = "Finds a contact"
  var picked = Set<String>()
  @Generable struct Arguments {
    let generation: Generation
    @Generable enum Generation: String { case babyBoomers, genX }
  }
  func call(arguments: Arguments) async throws -> String {
    picked.insert("x")
    return "x"
  }
}
// tagging
@Generable struct TagResult {
  @Guide(.maximumCount(4)) let topics: [String]
  @Guide(description: "e", .maximumCount(3)) var emotions: [String]?
}
func tag() async throws -> [String] {
  let model = SystemLanguageModel(useCase: .contentTagging)
  let s = LanguageModelSession(model: model, instructions: "x")
  return try await s.respond(to: "x", generating: TagResult.self).content.topics
}
// generic cache actor & protocols
protocol LLMService: Sendable {
  func generate<T: Generable & Sendable>(_ type: T.Type, prompt: String) async throws -> T
  func stream<T>(_ t: T.Type, prompt: String) -> AsyncThrowingStream<
    T.PartiallyGenerated, any Error
  > where T: Generable & Sendable, T.PartiallyGenerated: Sendable
}
struct Live: LLMService {
  func generate<T: Generable & Sendable>(_ type: T.Type, prompt: String) async throws -> T {
    let s = LanguageModelSession()
    return try await s.respond(to: prompt, generating: type).content
  }
  func stream<T>(_ t: T.Type, prompt: String) -> AsyncThrowingStream<
    T.PartiallyGenerated, any Error
  > where T: Generable & Sendable, T.PartiallyGenerated: Sendable {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          let s = LanguageModelSession()
          for try await x in s.streamResponse(to: prompt, generating: t) {
            continuation.yield(x.content)
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
// Partial Sendable inference
func sendable<T: Sendable>(_ t: T) {}
func partialSendable(_ p: TripItinerary.PartiallyGenerated) {
  sendable(p)
  sendable(GenerationID())
}
extension TripItinerary.PartiallyGenerated: Equatable {
  public static func == (l: Self, r: Self) -> Bool { l.title == r.title }
}
// MCP bridge: JSON schema → DynamicGenerationSchema
indirect enum ToolParameter {
  case obj([(String, ToolParameter, Bool)])
  case str([String]?)
  case num, int, bool
  case arr(ToolParameter)
}
func dynamicSchema(_ n: String, _ j: ToolParameter) -> DynamicGenerationSchema {
  switch j {
  case .obj(let ps):
    DynamicGenerationSchema(
      name: n,
      properties: ps.map {
        .init(name: $0.0, schema: dynamicSchema(n + $0.0, $0.1), isOptional: !$0.2)
      })
  case .str(let c?): .init(name: n, anyOf: c)
  case .str(nil): .init(type: String.self)
  case .num: .init(type: Double.self)
  case .int: .init(type: Int.self)
  case .bool: .init(type: Bool.self)
  case .arr(let e): .init(arrayOf: dynamicSchema(n + "e", e))
  }
}
struct RemoteTool: Tool {
  typealias Arguments = GeneratedContent
  typealias Output = String
  var name: String
  var description: String
  var parameters: GenerationSchema
  init(name: String, schema: ToolParameter) throws {
    self.name = name
    description = name
    parameters = try GenerationSchema(root: dynamicSchema(name, schema), dependencies: [])
  }
  func call(arguments: GeneratedContent) async throws -> String {
    switch arguments.kind {
    case .structure(let p, _): p.keys.sorted().joined()
    default: arguments.jsonString
    }
  }
}
// tool wrapper
struct Logged<Base: Tool>: Tool {
  let base: Base
  var name: String { base.name }
  var description: String { base.description }
  var parameters: GenerationSchema { base.parameters }
  func call(arguments: Base.Arguments) async throws -> Base.Output {
    try await base.call(arguments: arguments)
  }
}
func ifAvail(_ s: LanguageModelSession) async throws {
  if #available(iOS 26.4, macOS 26.4, *) { _ = SystemLanguageModel.default.contextSize }
  if #available(iOS 27, *) { _ = s.usage }
}
@Generable(description: "x")
public enum PublishedChoice: String, Codable, CaseIterable, Identifiable, Sendable {
  case a, b
  public var id: String { rawValue }
}
@Generable public struct PublishedEntry: Codable, Hashable, Sendable, Identifiable {
  public let id: String
  public let e: PublishedChoice
  public let maybe: PublishedChoice?
  public let subs: [Sub]
  @Generable public struct Sub: Codable, Hashable, Sendable { public let x: Double }
}
@Generable struct DefaultValues {
  var title: String = "Untitled"
  var tags: [String] = []
  var opt: Int? = nil
  @Guide(.range(1...5)) var n: Int = 3
  var kind: ActivityKind = .food
}
func defaultValues() {
  var d = DefaultValues()
  d.title = "x"
  _ = DefaultValues(title: "y")
}
@Generable struct ManyGuides {
  @Guide(description: "x", .count(1...5)) let xs: [Double]
  @Guide(description: "r", .range(0.0...1.0)) let conf: Double
  @Guide(.maximum(10)) var opt: Double?
  @Guide(.pattern(/^\d{4}-\d{2}-\d{2}$/)) let date: String
  @Guide(.pattern(#/a/b/#)) let path: String
  @Guide(.pattern(try! Regex("a+"))) var rx: String
}
@Generable struct ListsOfChoices {
  @Guide(.minimumCount(1)) var kinds: [ActivityKind]
  @Guide(.count(2)) var bools: [Bool]
  @Guide(.count(2), .element(.count(2))) var mm: [[String]]?
}
