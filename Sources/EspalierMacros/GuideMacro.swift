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
    let isStored = declaration.as(VariableDeclSyntax.self)?.isStored ?? false
    if !isStored { context.diagnose(.guideOutsideStoredProperty(node, on: declaration)) }
    return []
  }
}
