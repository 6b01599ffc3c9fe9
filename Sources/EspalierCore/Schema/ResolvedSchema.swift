// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A schema in which every Swift type has become JSON Schema: a root, and the definitions that it
/// and they refer to, each under a name of its own, in the order in which they are first used.
package struct ResolvedSchema: Sendable {
  package var name: String
  package var root: SchemaNode
  package var definitions: [GenerationSchema.Definition]
}

extension GenerationSchema {
  /// The schema with every Swift type looked up.
  ///
  /// Structures and unions become definitions; everything else stands where it is used. A type
  /// whose name is taken goes by its full name.
  ///
  /// - Throws: ``SchemaConversionError`` where a guide cannot be put into JSON Schema, or a
  ///   reference leads nowhere.
  /// - Complexity: Linear in the size of the schema.
  package func resolved() throws(SchemaConversionError) -> ResolvedSchema {
    var resolution = SchemaResolution(schema: self)
    return try resolution.run()
  }
}

/// The work of resolving one schema.
///
/// A *scope* is a schema with definitions of its own: the one to resolve, and every one embedded in
/// it. `Target` says what a reference means; each target becomes one definition.
private struct SchemaResolution {
  private enum Target: Hashable {
    case type(ObjectIdentifier)
    case definition(scope: Int, name: String)
    case root(scope: Int)
  }

  private var scopes: [GenerationSchema]
  private var names: [Target: String] = [:]
  private var usedNames: Set<String> = []
  private var definitions: [GenerationSchema.Definition] = []
  /// Definitions that still have to be resolved. Resolved at once, a long chain of them would need a
  /// deep stack.
  private var pending: [(definition: Int, node: SchemaNode, scope: Int)] = []
  /// By scope that was asked, the places of its definitions.
  private var places: [Int: [String: Int]] = [:]
  private var scopesOfTypes: [ObjectIdentifier: Int] = [:]
  private var typesInProgress: Set<ObjectIdentifier> = []
  /// The way to the node that is being resolved, in the document.
  private var path: [String] = []

  init(schema: GenerationSchema) {
    scopes = [schema]
    usedNames = [schema.name]
  }

  mutating func run() throws(SchemaConversionError) -> ResolvedSchema {
    let schema = scopes[0]
    let root = try resolve(schema.root, scope: 0)
    while let next = pending.popLast() {
      path = ["$defs", definitions[next.definition].name]
      definitions[next.definition].node = try resolve(next.node, scope: next.scope)
    }
    return ResolvedSchema(name: schema.name, root: root, definitions: inOrderOfUse(from: root))
  }

  /// The definitions as they are first used: what one refers to comes before what follows it.
  private func inOrderOfUse(from root: SchemaNode) -> [GenerationSchema.Definition] {
    var indices: [String: Int] = [:]
    for (index, definition) in definitions.enumerated() { indices[definition.name] = index }
    var result: [GenerationSchema.Definition] = []
    var isListed = [Bool](repeating: false, count: definitions.count)
    var pending = Array(root.referredNames.reversed())
    while let name = pending.popLast() {
      guard let index = indices[name], !isListed[index] else { continue }
      isListed[index] = true
      result.append(definitions[index])
      pending += definitions[index].node.referredNames.reversed()
    }
    return result
  }

  private mutating func resolve(
    _ node: SchemaNode, scope: Int
  ) throws(SchemaConversionError) -> SchemaNode {
    var result: SchemaNode
    switch node.form {
    case .boolean: result = node
    case .keywords(let keywords):
      result = SchemaNode()
      result.typeRange = node.typeRange
      for keyword in keywords {
        path.append(keyword.name)
        let value = try resolve(keyword.value, scope: scope)
        path.removeLast()
        result.append(.init(name: keyword.name, value: value))
      }
    case .type(let type):
      let schema = type.generationSchema
      result = try resolve(schema, describing: schema.type ?? type)
    case .embedded(let schema): result = try resolve(schema, describing: schema.type)
    }
    for constraint in node.constraints {
      do {
        try result.apply(constraint)
      } catch {
        var error = error
        error.location = GeneratedContent.ParsingError.pointer(to: path.map { .property($0) })
        throw error
      }
    }
    if let description = node.descriptionInPlace { result.describe(description) }
    return result
  }

  private mutating func resolve(
    _ value: SchemaNode.Value, scope: Int
  ) throws(SchemaConversionError) -> SchemaNode.Value {
    switch value {
    case .value: return value
    case .schema(let node): return .schema(try resolve(node, scope: scope))
    case .schemas(let nodes):
      var result: [SchemaNode] = []
      for (index, node) in nodes.enumerated() {
        path.append(String(index))
        result.append(try resolve(node, scope: scope))
        path.removeLast()
      }
      return .schemas(result)
    case .named(let nodes):
      var result: [(name: String, node: SchemaNode)] = []
      for (name, node) in nodes {
        path.append(name)
        result.append((name, try resolve(node, scope: scope)))
        path.removeLast()
      }
      return .named(result)
    case .reference(.root):
      return .reference(try reference(toRootOf: scope))
    case .reference(.definition(let name)):
      guard let place = place(of: name, in: scope) else {
        throw SchemaConversionError(
          location: "", problem: "There is no definition named '\(name)'.",
          suggestion: "Add a schema of that name.")
      }
      return .reference(
        try define(
          .definition(scope: scope, name: name), as: name,
          qualified: "\(scopes[scope].name)_\(name)",
          node: scopes[scope].definitions[place].node, scope: scope))
    }
  }

