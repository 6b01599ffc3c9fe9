// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Where a property is deprecated: `*, deprecated`, `macOS, deprecated: 15`.
///
/// What the expansion says of a deprecated property would be a warning in code that the developer has
/// not written, and cannot be rid of. So the members that say it are deprecated too: then the compiler
/// warns of none of it, and where they are called as requirements of their protocols, as sessions and
/// schemas do, it does not either. Of a call by the app it does, and the message says what to call.
struct Deprecation: Hashable {
  /// The arguments of `@available`, without the message.
  private let arguments: String

  /// Reads an attribute; nil where it deprecates nothing.
  init?(_ attribute: AttributeSyntax) {
    guard attribute.attributeName.trimmedDescription == "available",
      case .availability(let list)? = attribute.arguments
    else { return nil }
    let all = list.map(\.argument.trimmedDescription)
    guard all.contains(where: { $0.hasPrefix("deprecated") }) else { return nil }
    arguments = all.filter { !$0.hasPrefix("message") && !$0.hasPrefix("renamed") }
      .joined(separator: ", ")
  }

  /// The attribute for a member that uses the property.
  func attribute(message: String) -> String {
    "@available(\(arguments), message: \(message.swiftLiteral))"
  }
}
