// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The compiler chooses between the two `guides` by what their closure gives: that is what they are for.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

extension GenerationSchema {
  /// A property of a structure: its name, type and guides.
  public struct Property: Sendable {
    let name: String
    let node: SchemaNode
    let isOptional: Bool

    private init(
      name: String, description: String?, type: any Generable.Type,
      constraints: [GuideConstraint], isOptional: Bool
    ) {
      self.name = name
      self.isOptional = isOptional
      node = SchemaNode.type(type).guided(by: constraints, description: description)
    }

    /// Creates a property that is always there.
    ///
    /// - Parameters:
    ///   - name: The key in JSON.
    ///   - description: What the property is, for the model.
    ///   - type: The type of its values.
    ///   - guides: What narrows the values down; they hold all together.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(
        name: name, description: description, type: type,
        constraints: guides.flatMap(\.constraints), isOptional: false)
    }

    /// Creates a property that may be absent.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(
        name: name, description: description, type: Value.self,
        constraints: guides.flatMap(\.constraints), isOptional: true)
    }

    /// Creates a string property whose whole value matches a regular expression. Of several, the
    /// last counts.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      self.init(
        name: name, description: description, type: type,
        constraints: guides.suffix(1).map { .pattern(RegularExpressionSource($0)) },
        isOptional: false)
    }

    /// Creates a string property that may be absent and otherwise matches a regular expression.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String?.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      self.init(
        name: name, description: description, type: String.self,
        constraints: guides.suffix(1).map { .pattern(RegularExpressionSource($0)) },
        isOptional: true)
    }

    /// A guide of the app's own, as `@Generable` writes it down.
    ///
    /// - Parameter guide: Takes the guide from its type.
    public static func guides<Value>(
      _ guide: (GenerationGuide<Value>.Type) -> GenerationGuide<Value>
    ) -> [GenerationGuide<Value>] {
      [guide(GenerationGuide<Value>.self)]
    }

    /// No guides, where there is none of that name for the type.
    @available(
      *, deprecated,
      message: """
        the property's type has no guide of this name, and it is left out: there are constant, anyOf, \
        pattern, format, length, minimumLength, maximumLength; range, minimum, maximum, \
        exclusiveMinimum, exclusiveMaximum, multiple; count, minimumCount, maximumCount, element, \
        uniqueElements
        """
    )
    public static func guides<Value>(
      _ guide: (GenerationGuide<Value>.Type) -> UnknownGuide
    ) -> [GenerationGuide<Value>] {
      []
    }
  }
}
