import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `@Generable` and `@Guide`.
@main
struct EspalierMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [GenerableMacro.self, GuideMacro.self]
}
