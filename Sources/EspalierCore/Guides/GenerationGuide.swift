// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What narrows down the values of a generated property.
///
/// ```swift
/// @Generable struct Cat {
///   @Guide(.range(0...20)) var age: Int
///   @Guide(.count(3), .element(.anyOf(["plays", "sleeps", "eats"]))) var habits: [String]
/// }
/// ```
///
/// Every guide reaches the schema, and the constraint engine enforces it while the model writes.
@dynamicMemberLookup
public struct GenerationGuide<Value>: Sendable {
  package let constraints: [GuideConstraint]

  init(_ constraints: GuideConstraint...) { self.constraints = constraints }

  /// A guide that there is not. It is no value of this type: whatever asks for a guide still says
  /// that it has none of this name. `@Generable` writes it, so that a misspelled guide is one error.
  @_disfavoredOverload
  public static subscript(dynamicMember name: String) -> UnknownGuide { UnknownGuide() }
}

/// What a misspelled guide is in the code that `@Generable` writes.
@dynamicCallable
public struct UnknownGuide: Sendable {
  /// The same, whatever its arguments are.
  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, Any>
  ) -> UnknownGuide {
    self
  }
}
