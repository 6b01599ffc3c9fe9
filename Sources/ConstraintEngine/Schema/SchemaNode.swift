// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One subschema with its keywords read and its references resolved.
///
/// Subschemas name each other by their index in the ``SchemaGraph``.
package struct SchemaNode: Sendable {
  /// The index of a subschema in its graph.
  package typealias ID = Int

  /// Where the subschema stands: a JSON Pointer as a URI fragment.
  package var pointer: String {
    get { place.text }
    set { place = SchemaPointer(newValue) }
  }
  /// The same, as its steps.
  var place: SchemaPointer
  /// The value of a boolean schema.
  package var boolean: Bool?

  package var types: JSONTypes = .all
  /// Whether `types` allows numbers only where they are integers.
  package var onlyIntegers = false
  /// Whether integers are told by their spelling, as in draft 4: `1.0` is none.
  package var integersAreSpelled = false
  /// The values of `enum` or `const`.
  package var values: ConstantSet?
  /// The keyword that lists them.
  package var valuesKeyword = "enum"
  /// Whether the subschema is the shape of listed containers (``ContainerListing``): of the values that
  /// are read by it, each is already known to be one of a list.
  var isShape = false

  package var minimum: Bound?
  package var maximum: Bound?
  package var multipleOf: ExactDecimal?

  package var minLength: Int?
  package var maxLength: Int?
  package var pattern: RegularLanguages.State?
  package var patternText: String?
  package var format: StringFormat?

  package var prefixItems: [ID] = []
  package var items: ID?
  package var minItems: Int?
  package var maxItems: Int?
  package var contains: ID?
  package var minContains: Int?
  package var maxContains: Int?
  package var uniqueItems = false
  package var unevaluatedItems: ID?

  package var properties: [(name: Name, schema: ID)] = []
  package var patternProperties: [(language: RegularLanguages.State, schema: ID, text: String)] = []
  package var additionalProperties: ID?
  package var propertyNames: ID?
  package var required: [Name] = []
  package var minProperties: Int?
  package var maxProperties: Int?
  package var dependentRequired: [(name: Name, names: [Name])] = []
  package var dependentSchemas: [(name: Name, schema: ID)] = []
  package var unevaluatedProperties: ID?

  package var allOf: [ID] = []
  package var anyOf: [ID]?
  package var oneOf: [ID]?
  package var not: ID?
  package var ifThenElse: (condition: ID, then: ID?, otherwise: ID?)?
  package var reference: ID?

  /// The index of a property name in its graph.
  package typealias Name = Int

  package typealias Bound = NumberConstraint.Bound

  package init(pointer: String = "") { self.init(at: SchemaPointer(pointer)) }

  init(at place: SchemaPointer) { self.place = place }
}

/// The values that `enum` or `const` lists: scalars by value, and containers as subschemas that
/// only they satisfy, as a listing, or as both.
package struct ConstantSet: Sendable {
  package var null = false
  package var booleans: Set<Bool> = []
  /// In the order listed, each value once.
  package var numbers: [ExactDecimal] = []
  /// UTF-8 bytes, in the order listed, each once.
  package var strings: [[UInt8]] = []
  /// The same strings as names, in ascending order.
  var stringNames: [SchemaNode.Name] = []
  /// Empty where the listing has more than can be held against other subschemas one by one.
  package var arrays: [SchemaNode.ID] = []
  package var objects: [SchemaNode.ID] = []
  /// The containers where there are many.
  package var listing: ContainerListing?

  package var hasArrays: Bool { !arrays.isEmpty || listing?.arrays.isEmpty == false }
  package var hasObjects: Bool { !objects.isEmpty || listing?.objects.isEmpty == false }

  /// The values of two lists of scalars; `nil` where one lists anything else.
  func scalars(alsoIn other: ConstantSet) -> ConstantSet? {
    if hasArrays || hasObjects || other.hasArrays || other.hasObjects { return nil }
    let (numbers, strings) = (Set(other.numbers), Set(other.strings))
    let names = Set(other.stringNames)
    return ConstantSet(
      null: null && other.null, booleans: booleans.intersection(other.booleans),
      numbers: self.numbers.filter(numbers.contains),
      strings: self.strings.filter(strings.contains),
      stringNames: stringNames.filter(names.contains))
  }
}

/// Many arrays and objects that a schema lists: a value is read beside all of them, and each member and
/// item leaves those that agree with it.
package struct ContainerListing: Sendable {
  /// A list of more containers than this is read so; of fewer each is an alternative of its own.
  static let least = 64

  /// Each once.
  package var arrays: [ListedValues.ID] = []
  package var objects: [ListedValues.ID] = []
  /// What all of them satisfy: the keys that some of them have, in the order in which they first came,
  /// and what their members and items satisfy in the same way.
  package var shape: SchemaNode.ID
}

/// A set of the types of JSON values.
package struct JSONTypes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let null = JSONTypes(rawValue: 1)
  package static let boolean = JSONTypes(rawValue: 2)
  package static let number = JSONTypes(rawValue: 4)
  package static let string = JSONTypes(rawValue: 8)
  package static let array = JSONTypes(rawValue: 16)
  package static let object = JSONTypes(rawValue: 32)
  package static let all: JSONTypes = [.null, .boolean, .number, .string, .array, .object]

  /// The single types of the set.
  package static let each: [JSONTypes] = [.null, .boolean, .number, .string, .array, .object]
}
