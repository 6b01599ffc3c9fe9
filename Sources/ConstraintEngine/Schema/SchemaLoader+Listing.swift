// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reading long lists of arrays and objects.
///
/// A subschema for each of a hundred thousand objects would be a thousand bytes for each of their
/// members, and a text would be read beside all of these subschemas. So each value is kept as a value, and
/// what all of them have in common is one subschema, their *shape*.
///
/// Worked example: the shape of `{"a": 1, "b": [2]}` and `{"c": true, "a": "x"}` has the properties `a` (a
/// number or a string), `b` (an array of numbers) and `c` (a boolean), in this order, and no others.
struct ListingReader {
  /// What the values in one place have in common.
  private struct Shape {
    var types: JSONTypes = []
    var names: [SchemaNode.Name] = []
    var members: [SchemaNode.Name: Int] = [:]
    var items: Int?
  }

  private var shapes: [Shape] = [Shape()]
  private var depth = 0
  private let depthLimit: Int
  /// Why a value could not be read, if one could not.
  enum Problem {
    case depth, number, loneSurrogate
  }
  private(set) var problem: Problem?

  init(depthLimit: Int) {
    self.depthLimit = depthLimit
  }

  /// The levels for which any stack has room.
  private static let usualDepth = 32

  /// The id of a value that stands in one of the places of the shape; `nil` where it cannot be read.
  mutating func read(
    _ json: JSONDocument, _ value: JSONDocument.Node, into graph: inout SchemaGraph,
    at place: Int = 0
  ) -> ListedValues.ID? {
    depth += 1
    defer { depth -= 1 }
    guard depth == Self.usualDepth else { return find(json, value, &graph, place) }
    let found = LargeStack.run(levels: depthLimit) { [find(json, value, &graph, place)] }
    if found == nil { problem = .depth }
    return found?.first ?? nil
  }

  private mutating func find(
    _ json: JSONDocument, _ value: JSONDocument.Node, _ graph: inout SchemaGraph, _ place: Int
  ) -> ListedValues.ID? {
    switch json.kind(value) {
    case .null:
      shapes[place].types.insert(.null)
      return graph.listed.id(of: .null)
    case .true, .false:
      shapes[place].types.insert(.boolean)
      return graph.listed.id(of: .boolean(json.kind(value) == .true))
    case .number:
      shapes[place].types.insert(.number)
      guard let number = ExactDecimal(json.text(value)), number.canBeWritten else {
        problem = .number
        return nil
      }
      return graph.listed.id(of: .number(number))
    case .string:
      shapes[place].types.insert(.string)
      if json.hasLoneSurrogate(value) { problem = .loneSurrogate }
      return graph.listed.id(of: .string(Array(json.text(value))))
    case .array:
      shapes[place].types.insert(.array)
      let below = shapes[place].items ?? addShape()
      shapes[place].items = below
      var items: [ListedValues.ID] = []
      for item in json.elements(value) {
        guard let item = read(json, item, into: &graph, at: below) else { return nil }
        items.append(item)
      }
      return graph.listed.id(of: .array(items))
    case .object:
      shapes[place].types.insert(.object)
      var members: [ListedValues.Member] = []
      for (key, member) in json.members(value) where !json.isRepeated(key) {
        if json.hasLoneSurrogate(key) { problem = .loneSurrogate }
        let name = graph.name(json.text(key))
        let below = shapes[place].members[name] ?? addShape()
        if shapes[place].members.updateValue(below, forKey: name) == nil {
          shapes[place].names.append(name)
        }
        guard let member = read(json, member, into: &graph, at: below) else { return nil }
        members.append(.init(key: graph.names[name], value: member))
      }
      return graph.listed.id(ofObject: members)
    }
  }

  private mutating func addShape() -> Int {
    shapes.append(Shape())
    return shapes.count - 1
  }

  /// Adds the shape of the values that were read to a graph.
  func shape(in graph: inout SchemaGraph, pointer: SchemaPointer) -> SchemaNode.ID {
    let first = graph.nodes.count
    for shape in shapes {
      var node = SchemaNode()
      node.place = pointer
      node.isShape = true
      node.types = shape.types
      node.properties = shape.names.map { ($0, first + (shape.members[$0] ?? 0)) }
      node.additionalProperties = graph.nothing
      node.items =
        shape.items.map { first + $0 } ?? (shape.types.contains(.array) ? graph.nothing : nil)
      _ = graph.add(node)
    }
    return first
  }
}

extension SchemaLoader {
  /// The arrays and objects of a list of values; the scalars among them stand beside it.
  ///
  /// - Parameter reports: Whether nothing else reads them, and says what cannot be read.
  mutating func listing(
    _ json: JSONDocument, _ values: [JSONDocument.Node], _ keyword: Keyword, reports: Bool
  ) -> ContainerListing {
    var reader = ListingReader(depthLimit: options.limits.depth)
    var (arrays, objects): ([ListedValues.ID], [ListedValues.ID]) = ([], [])
    for value in values {
      let isArray = json.kind(value) == .array
      guard isArray || json.kind(value) == .object else { continue }
      guard let id = reader.read(json, value, into: &graph) else { continue }
      if isArray { arrays.append(id) } else { objects.append(id) }
    }
    switch reports ? reader.problem : nil {
    case .depth:
      report(
        keyword.name.rawValue, keyword.pointer,
        "the values nest too deeply, \(LargeStack.absence); make them flatter")
    case .number:
      report(
        keyword.name.rawValue, keyword.pointer,
        "expected numbers of at most \(ExactDecimal.mostWritten) digits when written out; shorten it"
      )
    case .loneSurrogate: loneSurrogate(keyword)
    case nil: break
    }
    let shape = reader.shape(in: &graph, pointer: keyword.pointer + "/" + keyword.name.rawValue)
    return ContainerListing(
      arrays: Self.unique(arrays), objects: Self.unique(objects), shape: shape)
  }

  private static func unique(_ ids: [ListedValues.ID]) -> [ListedValues.ID] {
    var seen = Set<ListedValues.ID>()
    return ids.filter { seen.insert($0).inserted }
  }
}
