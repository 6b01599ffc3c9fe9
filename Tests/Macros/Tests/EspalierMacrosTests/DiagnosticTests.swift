// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Misuse is reported at the token that is wrong, and its fix does what it says.
@Suite struct DiagnosticTests {
  private func check(
    _ source: String, line: Int, column: Int, _ message: String, severity: String = "error",
    fix: String? = nil, fixed: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath
  ) {
    var failures: [String] = []
    assertMacroExpansion(
      source, expandedSource: "",
      diagnostics: [
        DiagnosticSpec(
          message: message, line: line, column: column,
          severity: severity == "error"
            ? .error : severity == "remark" ? .remark : severity == "note" ? .note : .warning,
          fixIts: fix.map { [FixItSpec(message: $0)] } ?? [])
      ],
      macroSpecs: generableMacros, applyFixIts: fix.map { [$0] }, fixedSource: fixed,
      failureHandler: { failure in
        // What it expands to all the same is not what these tests are about.
        if !failure.message.contains("Macro expansion did not produce") {
          failures.append(failure.message)
        }
      })
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  @Test func classesAndActors() {
    for keyword in ["class", "actor"] {
      check(
        "@Generable\n\(keyword) A {\n}", line: 2, column: 1,
        "'@Generable' can only be used on structs and enums.", fix: "use 'struct'",
        fixed: "@Generable\nstruct A {\n}")
    }
  }

  @Test func classesThatAreFinal() {
    check(
      "@Generable\nfinal class A {\n}", line: 2, column: 7,
      "'@Generable' can only be used on structs and enums.", fix: "use 'struct'",
      fixed: "@Generable\nstruct A {\n}")
    check(
      "@Generable\npublic final class A {\n}", line: 2, column: 14,
      "'@Generable' can only be used on structs and enums.", fix: "use 'struct'",
      fixed: "@Generable\npublic struct A {\n}")
  }

  @Test func privateTypeWithinAnother() {
    check(
      "enum Outer {\n  @Generable\n  private struct A {\n  }\n}", line: 3, column: 3,
      "'@Generable' cannot extend a private type within another.", fix: "use 'fileprivate'",
      fixed: "enum Outer {\n  @Generable\n  fileprivate struct A {\n  }\n}")
  }

  @Test func emptyEnumeration() {
    check(
      "@Generable\nenum A {\n}", line: 2, column: 6,
      "Generable enums must have at least one case.", fix: "add a case",
      fixed: "@Generable\nenum A {\n  case <#name#>\n}")
  }

  @Test func propertyWithoutType() {
    check(
      "@Generable\nstruct A {\n  var count = 3\n}", line: 3, column: 7,
      "'count' is not generated, because it has no type annotation.", severity: "warning",
      fix: "add ': Int'", fixed: "@Generable\nstruct A {\n  var count: Int = 3\n}")
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"c\") var list = make()\n}", line: 3,
      column: 32, "'list' is not generated, because it has no type annotation.",
      fix: "add ': <#Type#>'",
      fixed: "@Generable\nstruct A {\n  @Guide(description: \"c\") var list: <#Type#> = make()\n}")
  }

