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
public struct GenerationGuide<Value>: Sendable {
  package let constraints: [GuideConstraint]

  init(_ constraints: GuideConstraint...) { self.constraints = constraints }
}
