// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// Mistakes with the macros, and what is said of each: `Tests/Misuse/run` compiles this file. Every
// error has to be on a line with a comment that begins with `error:`, once, and with these words in
// it; so has every warning, with `warning:`.

struct Color { var red = 1 }

@Generable struct UnsupportedType {
  var name: String
  var color: Color  // error: type 'Color' does not conform
}

@Generable struct UnsupportedTypes {
  var point: (Int, Int)  // error: type '(Int, Int)' does not conform
  var action: () -> Void  // error: type '() -> Void' does not conform
  var anything: any Sendable  // error: type 'any Sendable' does not conform
  var letters: [Character]?  // error: type 'Character' does not conform
  @Guide(description: "One") var width: Unicode.Scalar  // error: 'Unicode.Scalar' does not
  var byName: [String: Color]  // error: type 'Color' does not conform
}

@Generable enum UnsupportedPayloads {
  case none
  case one(Color)  // error: type 'Color' does not conform
  case several(name: String, shade: Color?, Int)  // error: type 'Color' does not conform
  case pair([(Int, Int)])  // error: type '(Int, Int)' does not conform
}

@Generable struct NestedType {
  var stops: [Stop]  // error: type 'NestedType.Stop' does not conform
  var last: Last?  // error: type 'NestedType.Last' does not conform
  var payload: Payload

  struct Stop { var name: String }
  enum Last { case home, away }

  @Generable enum Payload {
    case inner(Inner)  // error: type 'NestedType.Payload.Inner' does not conform
    struct Inner {}
  }
}

typealias Name = String

@Generable struct UnsupportedForms {
  var maybes: [String?]  // error: use 'String'
  var numbers: [Set<Int?>]?  // error: use 'Int'
  var values: [String: Int?]  // error: use 'Int'
  var byNumber: [Int: String]  // error: which are strings, not 'Int'
  let byID: [Int: [String]]?  // error: which are strings, not 'Int'
  var byName: [Name: Int]
  var bySuit: [Suit: Int]  // error: requires the types 'Suit' and 'String' be equivalent
  var twice: Int??  // error: is optional twice
  @Guide(description: "x") var children: [Self]  // error: use 'UnsupportedForms'
  var (left, right): (Int, Int)  // error: declare one variable for each
}

@Generable enum Suit { case hearts, spades }

@Generable indirect enum UnsupportedFormsOfPayloads {
  case none
  case some([String?], Int)  // error: use 'String'
  case again(Self?)  // error: use 'UnsupportedFormsOfPayloads'
}

@Generable enum UnsupportedFormOfPayload {
  case some([Int: String])  // error: which are strings, not 'Int'
}

@Generable struct UsesUnsupportedForms {
  @Guide("The forms") var forms: Int  // error: missing argument label 'description:'
  var payload: UnsupportedFormsOfPayloads?
}

extension GenerationGuide where Value == Int {
  static var even: GenerationGuide<Int> { .multiple(of: 2) }
  static func ranges(_ range: ClosedRange<Int>) -> GenerationGuide<Int> { .range(range) }
}

@Generable struct MisspelledGuides {
  @Guide(.rnge(1...5)) var number: Int  // error: has no member 'rnge'
  @Guide(description: "All", .maximumCont(3)) var names: [String]  // error: 'maximumCont'
  @Guide(.between(1...5)) var other: Int?  // error: 'between'
  @Guide(.oneOf(["a"]), .anyOf(["b"])) var choice: String  // error: 'oneOf'
  @Guide(.nonEmpty) var text: String  // error: 'nonEmpty'
  @Guide(.element(.rnge(1...5))) var numbers: [Int]  // error: has no member 'rnge'
  // Guides of the app's own are none, however near their names are.
  @Guide(.even, .ranges(1...5), .minimum(1)) var own: Int
  @Guide(.element(.even), .count(2)) var owns: [Int]
}

@Generable struct GuidesOfTypesWithoutGuides {
  @Guide(.range(1...5)) var flag: Bool  // error: '.range' guides numbers; it cannot be used
  @Guide(description: "On or off", .constant("on")) var state: Bool?  // error: guides strings
}

@Generable("A trip") struct TextWithoutLabel {  // error: Put 'description:' in front of the text.
  var name: String
}

@Generable struct DeprecatedProperty {
  @available(*, deprecated, message: "Use 'name'") var label: String?
  var name: String
}

func useDeprecated(_ value: DeprecatedProperty) throws {
  let content = GeneratedContent(value)
  let _: DeprecatedProperty = try content.value()
  _ = value.generatedContent  // warning: 'GeneratedContent(value)' does without a warning
  _ = try DeprecatedProperty(content)  // warning: 'content.value()' does without a warning
}

@Generable struct NotGenerated {
  let id = 1
  let version = 2
  let kind: String = "trip"  // warning: is not generated, because it is a constant
  @Guide(description: "x") let size: Int = 2  // warning: is not generated
  var count = 3  // warning: is not generated, because it has no type annotation
  lazy var total: Int = 4  // warning: is not generated, because it is lazy
  private lazy var half: Int = 2
  @Guide(description: "x") var key: GenerationID  // warning: is the identity of its value
  var name: String
}

extension SessionPropertyValues {
  @SessionPropertyEntry var units: String  // error: 'units' needs a default value
  @SessionPropertyEntry var speed: Int { 1 }  // error: writes the accessors: remove them
  @SessionPropertyEntry static var mode = "x"  // error: remove 'static'
  @SessionPropertyEntry let limit = 1  // error: variable declared with 'let'
  @SessionPropertyEntry let size: Int  // error: variable declared with 'let'
}

struct Settings {
  @SessionPropertyEntry var units = 1  // error: belongs into an extension
}
