// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
package import EspalierCore

// An expected value that its schema forbids would count against every model: it is found before a
// model is asked.

extension EvaluationCase {
  /// Tells of each case whether a model held to the schema can give what it expects.
  package struct Check: Sendable {
    /// The engine has a type of this name, too.
    private typealias Node = EspalierCore.SchemaNode

    private let grammar: Grammar
    private let schema: ResolvedSchema

    /// - Throws: `GrammarError` where the schema cannot be honoured, ``SchemaConversionError`` where it
    ///   cannot be written.
    package init(schema: GenerationSchema) throws {
      grammar = try Grammar(jsonSchema: schema.jsonSchema(), options: .validation)
      self.schema = try schema.resolved()
    }

    /// Why no value of the schema is what a case expects; nil where one may be, or nobody knows.
    package func problem(of item: EvaluationCase) -> String? {
      var first: Violation?
      // Without a value in the place of `$any` and the like, nothing is known of the whole.
      guard let values = item.expected.values(limit: 64), !values.isEmpty else { return nil }
      for value in values {
        guard let found = violation(of: value) else { return nil }
        first = first ?? found
        // A member that is null stands for one that is left out.
        if violation(of: value.withoutNullMembers) == nil { return nil }
      }
      return first.map { violation in
        let place = violation.instanceLocation.isEmpty ? "" : "at \(violation.instanceLocation), "
        return "\(place)expected \(violation.expected), found \(violation.found)"
      }
    }

    private func violation(of value: GeneratedContent) -> Violation? {
      var validator = StreamValidator(grammar: grammar)
      validator.append(value.jsonString)
      guard case .violated(let violation) = validator.finish() else { return nil }
      return violation
    }

    /// The keys of what a case expects that the schema does not name: `stops[].citty`.
    package func unknownKeys(of item: EvaluationCase) -> [String] {
      unknownKeys(item.expected, [schema.root], path: "")
    }

    private func unknownKeys(
      _ value: ExpectedValue, _ nodes: [Node], path: String
    ) -> [String] {
      let parts = parts(of: nodes)
      switch value {
      case .object(let members):
        guard let properties = properties(of: parts) else { return [] }
        return members.flatMap { member in
          let place = path.isEmpty ? member.name : "\(path).\(member.name)"
          guard let nodes = properties[member.name] else { return [place] }
          return unknownKeys(member.value, nodes, path: place)
        }
      case .list(let elements):
        let items = parts.compactMap { part -> Node? in
          if case .schema(let node)? = part["items"] { node } else { nil }
        }
        return elements.flatMap { unknownKeys($0, items, path: path + "[]") }
      case .oneOf(let choices):
        return choices.flatMap { unknownKeys($0, nodes, path: path) }
      case .exactly, .near, .any: return []
      }
    }

    /// The members that nodes name; nil where there may be others whose names are not known.
    private func properties(of parts: [Node]) -> [String: [Node]]? {
      var properties: [String: [Node]] = [:]
      for part in parts {
        if part["patternProperties"] != nil { return nil }
        if case .schema(let others)? = part["additionalProperties"], !others.keywords.isEmpty {
          return nil
        }
        guard case .named(let named)? = part["properties"] else { continue }
        for (name, node) in named { properties[name, default: []].append(node) }
      }
      return properties.isEmpty ? nil : properties
    }

    /// Nodes, what they refer to, and what they are put together of.
    private func parts(of nodes: [Node]) -> [Node] {
      var parts: [Node] = []
      var references: Set<Node.Reference> = []
      var pending = nodes
      while let node = pending.popLast() {
        parts.append(node)
        for keyword in node.keywords {
          switch (keyword.name, keyword.value) {
          case ("$ref", .reference(let reference)):
            guard references.insert(reference).inserted else { continue }
            switch reference {
            case .root: pending.append(schema.root)
            case .definition(let name):
              pending += schema.definitions.filter { $0.name == name }.map(\.node)
            }
          case ("allOf", .schemas(let nodes)), ("anyOf", .schemas(let nodes)),
            ("oneOf", .schemas(let nodes)):
            pending += nodes
          case ("if", .schema(let node)), ("then", .schema(let node)), ("else", .schema(let node)):
            pending.append(node)
          case ("dependentSchemas", .named(let named)): pending += named.map(\.node)
          default: continue
          }
        }
      }
      return parts
    }
  }
}

extension ExpectedValue {
  /// The values that are accepted; nil where they are not a few.
  fileprivate func values(limit: Int) -> [GeneratedContent]? {
    switch self {
    case .exactly(let value): return [value]
    case .near, .any: return nil
    case .oneOf(let choices):
      var values: [GeneratedContent] = []
      for choice in choices {
        guard let more = choice.values(limit: limit) else { return nil }
        values += more
      }
      return values.count <= limit ? values : nil
    case .list(let elements):
      return Self.combinations(of: elements, limit: limit)?.map { GeneratedContent(elements: $0) }
    case .object(let members):
      return Self.combinations(of: members.map(\.value), limit: limit)?.map { values in
        GeneratedContent(
          properties: zip(members, values).map { member, value in
            (member.name, value as any ConvertibleToGeneratedContent)
          }, uniquingKeysWith: { $1 })
      }
    }
  }

  private static func combinations(
    of parts: [ExpectedValue], limit: Int
  ) -> [[GeneratedContent]]? {
    var combinations: [[GeneratedContent]] = [[]]
    for part in parts {
      guard let values = part.values(limit: limit), values.count * combinations.count <= limit
      else { return nil }
      combinations = combinations.flatMap { known in values.map { known + [$0] } }
    }
    return combinations
  }
}
