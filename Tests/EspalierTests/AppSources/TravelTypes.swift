// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// Types as a travel app writes them, with `import Espalier` in place of `import FoundationModels`.

enum ModelData {
  static let landmarkNames = ["Sahara Desert", "Serengeti", "Deadvlei"]
}

@Generable
struct Itinerary: Equatable {
  @Guide(description: "An exciting name for the trip.")
  let title: String
  @Guide(.anyOf(ModelData.landmarkNames))
  let destinationName: String
  let description: String
  @Guide(description: "An explanation of how the itinerary meets the person's special requests.")
  let rationale: String

  @Guide(description: "A list of day-by-day plans.")
  @Guide(.count(3))
  let days: [DayPlan]
}

@Generable
struct DayPlan: Equatable {
  @Guide(description: "A unique and exciting title for this day plan.")
  let title: String
  let subtitle: String
  let destination: String

  @Guide(.count(3))
  let activities: [Activity]
}

@Generable
struct Activity: Equatable {
  let type: Kind
  let title: String
  let description: String

  var headline: String { "\(title): \(description)" }

  @Generable
  enum Kind: Equatable {
    case sightseeing
    case foodAndDining
    case shopping
    case hotelAndLodging
  }
}

/// A search with everything that guides can say about it.
@Generable(description: "Search for places", representNilExplicitlyInGeneratedContent: true)
public struct PlaceSearch: Hashable, Sendable {
  static let maximumResults = 20
  @Guide(description: "The category", .anyOf(["restaurant", "museum"]))
  public var category: String
  @Guide(description: "How many", .range(1...maximumResults))
  public var limit: Int
  @Guide(description: "In kilometres", .minimum(0.5), .maximum(50))
  public var radius: Double?
  @Guide(.minimumCount(1), .maximumCount(4), .element(.anyOf(["quiet", "cheap"])))
  public var tags: [String]?
  @Guide(description: "A postcode", /[0-9]{5}/)
  public var postcode: String
  @Guide(.constant("v1")) public var version: String
  public let session = 7
  public static var shared: Int { 3 }
  var observed: Int = 0 { didSet {} }
}

@Generable(name: "Note", description: "A short note")
package struct RenamedNote: Identifiable, Equatable {
  package var id: String
  package var `default`, text: String
}

@Generable(descriptionsFromDocumentation: true)
/// A weather report.
struct Weather: Equatable {
  /// In degrees Celsius.
  var temperature: Float
  /// In words;
  /// two at most.
  @Guide(.maximumLength(30)) var summary: String
  @Guide(description: "Given") var given: String
}

@Generable
struct Page<Item: Generable> {
  var items: [Item]
  var next: Page2?

  @Generable struct Page2 { var token: String }
}

@Generable
@available(macOS 26, iOS 26, *)
struct Modern {
  var value: Int
}

@Generable
struct Conditional: Equatable {
  var always: Int
  #if DEBUG || true
    var sometimes: String?
    #if NEVER_DEFINED
      var never: NoSuchType
    #endif
  #else
    var otherwise: NoSuchType
  #endif
}

@Generable
struct Empty: Equatable {}

@Generable
struct TreeNode: Equatable {
  var name: String
  var children: [TreeNode]
  var notes: [String: TreeNode]?
}
