// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import IncrementalJSON

/// A value that a model generated, or part of one: JSON with its order, its exact integers, and
/// whether it is complete.
///
/// Take the content of a dynamic schema apart by property:
///
/// ```swift
/// let content = try GeneratedContent(json: #"{"name": "Ada", "age": 36}"#)
/// let name: String = try content.value(forProperty: "name")
/// ```
///
/// Two contents are equal when their values, the order of their properties and their completeness
/// are; identities do not count.
public struct GeneratedContent: Sendable {
  private var storage: Storage

  // Two cases: to tell three apart wherever content is let go took longer than the rest of it.
  private enum Storage: Sendable {
    /// A value of a parse, read only as far as it is asked for.
    case parsed(JSONNode)
    /// Any other content.
    indirect case boxed(Box)
  }

  private enum Box: Sendable {
    /// Content that the app made, or text on its way.
    case built(Value, id: GenerationID?)
    /// A value of a parse under an identity that the app gave it.
    case identified(JSONNode, id: GenerationID?)
  }

  /// The value of a parse, where the content is one.
  var node: JSONNode? {
    switch storage {
    case .boxed(.built): nil
    case .parsed(let node), .boxed(.identified(let node, _)): node
    }
  }

  /// The identity of this content: stable over the snapshots of one response.
  public var id: GenerationID? {
    get {
      switch storage {
      case .boxed(.built(_, let id)), .boxed(.identified(_, let id)): id
      case .parsed(let node): node.id
      }
    }
    set {
      let box = node.map { Box.identified($0, id: newValue) } ?? .built(value, id: newValue)
      storage = .boxed(box)
    }
  }

  /// Whether the content has been generated to its end.
  public let isComplete: Bool

  /// What the content is. Of parsed content one level is read.
  package var value: Value {
    switch storage {
    case .boxed(.built(let value, _)): value
    case .parsed(let node), .boxed(.identified(let node, _)): node.value
    }
  }

  /// The content of a property, where this is an object that has it.
  ///
  /// - Complexity: Constant for content that the app made, linear in the number of properties for
  ///   parsed content.
  package func property(_ name: String) -> GeneratedContent? {
    switch storage {
    case .boxed(.built(.structure(let structure), _)): structure[name]
    case .boxed(.built): nil
    case .parsed(let node), .boxed(.identified(let node, _)):
      node.member(named: name).map { GeneratedContent($0) }
    }
  }

  /// Goes through the members, in any order, where this is an object. To look for several of them
  /// takes longer, each by itself.
  package func forEachMember(_ body: (_ name: String, _ value: GeneratedContent) -> Void) {
    switch storage {
    case .boxed(.built(.structure(let structure), _)):
      for (name, value) in structure.properties { body(name, value) }
    case .boxed(.built): break
    case .parsed(let node), .boxed(.identified(let node, _)):
      node.forEachMember { body($0, GeneratedContent($1)) }
    }
  }

  /// Whether the content is `null`, or nothing that is known yet.
  package var isNull: Bool {
    switch storage {
    case .boxed(.built(.null, _)): true
    case .boxed(.built): false
    case .parsed(let node), .boxed(.identified(let node, _)): node.isNull
    }
  }

  /// Whether the content is an object.
  package var isStructure: Bool {
    switch storage {
    case .boxed(.built(.structure, _)): true
    case .boxed(.built): false
    case .parsed(let node), .boxed(.identified(let node, _)): node.isStructure
    }
  }

  /// What the content is.
  package indirect enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([GeneratedContent])
    case structure(Structure)
  }

  /// Properties in the order in which they were generated.
  package struct Structure: Sendable, Equatable {
    package private(set) var orderedKeys: [String]
    package private(set) var properties: [String: GeneratedContent]

    package init(orderedKeys: [String] = [], properties: [String: GeneratedContent] = [:]) {
      self.orderedKeys = orderedKeys
      self.properties = properties
    }

    package subscript(key: String) -> GeneratedContent? {
      get { properties[key] }
      set {
        let old = properties.updateValue(newValue ?? GeneratedContent(.null), forKey: key)
        if newValue == nil {
          properties[key] = nil
          orderedKeys.removeAll { $0 == key }
        } else if old == nil {
          orderedKeys.append(key)
        }
      }
    }
  }

  package init(_ value: Value, id: GenerationID? = nil, isComplete: Bool = true) {
    storage = .boxed(.built(value, id: id))
    self.isComplete = isComplete
  }

  package init(_ node: JSONNode) {
    self.init(node, isComplete: node.isComplete)
  }

  /// Creates content of a value of which it is known whether it is complete: to ask a stored node
  /// would copy it, which costs as much as a snapshot does.
  package init(_ node: JSONNode, isComplete: Bool) {
    self.isComplete = isComplete
    storage = .parsed(node)
  }

  /// Creates content from a value.
  public init(_ value: some ConvertibleToGeneratedContent) {
    self = value.generatedContent
  }

  /// Creates content from a value, with an identity.
  public init(_ value: some ConvertibleToGeneratedContent, id: GenerationID) {
    self = value.generatedContent
    self.id = id
  }

  /// Creates an object from properties in order. A name given twice keeps its first place and its
  /// last value.
  public init(
    properties: KeyValuePairs<String, any ConvertibleToGeneratedContent>, id: GenerationID? = nil
  ) {
    self.init(
      properties: properties.map { ($0.key, $0.value) }, id: id, uniquingKeysWith: { $1 })
  }

  /// Creates an object from properties in order.
  ///
  /// - Parameters:
  ///   - properties: The names and values.
  ///   - id: The identity of the content.
  ///   - combine: Makes one value of the earlier and the later value of a name that is given
  ///     twice; the name keeps its first place.
  /// - Throws: What `combine` throws.
  public init<S: Sequence>(
    properties: S, id: GenerationID? = nil,
    uniquingKeysWith combine: (GeneratedContent, GeneratedContent) throws ->
      some ConvertibleToGeneratedContent
  ) rethrows where S.Element == (String, any ConvertibleToGeneratedContent) {
    var structure = Structure()
    for (key, value) in properties {
      let content = value.generatedContent
      if let earlier = structure[key] {
        structure[key] = try combine(earlier, content).generatedContent
      } else {
        structure[key] = content
      }
    }
    self.init(.structure(structure), id: id)
  }

  /// Creates an array from elements in order.
  public init<S: Sequence>(elements: S, id: GenerationID? = nil)
  where S.Element == any ConvertibleToGeneratedContent {
    self.init(.array(elements.map(\.generatedContent)), id: id)
  }
}

extension GeneratedContent: Equatable {
  public static func == (left: GeneratedContent, right: GeneratedContent) -> Bool {
    left.isComplete == right.isComplete && left.value == right.value
  }
}

extension GeneratedContent: Generable {
  /// Any JSON value.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "GeneratedContent", root: SchemaNode())
  }

  /// Creates content from content: a copy.
  public init(_ content: GeneratedContent) throws {
    self = content
  }

  public var generatedContent: GeneratedContent { self }
}

extension GeneratedContent: CustomDebugStringConvertible {
  public var debugDescription: String { "GeneratedContent(\(jsonString))" }
}
