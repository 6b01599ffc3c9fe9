// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Observation

// Every shape in which apps write `@Generable` and `@Guide`.

@Generable struct Sketch {
  var a: Int
  var b: String?
}
@Generable(description: "D") struct GuidedSketch {
  @Guide(description: "g", .range(0...9)) var a: Int
  var b: String?
}
@Generable(description: "D", representNilExplicitlyInGeneratedContent: true) struct ExplicitNil {
  var b: String?
  var c: [String]?
}
@Generable(representNilExplicitlyInGeneratedContent: true) struct ExplicitNilAlone {
  var b: String?
}
@Generable(name: "Other", description: "x") struct Renamed { var x: Double }
@Generable(name: "Other2") struct RenamedAlone { var x: Double }
@Generable(name: "Other3", description: "x", representNilExplicitlyInGeneratedContent: true)
struct RenamedFully { var x: Double? }
let hugeDescription = "A description from a constant"
@Generable(description: hugeDescription) struct Described {
  @Guide(description: hugeDescription) var x: Decimal
  var f: Float
  var b: Bool
}

@Generable
struct Landmarks {
  let id = UUID()
  let persona = "hello"
  var n: Int = 42
  var a, b: String
  @Guide(description: "both", .range(0...1)) var c, d: Int
  @Guide(description: "x") var e: Int, f: String
  var `default`: String
  var `class`: Int?
  static let all: [Landmarks] = []
  static var count: Int { 3 }
  var computed: String { a + b }
  var computed2: String {
    get { a }
    set { a = newValue }
  }
  lazy var lazyThing = 4
  var observed: Int = 3 { didSet { print(observed) } }
  private(set) var priv: Int
  private var hidden: Int?
  fileprivate let fp: Int
  func method() -> Int { n }
  subscript(i: Int) -> Int { i }
  enum CodingKeys: String { case a }
}

@Generable
struct Guided {
  @Guide(.constant("v1")) var v: String
  @Guide(.anyOf(["a", "b"])) var s: String
  @Guide(description: "p", .pattern(/[A-Z]{3}/)) var p: String
  @Guide(description: "p2", /[A-Z]{3}-\d+/) var p2: String
  @Guide(/abc|def/) var p3: String
  @Guide(.minimum(3)) var i: Int
  @Guide(.maximum(3)) var i2: Int
  @Guide(.minimum(3), .maximum(10)) var i3: Int
  @Guide(.range(-5 ... -1)) var i4: Int
  @Guide(.range(0.5...2)) var d: Double
  @Guide(.minimum(0.5)) var fl: Float
  @Guide(.range(0...2)) var de: Decimal
  @Guide(.count(3)) var arr: [String]
  @Guide(.count(1...3)) var arr2: [String]
  @Guide(.minimumCount(1), .maximumCount(4)) var arr3: [Int]
  @Guide(.minimumCount(1)) var arr4: [Sketch]
  @Guide(.element(.range(1...6)), .count(5)) var dice: [Int]
  @Guide(description: "tags", .element(.anyOf(["x", "y"]))) var tags: [String]
  @Guide(.element(.pattern(/[a-z]+/))) var words: [String]
  @Guide(.count(2), .element(.count(3))) var matrix: [[Int]]
  @Guide(description: "first") @Guide(.count(3)) var stacked: [String]
  @Guide(.count(3)) @Guide(description: "second") var stacked2: [Sketch]
  @Guide(.range(1...10)) var optI: Int?
  @Guide(.anyOf(["q"])) var optS: String?
  @Guide(.count(2)) var optA: [String]?
  @Guide<[String]>(.minimumCount(2)) var typed: [String]
  @Espalier.Guide<[String]>(.count(5), .element(.anyOf(["x", "y"]))) var typed2: [String]
  @Guide(description: "") var empty: String
  @Guide(
    description: """
      A long description
      on several lines
      """)
  var multiline: String
  @Guide(description: "a \(1 + 1) b") var interpolated: String
}

struct Bounds {
  static let lo = 1
  static let hi = 10
  static var names: [String] { ["a", "b"] }
}
func makeNames() -> [String] { ["p", "q"] }
@Generable
struct RunTimeGuides {
  static let limits = 1...5
  @Guide(.anyOf(Bounds.names)) var n: String
  @Guide(.anyOf(makeNames())) var n2: String
  @Guide(.range(Bounds.lo...Bounds.hi)) var r: Int
  @Guide(.range(limits)) var r2: Int
  @Guide(.range(Self.limits)) var r3: Int
  @Guide(.maximumCount(Bounds.hi)) var a: [String]
  @Guide(.anyOf(Rank.allCases.map(\.rawValue))) var rank: String
  @Guide(GenerationGuide<Int>.range(1...3)) var explicit: Int
  @Guide(description: "x", GenerationGuide.anyOf(["a"])) var explicit2: String
}

