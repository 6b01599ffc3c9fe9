// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `@Generable`, `@Guide` and `@SessionPropertyEntry`.
@main
struct EspalierMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    GenerableMacro.self, GuideMacro.self, SessionPropertyEntryMacro.self,
  ]
}
