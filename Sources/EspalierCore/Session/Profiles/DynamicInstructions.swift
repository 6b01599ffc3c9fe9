// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Instructions and tools that are looked at anew before every round of a session.
///
/// ```swift
/// struct Guide: DynamicInstructions {
///   @SessionProperty(\.mood) var mood
///
///   var body: some DynamicInstructions {
///     Instructions("You show people around.")
///     if mood == .hungry { FindRestaurants() }
///   }
/// }
/// ```
public protocol DynamicInstructions {
  /// What the instructions are made of.
  associatedtype Body: DynamicInstructions

  /// What the instructions are made of.
  @DynamicInstructionsBuilder var body: Body { get }
}

extension DynamicInstructions {
  /// One component for each element of a collection.
  public typealias ForEach = DynamicInstructionsForEach
}

extension Never: DynamicInstructions {
  /// Never asked for: there is no value to ask.
  public var body: Never { return preconditionFailure("Never has no values.") }
}

extension DynamicInstructions where Body == Never {
  /// Never asked for.
  public var body: Never { preconditionFailure("\(Self.self) has no body.") }
}

extension Instructions: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never

  func contribute(to draft: inout ProfileDraft) { draft.parts += parts }
}

extension Optional: DynamicInstructions where Wrapped: DynamicInstructions {
  public typealias Body = Never
}

extension Optional: PrimitiveInstructions where Wrapped: DynamicInstructions {
  func contribute(to draft: inout ProfileDraft) {
    if let self { draft.add(self) }
  }
}

/// Dynamic instructions of any type.
public struct AnyDynamicInstructions: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never
  private let instructions: any DynamicInstructions

  /// Creates instructions of any type.
  public init(_ instructions: any DynamicInstructions) { self.instructions = instructions }

  /// Creates instructions of any type.
  public init(erasing instructions: some DynamicInstructions) { self.instructions = instructions }

  func contribute(to draft: inout ProfileDraft) { draft.add(instructions) }
}

/// No instructions at all.
public struct EmptyDynamicInstructions: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never

  /// Creates none.
  public init() {}

  func contribute(to draft: inout ProfileDraft) {}
}

/// Tools among dynamic instructions.
public struct ToolDynamicInstructions: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never
  let tools: [any Tool]

  func contribute(to draft: inout ProfileDraft) {
    for tool in tools { draft.add(tool) }
  }
}

/// Several dynamic instructions, one after the other.
public struct TupleDynamicInstructions<each Component: DynamicInstructions>: DynamicInstructions,
  PrimitiveInstructions
{
  public typealias Body = Never
  let components: (repeat each Component)

  func contribute(to draft: inout ProfileDraft) {
    for component in repeat each components { draft.add(component) }
  }
}

/// One of two branches.
public struct ConditionalDynamicInstructions<
  First: DynamicInstructions, Second: DynamicInstructions
>: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never

  /// The branches.
  public enum Branch {
    /// The branch taken where the condition holds.
    case first(First)
    /// The other.
    case second(Second)
  }

  let branch: Branch

  func contribute(to draft: inout ProfileDraft) {
    switch branch {
    case .first(let instructions): draft.add(instructions)
    case .second(let instructions): draft.add(instructions)
    }
  }
}

/// One component for each element of a collection.
public struct DynamicInstructionsForEach<
  Data: RandomAccessCollection, ID: Hashable, Content: DynamicInstructions
>: DynamicInstructions, PrimitiveInstructions {
  public typealias Body = Never
  private let data: Data
  private let content: (Data.Element) -> Content

  /// Creates a component for each element.
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.content = content
  }

  /// Creates a component for each element.
  public init(
    _ data: Data, @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable, ID == Data.Element.ID {
    self.data = data
    self.content = content
  }

  func contribute(to draft: inout ProfileDraft) {
    for element in data { draft.add(content(element)) }
  }
}

/// Builds dynamic instructions from instructions, text and tools.
@resultBuilder
public struct DynamicInstructionsBuilder {
  /// Nothing.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// One component.
  public static func buildBlock<Component: DynamicInstructions>(
    _ component: Component
  ) -> Component { component }

  /// Several components.
  @_disfavoredOverload
  public static func buildBlock<each Component: DynamicInstructions>(
    _ components: repeat each Component
  ) -> TupleDynamicInstructions<repeat each Component> {
    TupleDynamicInstructions(components: (repeat each components))
  }

  /// The first branch of a condition.
  public static func buildEither<First: DynamicInstructions, Second: DynamicInstructions>(
    first: First
  ) -> ConditionalDynamicInstructions<First, Second> {
    ConditionalDynamicInstructions(branch: .first(first))
  }

  /// The other branch of a condition.
  public static func buildEither<First: DynamicInstructions, Second: DynamicInstructions>(
    second: Second
  ) -> ConditionalDynamicInstructions<First, Second> {
    ConditionalDynamicInstructions(branch: .second(second))
  }

  /// A branch without an alternative.
  public static func buildOptional<Component: DynamicInstructions>(
    _ component: Component?
  ) -> Component? { component }

  /// A branch of `if #available`.
  public static func buildLimitedAvailability(
    _ component: some DynamicInstructions
  ) -> AnyDynamicInstructions { AnyDynamicInstructions(erasing: component) }

  /// Dynamic instructions.
  public static func buildExpression<Component: DynamicInstructions>(
    _ component: Component
  ) -> Component { component }

  /// Text, or anything else that can be put into instructions.
  @_disfavoredOverload
  public static func buildExpression(
    _ component: some InstructionsRepresentable
  ) -> Instructions { component.instructionsRepresentation }

  /// A tool.
  public static func buildExpression(_ tool: some Tool) -> ToolDynamicInstructions {
    ToolDynamicInstructions(tools: [tool])
  }

  /// Tools.
  public static func buildExpression(_ tools: [any Tool]) -> ToolDynamicInstructions {
    ToolDynamicInstructions(tools: tools)
  }
}