@Generable enum Rank: String, CaseIterable, Codable {
  case low = "very low"
  case high = "high-up"
}
@Generable enum Plain { case a, b, c }
@Generable(description: "plain") enum PlainDescribed: CaseIterable, Hashable, Sendable {
  case a
  case b
  static var x: Self { .a }
  var title: String { "\(self)" }
}
@Generable enum IntRaw: Int {
  case one = 1
  case two
}
@Generable enum Payload {
  case text(String)
  case pair(Int, String)
  case named(first: Sketch, second: [Sketch])
  case optional(value: Int?)
  case none
  case recursive([Payload])
  case labelled(_ x: Double)
}
@Generable indirect enum Tree {
  case leaf(Int)
  case node(Tree, Tree)
}
@Generable enum MarkedTree {
  case leaf(Int)
  indirect case node(left: MarkedTree, right: MarkedTree)
}
@Generable struct Family {
  var name: String
  @Guide(.maximumCount(3)) var children: [Family]
  var other: [Family]?
}
@Generable struct PersonA: Equatable, Hashable, Codable, Sendable {
  @Guide(description: "age", .range(18...100)) var age: Int?
  @Guide(.maximumCount(3)) var children: [PersonA]
  var name: String
}
@Generable struct WithID: Identifiable {
  var id: Int
  var name: String
}
@Generable struct WithIDString: Identifiable {
  let id: String
  let name: String
}
@Generable struct WithComputedID: Identifiable {
  var name: String
  var id: String { name }
}
@Generable struct WithUUIDID: Identifiable {
  let id = UUID()
  var name: String
}
@Generable struct WithUUIDID2: Identifiable, Equatable, Hashable {
  var id: UUID = UUID()
  var name: String
}
@Generable public struct Published: Sendable {
  public var a: Int
  public let b: [String]
  internal var c: Int
  public init(a: Int, b: [String], c: Int) {
    self.a = a
    self.b = b
    self.c = c
  }
}
@Generable package struct Packaged { package var a: Int }
@Generable private struct FilePrivate {
  var a: Int
  fileprivate var b: String
}
@Generable private struct TopLevelPrivate { var a: Int }
@Generable struct Generic<T: Generable> {
  var item: T
  var items: [T]
  var maybe: T?
}
@Generable struct GenericPair<A: Generable, B: Generable> where A: Sendable {
  var a: A
  var b: Generic<B>
}
@Generable enum GenericEnum<T: Generable> {
  case some(T)
  case none
}
@Generable struct OuterA {
  var inner: Inner
  @Generable struct Inner {
    var x: Int
    @Generable enum Deep: String { case u, v }
    var deep: Deep
  }
}
struct Namespace {
  @Generable struct Item { var a: Int }
  @Generable fileprivate struct Item2 { var a: Int }
  enum Deep { @Generable struct Item { var b: Int } }
}
extension Namespace { @Generable struct InExtension { var a: [Item] } }
@Generable struct UsesBoth {
  var a: Namespace.Item
  var b: Namespace.Deep.Item
}
@available(macOS 26.0, iOS 26.0, *)
@Generable struct Available { var a: Int }
@Generable
@available(macOS 26.0, *)
enum AvailableCases { case a, b }
@available(iOS 26.0, macOS 26.0, *)
extension Namespace { @Generable struct AvailableWithin { var a: Int } }
@Generable struct ConditionalMembers {
  var a: Int
  #if DEBUG
    var dbg: String
  #endif
  #if os(iOS)
    @Guide(.count(1)) var ios: [String]
  #elseif os(Linux)
    @Guide(.count(2)) var linux: [String]
  #else
    var other: Int
  #endif
}
@Generable enum ConditionalCases {
  case a
  #if os(Linux)
    case lin
  #endif
}
@Generable @MainActor struct OnMain { var a: Int }
@MainActor @Generable struct OnMain2 {
  var a: Int
  var sub: Sketch
}
@Generable nonisolated struct NonIso { var a: Int }
@Generable struct OwnInit {
  var a: Int
  init(a: Int) { self.a = a }
  init() { a = 3 }
}
@Generable struct Nothing {}
@Generable struct SpelledTypes {
  var opt: Optional<Int>
  var arr: [String]
  var s: Swift.String
  var iuo: Int!
  var nested: [[String]]
  var gc: GeneratedContent
  var dec: Foundation.Decimal
}
@Generable struct ImplicitSelf {
  @Guide(description: "the \(Bounds.hi) things") let items: [String]
}
extension Sketch: Equatable, Codable {}
@Generable
struct DocComments {
  /// Doc
  var a: Int  // trailing
  var b: String
}
