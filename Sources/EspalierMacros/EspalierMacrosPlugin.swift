import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct EspalierMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