  @Test func guidesOfTheWrongKind() {
    check(
      "@Generable\nstruct A {\n  @Guide(.count(3)) var name: String\n}", line: 3, column: 10,
      "'.count' guides arrays; it cannot be used with type 'String'.", fix: "remove '@Guide'",
      fixed: "@Generable\nstruct A {\n  var name: String\n}")
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"d\", .range(1...2)) var name: String?\n}",
      line: 3, column: 28, "'.range' guides numbers; it cannot be used with type 'String?'.",
      fix: "remove the guide",
      fixed: "@Generable\nstruct A {\n  @Guide(description: \"d\") var name: String?\n}")
    check(
      "@Generable\nstruct A {\n  @Guide(.anyOf([\"a\"])) var names: [String]\n}", line: 3,
      column: 10, "'.anyOf' guides strings; it cannot be used with type '[String]'.",
      fix: "guide the elements",
      fixed: "@Generable\nstruct A {\n  @Guide(.element(.anyOf([\"a\"]))) var names: [String]\n}")
    check(
      "@Generable\nstruct A {\n  @Guide(/a/) var number: Int\n}", line: 3, column: 10,
      "'Regex' guides strings; it cannot be used with type 'Int'.", fix: "remove '@Guide'",
      fixed: "@Generable\nstruct A {\n  var number: Int\n}")
  }

  @Test func duplicateNames() {
    check(
      "@Generable\nstruct A {\n  var a: Int\n  var `a`: Int\n}", line: 4, column: 7,
      "There is another property named 'a'; in JSON they would be one.", fix: "rename it",
      fixed: "@Generable\nstruct A {\n  var a: Int\n  var a2: Int\n}")
    check(
      "@Generable\nenum A {\n  case move(x: Int), move(y: Int)\n}", line: 3, column: 22,
      "There is another case named 'move'; in JSON they would be one.", fix: "rename it",
      fixed: "@Generable\nenum A {\n  case move(x: Int), move2(y: Int)\n}")
    check(
      "@Generable\nenum A {\n  case move(type: Int)\n}", line: 3, column: 13,
      "There is another value (the one that names the case) named 'type'; in JSON they would be one.",
      fix: "rename it", fixed: "@Generable\nenum A {\n  case move(type2: Int)\n}")
  }

  @Test func guideOutsideStoredProperty() {
    for declaration in ["var a: Int { 1 }", "static var a: Int = 1", "func a() {}"] {
      check(
        "struct A {\n  @Guide(description: \"x\") \(declaration)\n}", line: 2, column: 3,
        "'@Guide' can only be used with a stored property.", fix: "remove '@Guide'",
        fixed: "struct A {\n  \(declaration)\n}")
    }
  }

  @Test func guideOnConstant() {
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"x\") let a: Int = 1\n}", line: 3, column: 3,
      "'a' is not generated, because it is a constant with a value.", severity: "warning",
      fix: "remove '@Guide'", fixed: "@Generable\nstruct A {\n  let a: Int = 1\n}")
  }

  @Test func sessionPropertiesThatAreNone() {
    for (declaration, message) in [
      (
        "var units: String",
        "'units' needs a default value: the one before anyone sets it. Write '= …', or make the "
          + "type optional."
      ),
      (
        "static var units = 1",
        "A session has values of its own: remove 'static' from the '@SessionPropertyEntry'."
      ),
      (
        "var units: Int { 1 }",
        "'@SessionPropertyEntry' writes the accessors: remove them, and give a default value."
      ),
      ("func units() {}", "'@SessionPropertyEntry' can only be used with a variable."),
    ] {
      check(
        "extension SessionPropertyValues {\n  @SessionPropertyEntry \(declaration)\n}", line: 2,
        column: 3, message)
    }
    check(
      "extension SessionPropertyValues {\n  @SessionPropertyEntry let units = 1\n}", line: 2,
      column: 3, "A value of a session can be set: write 'var' in place of 'let'.",
      severity: "note")
    check(
      "struct Settings {\n  @SessionPropertyEntry var units = 1\n}", line: 2, column: 3,
      "'@SessionPropertyEntry' belongs into an extension of 'SessionPropertyValues'.")
  }

  @Test func whatADeveloperShouldKnow() {
    check(
      "@Generable\nstruct A {\n  let a: Int = 1\n}", line: 3, column: 7,
      "'a' is not generated, because it is a constant with a value; for a value of the model's "
        + "write 'var'; to keep it as it is, leave its type out.", severity: "warning")
    check(
      "@Generable\nstruct A {\n  private var a: Int\n}", line: 3, column: 15,
      "'a' is generated although it is private; to keep it from the model write it without a type, "
        + "as 'static', or as 'lazy'.", severity: "remark")
  }

  @Test func lazyProperties() {
    let words =
      "is not generated, because it is lazy; for a value of the model's remove 'lazy'; to keep it "
      + "from the model make it computed, or leave its type out."
    check(
      "@Generable\nstruct A {\n  lazy var a: Int = 7\n}", line: 3, column: 12, "'a' \(words)",
      severity: "warning")
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"x\") private lazy var a: Int = 7\n}",
      line: 3, column: 45, "'a' \(words)")
  }

  @Test func guideOnIdentity() {
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"x\") private var id: GenerationID\n}",
      line: 3, column: 3,
      "'id' is not generated, because a 'GenerationID' is the identity of its value; remove "
        + "'@Guide'.",
      severity: "warning", fix: "remove '@Guide'",
      fixed: "@Generable\nstruct A {\n  private var id: GenerationID\n}")
  }

  @Test func typesThatCannotBeGenerated() {
    let element = "cannot be optional, because 'null' is not generated there; use"
    let keys = "are to be generated as names in JSON, which are strings, not"
    let twice = "is optional twice, and JSON has one 'null'; use 'Int?'."
    let own = "'Self' is another type where '@Generable' repeats it; use 'A'."
    for (type, column, message, fix, fixed) in [
      ("[String?]", 11, "An element of '[String?]' \(element) 'String'.", "String", "[String]"),
      (
        "[[Optional<Int>]]?", 12, "An element of '[Optional<Int>]' \(element) 'Int'.", "Int",
        "[[Int]]?"
      ),
      (
        "Array<String?>", 16, "An element of 'Array<String?>' \(element) 'String'.", "String",
        "Array<String>"
      ),
      (
        "[String: Int?]", 19, "A value of '[String: Int?]' \(element) 'Int'.", "Int",
        "[String: Int]"
      ),
      (
        "[Int: String]", 11, "The keys of '[Int: String]' \(keys) 'Int'; use 'String'.", "String",
        "[String: String]"
      ),
      (
        "Dictionary<Foundation.UUID, [Int]>", 21,
        "The keys of 'Dictionary<Foundation.UUID, [Int]>' \(keys) 'Foundation.UUID'; use 'String'.",
        "String", "Dictionary<String, [Int]>"
      ),
      ("Int??", 10, "'Int??' \(twice)", "Int?", "Int?"),
      ("Optional<Int?>", 10, "'Optional<Int?>' \(twice)", "Int?", "Int?"),
      ("[Self]", 11, own, "A", "[A]"),
      ("Self?", 10, own, "A", "A?"),
    ] {
      check(
        "@Generable\nstruct A {\n  var a: \(type)\n}", line: 3, column: column, message,
        fix: "use '\(fix)'", fixed: "@Generable\nstruct A {\n  var a: \(fixed)\n}")
      check(
        "@Generable\nenum A {\n  case a(b: \(type))\n}", line: 3, column: column + 3, message,
        fix: "use '\(fix)'", fixed: "@Generable\nenum A {\n  case a(b: \(fixed))\n}")
    }
  }

  @Test func secondDescription() {
    check(
      "@Generable\nstruct A {\n  @Guide(description: \"x\") @Guide(description: \"y\") var a: Int\n}",
      line: 3, column: 35,
      "The property already has a description; this one is not used.", severity: "warning")
  }

  @Test func tuplePattern() {
    check(
      "@Generable\nstruct A {\n  var (a, b): (Int, Int)\n}", line: 3, column: 7,
      "A generated property needs a name of its own; declare one variable for each.")
  }

  @Test func conformanceThatIsThereAlready() {
    var failures: [String] = []
    assertMacroExpansion(
      "@Generable\nstruct A: Equatable, Generable {\n}",
      expandedSource: "struct A: Equatable, Generable {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "Type already conforms to 'Generable'. Remove the '@Generable' macro or delete "
            + "the existing conformance.",
          line: 2, column: 22,
          fixIts: [
            FixItSpec(message: "remove '@Generable'"),
            FixItSpec(message: "remove the conformance"),
          ])
      ],
      macroSpecs: generableMacros, applyFixIts: ["remove the conformance"],
      fixedSource: "@Generable\nstruct A: Equatable{\n}",
      failureHandler: { failures.append($0.message) })
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}
