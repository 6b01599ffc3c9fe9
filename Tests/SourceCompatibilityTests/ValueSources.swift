// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Contents, schemas and prompts as apps make and read them.

func content() throws {
  let c = GeneratedContent(
    properties: [
      "name": "x", "age": 3, "tags": ["a", "b"], "deep": GeneratedContent(properties: ["k": 1.5]),
      "none": String?.none,
    ], id: GenerationID())
  _ = GeneratedContent(properties: [:])
  let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1), ("a", 2)]
  _ = GeneratedContent(properties: pairs, uniquingKeysWith: { a, b in b })
  _ = GeneratedContent(properties: pairs, id: GenerationID(), uniquingKeysWith: { a, _ in a })
  _ = GeneratedContent(elements: [1, "x", true] as [any ConvertibleToGeneratedContent])
  let els: [any ConvertibleToGeneratedContent] = ["a", 2]
  _ = GeneratedContent(elements: els, id: nil)
  _ = GeneratedContent("x")
  _ = GeneratedContent(3)
  _ = GeneratedContent(3.5, id: GenerationID())
  _ = GeneratedContent([1, 2])
  _ = GeneratedContent(true)
  let j = try GeneratedContent(json: #"{"a": [1, 2"#)
  _ = j.isComplete
  _ = j.jsonString
  _ = j.id
  _ = j.debugDescription
  let name: String = try c.value(forProperty: "name")
  let age = try c.value(Int.self, forProperty: "age")
  let tags = try c.value([String].self, forProperty: "tags")
  let opt: String? = try c.value(forProperty: "missing")
  let opt2 = try c.value(Int?.self, forProperty: "missing")
  let deep = try c.value(GeneratedContent.self, forProperty: "deep")
  let whole: GeneratedContent = try c.value()
  let p = try c.value(Sketch.self)
  switch c.kind {
  case .null: break
  case .bool(let b): print(b)
  case .number(let n): print(n)
  case .string(let s): print(s)
  case .array(let a): print(a)
  case .structure(let properties, let orderedKeys): print(properties, orderedKeys)
  @unknown default: break
  }
  if case .structure(properties: let props, orderedKeys: _) = c.kind {
    print(props["name"]?.kind as Any)
  }
  _ = GeneratedContent(kind: .string("x"))
  _ = GeneratedContent(
    kind: .structure(properties: ["a": .init(kind: .null)], orderedKeys: ["a"]), id: nil)
  _ = GeneratedContent(kind: .number(3.0))
  _ = GeneratedContent(kind: .array([]))
  _ = c == j
  _ = try GeneratedContent(c)
  _ = c.generatedContent
  do { let _: Int = try c.value(forProperty: "name") } catch let e as GeneratedContent.ParsingError
  { print(e.rawContent, e.underlyingError as Any, e.debugDescription, e.errorDescription as Any) }
  _ = (name, age, tags, opt, opt2, deep, whole, p)
  throw GeneratedContent.ParsingError(rawContent: "x", debugDescription: "y")
}
struct Shelf: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  var size: Int
  init(_ content: GeneratedContent) throws {
    size = try content.value(Int.self, forProperty: "size")
  }
  var generatedContent: GeneratedContent { GeneratedContent(properties: ["size": size]) }
}
// hand-written generable
struct HandWritten: Generable {
  var a: Int
  var list: [String]
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self, description: "hand",
      properties: [
        .init(name: "a", description: "x", type: Int.self, guides: [.range(1...3)]),
        GenerationSchema.Property(
          name: "list", type: [String].self, guides: [.count(3), .element(.anyOf(["a"]))]),
        .init(name: "pattern", type: String.self, guides: [/[a-z]+/]),
        .init(name: "pattern2", description: "d", type: String?.self, guides: [.pattern(/x/)]),
        .init(name: "opt", type: Double?.self, guides: [.minimum(2)]),
        .init(name: "plain", type: String.self),
        .init(name: "plainO", type: String?.self),
        .init(name: "p1", type: Sketch.self),
      ])
  }
  init(_ content: GeneratedContent) throws {
    a = try content.value(forProperty: "a")
    list = try content.value(forProperty: "list")
  }
  var generatedContent: GeneratedContent { GeneratedContent(properties: ["a": a, "list": list]) }
  struct PartiallyGenerated: ConvertibleFromGeneratedContent {
    var a: Int?
    init(_ content: GeneratedContent) throws { a = try content.value(forProperty: "a") }
  }
}
struct HandWrittenChoice: Generable {
  let s: String
  init(_ c: GeneratedContent) throws { s = try c.value() }
  var generatedContent: GeneratedContent { s.generatedContent }
  static let generationSchema = GenerationSchema(
    type: HandWrittenChoice.self, description: "e", anyOf: ["a", "b"])
}
struct HandWrittenUnion: Generable {
  let c: GeneratedContent
  init(_ c: GeneratedContent) throws { self.c = c }
  var generatedContent: GeneratedContent { c }
  static let generationSchema = GenerationSchema(
    type: HandWrittenUnion.self, anyOf: [Sketch.self, GuidedSketch.self, String.self])
}
func schemas() throws {
  let s = Sketch.generationSchema
  _ = s.debugDescription
  _ = s.name
  let data = try JSONEncoder().encode(s)
  let back = try JSONDecoder().decode(GenerationSchema.self, from: data)
  print(back)
  let person = DynamicGenerationSchema(
    name: "Person", description: "p",
    properties: [
      .init(name: "name", schema: .init(type: String.self, guides: [.anyOf(["a"])])),
      .init(
        name: "age", description: "years", schema: .init(type: Int.self, guides: [.range(0...9)]),
        isOptional: true),
      DynamicGenerationSchema.Property(
        name: "friends",
        schema: DynamicGenerationSchema(
          arrayOf: .init(referenceTo: "Person"), minimumElements: 1, maximumElements: 2)),
      .init(name: "kind", schema: .init(name: "Kind", anyOf: ["x", "y"])),
      .init(
        name: "either",
        schema: .init(
          name: "Either", description: "d",
          anyOf: [.init(type: String.self), DynamicGenerationSchema.null])),
      .init(name: "gen", schema: .init(type: Sketch.self)),
      .init(name: "arr", schema: .init(type: [Int].self, guides: [.count(2)])),
    ])
  let g = try GenerationSchema(root: person, dependencies: [])
  _ = DynamicGenerationSchema(
    name: "N", representNilExplicitlyInGeneratedContent: true, properties: [])
  _ = DynamicGenerationSchema(name: "N", description: nil, properties: [])
  do { _ = try GenerationSchema(root: person, dependencies: [person]) } catch let error
    as GenerationSchema.SchemaError
  {
    switch error {
    case .duplicateType(let schema, let type, let context):
      print(schema as Any, type, context.debugDescription)
    case .duplicateProperty(schema: let s, property: let p, context: let c): print(s, p, c)
    case .emptyTypeChoices(let schema, let context): print(schema, context)
    case .undefinedReferences(let schema, let references, let context):
      print(schema as Any, references, context)
    @unknown default: break
    }
    print(
      error.errorDescription as Any, error.recoverySuggestion as Any, error.localizedDescription)
  }
  print(g)
}
func partials(
  _ p: GuidedSketch.PartiallyGenerated, _ t: Family.PartiallyGenerated,
  _ pay: Payload.PartiallyGenerated, w: WithID.PartiallyGenerated,
  g: Generic<Int>.PartiallyGenerated
) {
  let a: Int? = p.a
  let b: String? = p.b
  let id: GenerationID = p.id
  for child in t.children ?? [] { print(child.name ?? "", child.id) }
  let c: [Family.PartiallyGenerated]? = t.children
  let o: [Family.PartiallyGenerated]? = t.other
  let wid: Int? = w.id
  let gi: Int? = g.item
  let gis: [Int]? = g.items
  switch pay {
  case .text(let s): print(s ?? "")
  case .pair(let i, let s): print(i ?? 0, s ?? "")
  case .named(first: let f, second: let s): print(f?.a ?? 0, s?.first?.b ?? "")
  case .optional(value: let v): print(v ?? 0)
  case .none: break
  case .recursive(let r): print(r?.count ?? 0)
  case .labelled(let x): print(x ?? 0)
  }
  _ = (a, b, id, c, o, wid, gi, gis)
  let whole = GuidedSketch.PartiallyGenerated.self
  _ = whole
}
func asPartial(_ p: PersonA, r: Rank) {
  let x: PersonA.PartiallyGenerated = p.asPartiallyGenerated()
  print(x.name ?? "")
  let y: Rank.PartiallyGenerated = r.asPartiallyGenerated()
  print(y == .low)
}
// Generic code over Generable
func describe<T: Generable>(_ type: T.Type) -> String { "\(T.generationSchema)" }
protocol Feature {
  associatedtype Out: Generable & Sendable
  var prompt: String { get }
}
struct FeatureRunner<F: Feature> {
  let f: F
  func run(_ s: LanguageModelSession) async throws -> F.Out {
    try await s.respond(to: f.prompt, generating: F.Out.self).content
  }
  func stream(_ s: LanguageModelSession) -> LanguageModelSession.ResponseStream<F.Out> {
    s.streamResponse(to: f.prompt, generating: F.Out.self)
  }
}
func prompts(flag: Bool, notes: [String], maybe: String?, plan: Sketch) {
  let p = Prompt {
    "a"
    "b \(flag)"
    if flag { "c" } else { "d" }
    for n in notes {
      n
      "x"
    }
    if let maybe { maybe }
    plan
    maybe
    notes
    [plan]
    if #available(macOS 26, *) { "new" }
    switch notes.count {
    case 0: "none"
    case 1: plan
    default: "many"
    }
  }
  let i = Instructions {
    "a"
    if flag { "b" }
    for n in notes { "n \(n)" }
    plan
    Instructions("sub")
    """
    multi
    line
    """
  }
  let p2 = Prompt("x")
  let p3 = Prompt(plan)
  let p4 = Prompt(p)
  let p5 = Prompt(notes)
  let i2 = Instructions("x")
  let i3 = Instructions(plan)
  let i4 = Instructions(i)
  _ = (p2, p3, p4, p5, i2, i3, i4)
  _ = plan.promptRepresentation
  _ = plan.instructionsRepresentation
  _ = "x".promptRepresentation
}
struct Story: PromptRepresentable, InstructionsRepresentable {
  let title: String
  let points: [String]
  var promptRepresentation: Prompt {
    "Title: \(title)"
    for p in points { "- \(p)" }
  }
  var instructionsRepresentation: Instructions {
    "Title: \(title)"
    points
  }
}
struct Story2: PromptRepresentable { var promptRepresentation: Prompt { Prompt("hello") } }
struct Story3: PromptRepresentable {
  let t: String?
  var promptRepresentation: Prompt {
    "x"
    if let t { t }
  }
}
@PromptBuilder func buildPrompt(_ x: Int) -> Prompt {
  "a"
  "b \(x)"
}
@InstructionsBuilder func buildInstructions() throws -> Instructions { "a" }
