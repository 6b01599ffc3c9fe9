// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
import Espalier
import Foundation

// Forms that apps write now and then; apps are formatted otherwise.

public enum Catalogue {}

public extension Catalogue {
  /// Public through its extension.
  @Generable
  struct Entry: Equatable, Sendable {
    public var title: String
    var note: String?
  }

  @Generable
  enum Format: Equatable {
    case paper(pages: Int)
    case film
  }
}

package extension Catalogue {
  @Generable
  struct Shelf: Equatable { package var entries: [Entry] }
}

private extension Catalogue {
  @Generable
  struct Secret: Equatable { var entries: [Entry] }
}

@Generable
struct Ranked<Item: Generable & Hashable & Sendable>: Equatable, Sendable {
  @Guide(.maximumCount(3)) var items: [Item]
  private(set) var best: Item?
}

@Generable
enum Outcome<Success: Generable & Equatable>: Equatable {
  case success(Success)
  case failure(message: String)
}

struct Envelope<Content> {
  @Generable
  struct Header: Equatable { var subject: String }
}

@MainActor
final class Library {
  @Generable
  struct Loan: Identifiable {
    let id = UUID()
    var title: String
  }

  var loans: [Loan.PartiallyGenerated] = []
}

@Generable
enum Instruction: Equatable {
  case search(query: String, limit: Int = 10)
  case move(in: String, for: Int)
  case group([Instruction])
  case mapping([String: Instruction], tags: Set<Int>?)
  case mixed(value: Int, Int, _ value1: Int, String)
  case `default`(Int?)
  case `self`
  case nested(Nested, Nested?)

  @Generable
  enum Nested: Equatable { case x(Int), y }
}

@Generable
struct Spellings: Equatable {
  var `my property`: String
  var `class`: Int
  let `switch`, `where`: Int?
  var content, properties, value, choice: String
  var optional: Optional<String>
  var array: Array<Swift.Int>
  var nested: [[Int]]?
  var implicit: String!
  var kind: `Kind`

  @Generable
  enum `Kind`: String { case `New York`, `in` = "inside", plain }
}

enum Limits {
  static let names = ["a", "b"]
  static let lower = 1
  static let upper = 4
  static var code: Regex<Substring> { /[a-z]+/ }
}

@Generable(description: "Guides " + "in other words")
struct RuntimeGuides: Equatable {
  static let most = 4
  @Guide(
    description: """
      Several lines,
        indented
      """) var text: String
  @Guide(description: "At most \(Limits.upper)", /* a comment */ .range(1...Self.most)) var count: Int
  @Guide(.range(Limits.lower...Limits.upper)) var optional: Int?
  @Guide(.anyOf(Spellings.Kind.plain.rawValue.map(String.init))) var letter: String
  @Guide(.anyOf(Limits.names.map { $0 + "!" })) var loud: String?
  @Guide(Limits.code) var code: String
  @Guide(description: "As code", Limits.code) var other: String?
  @Guide(.pattern(#/\d{3}/#), .maximumLength(3)) var digits: String
  @Guide(.element(.pattern(/x+/)), .count(Limits.upper)) var xs: [String]
  @Guide(.minimum(3)) var price: Decimal
  @Guide(.range(0...1)) var share: Double
}

extension RuntimeGuides.PartiallyGenerated: Equatable {}

/// Types of the app whose names are the package's too.
@Generable
struct Story: Equatable {
  struct GeneratedContent: Equatable { var affirmations: [String] }
  struct GenerationSchema {}
  struct GenerationID {}
  struct GeneratedType {}
  enum Generable {}
  enum ConvertibleToGeneratedContent {}
  enum ConvertibleFromGeneratedContent {}

  @Generable
  enum Ending: Equatable { case happy, sad }

  @Generable
  enum Twist: Equatable { case death(of: String), none }

  var title: String
  var ending: Ending?
  var twists: [Twist]
}

/// Operators of the type's own, which the compiler looks up while it expands the macro.
@Generable
enum Spiciness: String, Comparable, CaseIterable {
  case mild, medium, hot

  static func < (left: Spiciness, right: Spiciness) -> Bool {
    left.rawValue.count < right.rawValue.count
  }
}

@Generable
struct Version: Comparable, AdditiveArithmetic {
  static let zero = Version(major: 0, minor: 0)
  var major, minor: Int

  static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  static func + (left: Self, right: Self) -> Self {
    Version(major: left.major + right.major, minor: left.minor + right.minor)
  }

  static func - (left: Self, right: Self) -> Self {
    Version(major: left.major - right.major, minor: left.minor - right.minor)
  }
}

@Generable
enum Bid: Comparable {
  case amount(Int), none

  static func < (left: Bid, right: Bid) -> Bool {
    if case (.amount(let left), .amount(let right)) = (left, right) { left < right } else { false }
  }
}
