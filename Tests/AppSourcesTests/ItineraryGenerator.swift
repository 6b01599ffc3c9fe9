// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Observation

@Generable(description: "A plan for several days")
struct TripPlan: Equatable {
  @Guide(description: "An exciting name for the trip")
  let title: String
  @Guide(.count(2)) let days: [DayPlan]
  @Guide(.anyOf(["low", "medium", "high"])) let budget: String
}

@Generable
struct DayPlan: Equatable {
  let place: String
  @Guide(description: "In euros", .range(0...500)) let cost: Int
  let note: String?
}

struct FindPointsOfInterest: Tool {
  let name = "findPointsOfInterest"
  let description = "Finds points of interest for a landmark."

  @Generable
  struct Arguments {
    @Guide(description: "This is the type of business to look up for.")
    let pointOfInterest: Category
    @Guide(description: "The natural language query of what to search for.")
    let naturalLanguageQuery: String
  }

  @Generable
  enum Category: String, CaseIterable { case restaurant, hotel }

  func call(arguments: Arguments) async throws -> String {
    "There are these \(arguments.pointOfInterest.rawValue)s: Hotel 1, Hotel 2"
  }
}

@Observable
@MainActor
final class ItineraryGenerator {
  var error: (any Error)?
  private(set) var itinerary: TripPlan.PartiallyGenerated?
  private(set) var snapshotCount = 0
  let session: LanguageModelSession

  init(model: some LanguageModel) {
    let tool = FindPointsOfInterest()
    session = LanguageModelSession(model: model, tools: [tool]) {
      "Your job is to create an itinerary for the user."
      "Always use the findPointsOfInterest tool."
    }
  }

  func generate(dayCount: Int) async {
    do {
      let stream = session.streamResponse(
        generating: TripPlan.self, includeSchemaInPrompt: false,
        options: GenerationOptions(sampling: .greedy)
      ) {
        "Generate a \(dayCount)-day itinerary."
        "Give it a fun title."
        if dayCount > 1 { "Leave room to rest." }
      }
      for try await partial in stream {
        itinerary = partial.content
        snapshotCount += 1
      }
    } catch {
      self.error = error
    }
  }

  func prewarm() {
    session.prewarm(promptPrefix: Prompt("Generate an itinerary."))
  }
}
