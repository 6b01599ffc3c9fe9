// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierMacros
import Foundation
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

/// Every form of `@Generable`, from `Expansions/sources` to `Expansions/expanded`. To write the
/// latter anew, run with `ESPALIER_RECORD=1` and read the difference.
@Suite struct ExpansionTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Expansions")

  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "sources").path())
    return (files ?? []).sorted()
  }()

  @Test func thereAreSources() {
    #expect(Self.names.count >= 10)
  }

  @Test(arguments: names)
  func expansion(name: String) throws {
    let source = try String(
      contentsOf: Self.folder.appending(path: "sources/\(name)"), encoding: .utf8)
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: name)])
    let expanded = file.expand(
      macroSpecs: generableMacros,
      contextGenerator: {
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2)
    ).description
    #expect(context.diagnostics.allSatisfy { $0.diagMessage.severity != .error })
    let golden = Self.folder.appending(path: "expanded/\(name)")
    if ProcessInfo.processInfo.environment["ESPALIER_RECORD"] != nil {
      try expanded.write(to: golden, atomically: true, encoding: .utf8)
    }
    #expect(try expanded == String(contentsOf: golden, encoding: .utf8))
    #expect(!Parser.parse(source: expanded).hasError)
  }
}

let generableMacros: [String: MacroSpec] = [
  "Generable": MacroSpec(
    type: GenerableMacro.self, conformances: ["Generable", "ConvertibleToGeneratedContent"]),
  "Guide": MacroSpec(type: GuideMacro.self),
  "SessionPropertyEntry": MacroSpec(type: SessionPropertyEntryMacro.self),
]