  private mutating func place(of name: String, in scope: Int) -> Int? {
    if let known = places[scope] { return known[name] }
    var found: [String: Int] = [:]
    for (place, definition) in scopes[scope].definitions.enumerated()
    where found[definition.name] == nil { found[definition.name] = place }
    places[scope] = found
    return found[name]
  }

  /// The schema of a type, or one embedded, where it is used.
  private mutating func resolve(
    _ schema: GenerationSchema, describing type: (any Generable.Type)?
  ) throws(SchemaConversionError) -> SchemaNode {
    guard let type else {
      scopes.append(schema)
      let scope = scopes.count - 1
      guard schema.isNamed else { return try resolve(schema.root, scope: scope) }
      return .reference(to: try reference(toRootOf: scope))
    }
    if let rootType = scopes[0].type, type == rootType { return .reference(to: .root) }
    let key = ObjectIdentifier(type)
    if let name = names[.type(key)] { return .reference(to: .definition(name)) }
    let scope = scopesOfTypes[key] ?? scopes.count
    if scope == scopes.count {
      scopes.append(schema)
      scopesOfTypes[key] = scope
    }
    // A type that contains itself without having a title needs a name all the same.
    let isWithinItself = !typesInProgress.insert(key).inserted
    defer { if !isWithinItself { typesInProgress.remove(key) } }
    guard schema.isNamed || isWithinItself else {
      return try resolve(schema.root, scope: scope)
    }
    return .reference(
      to: try define(
        .type(key), as: isWithinItself ? unqualifiedName(of: type) : schema.name,
        qualified: qualifiedName(of: type), node: schema.root, scope: scope))
  }

  private mutating func reference(
    toRootOf scope: Int
  ) throws(SchemaConversionError) -> SchemaNode.Reference {
    guard scope > 0 else { return .root }
    let schema = scopes[scope]
    let target: Target =
      schema.type.map { .type(ObjectIdentifier($0)) } ?? .root(scope: scope)
    return try define(
      target, as: schema.name, qualified: schema.type.map(qualifiedName) ?? schema.name,
      node: schema.root, scope: scope)
  }

  /// The reference to a target, which becomes a definition when it is met for the first time.
  private mutating func define(
    _ target: Target, as name: String, qualified: String, node: SchemaNode, scope: Int
  ) throws(SchemaConversionError) -> SchemaNode.Reference {
    if let name = names[target] { return .definition(name) }
    let name = unusedName(name, qualified: qualified)
    names[target] = name
    let index = definitions.count
    definitions.append(.init(name: name, node: SchemaNode()))
    if case .definition = target {
      pending.append((index, node, scope))
    } else {
      let place = path
      path = ["$defs", name]
      definitions[index].node = try resolve(node, scope: scope)
      path = place
    }
    return .definition(name)
  }

  private mutating func unusedName(_ name: String, qualified: String) -> String {
    if usedNames.insert(name).inserted { return name }
    if usedNames.insert(qualified).inserted { return qualified }
    var number = 2
    while !usedNames.insert("\(qualified)_\(number)").inserted { number += 1 }
    return "\(qualified)_\(number)"
  }
}

extension GenerationSchema {
  /// Whether the schema is referred to by name rather than written where it is used.
  fileprivate var isNamed: Bool {
    root["title"] != nil && (root["properties"] != nil || root["anyOf"] != nil)
  }
}

extension SchemaNode {
  /// Puts a description in the place where people look for it: after the title, or first.
  fileprivate mutating func describe(_ description: String) {
    guard case .keywords(var keywords) = form else { return }
    keywords.removeAll { $0.name == "description" }
    let index = keywords.firstIndex { $0.name == "title" }.map { $0 + 1 } ?? 0
    keywords.insert(Keyword(name: "description", value: .string(description)), at: index)
    self.keywords = keywords
  }
}

/// The name of a type with the types around it and its module, in letters, digits and underscores.
private func qualifiedName(of type: any Generable.Type) -> String {
  // The runtime names the context of a private type by its address, which is never the same.
  String(reflecting: type).replacing(#/\(unknown context at [^)]*\)\.?/#, with: "")
    .split { !($0.isLetter || $0.isNumber || $0 == "_") }.joined(separator: "_")
}

extension SchemaNode {
  /// The names of the definitions that a node refers to, in its order.
  fileprivate var referredNames: [String] {
    keywords.flatMap { keyword -> [String] in
      switch keyword.value {
      case .reference(.definition(let name)): [name]
      case .value, .reference(.root): []
      case .schema(let node): node.referredNames
      case .schemas(let nodes): nodes.flatMap(\.referredNames)
      case .named(let nodes): nodes.flatMap(\.node.referredNames)
      }
    }
  }
}
