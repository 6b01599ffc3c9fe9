// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Guide`: adds nothing itself; `@Generable` reads it from the property.
package struct GuideMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    let isStored =
      variable.map { variable in
        !variable.isStatic && variable.bindings.allSatisfy { $0.accessorBlock == nil }
      } ?? false
    if !isStored { context.diagnose(.guideOutsideStoredProperty(node, on: declaration)) }
    return []
  }
}
