// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One subschema with its keywords read and its references resolved.
///
/// Subschemas name each other by their index in the ``SchemaGraph``.
struct SchemaNode: Sendable {
  /// The index of a subschema in its graph.
  typealias ID = Int

  /// Where the subschema stands: a JSON Pointer as a URI fragment.
  var pointer: String = ""
  /// The value of a boolean schema.
  var boolean: Bool?

  var types: JSONTypes = .all
  /// Whether `types` allows numbers only where they are integers.
  var onlyIntegers = false
  /// Whether integers are told by their spelling, as in draft 4: `1.0` is none.
  var integersAreSpelled = false
  /// The values of `enum` or `const`.
  var values: ConstantSet?
  /// The keyword that lists them.
  var valuesKeyword = "enum"
  /// Whether the subschema is the shape of listed containers (``ContainerListing``): of the values that
  /// are read by it, each is already known to be one of a list.
  var isShape = false

  var minimum: Bound?
  var maximum: Bound?
  var multipleOf: ExactDecimal?

  var minLength: Int?
  var maxLength: Int?
  var pattern: RegularLanguages.State?
  var patternText: String?
  var format: StringFormat?

  var prefixItems: [ID] = []
  var items: ID?
  var minItems: Int?
  var maxItems: Int?
  var contains: ID?
  var minContains: Int?
  var maxContains: Int?
  var uniqueItems = false
  var unevaluatedItems: ID?

  var properties: [(name: Name, schema: ID)] = []
  var patternProperties: [(language: RegularLanguages.State, schema: ID, text: String)] = []
  var additionalProperties: ID?
  var propertyNames: ID?
  var required: [Name] = []
  var minProperties: Int?
  var maxProperties: Int?
  var dependentRequired: [(name: Name, names: [Name])] = []
  var dependentSchemas: [(name: Name, schema: ID)] = []
  var unevaluatedProperties: ID?

  var allOf: [ID] = []
  var anyOf: [ID]?
  var oneOf: [ID]?
  var not: ID?
  var ifThenElse: (condition: ID, then: ID?, otherwise: ID?)?
  var reference: ID?

  /// The index of a property name in its graph.
  typealias Name = Int

  typealias Bound = NumberConstraint.Bound
}

/// The values that `enum` or `const` lists: scalars by value, and containers as subschemas that
/// only they satisfy, as a listing, or as both.
struct ConstantSet: Sendable {
  var null = false
  var booleans: Set<Bool> = []
  /// In the order listed, each value once.
  var numbers: [ExactDecimal] = []
  /// UTF-8 bytes, in the order listed, each once.
  var strings: [[UInt8]] = []
  /// The same strings as names, in ascending order.
  var stringNames: [SchemaNode.Name] = []
  /// Empty where the listing has more than can be held against other subschemas one by one.
  var arrays: [SchemaNode.ID] = []
  var objects: [SchemaNode.ID] = []
  /// The containers where there are many.
  var listing: ContainerListing?

  var hasArrays: Bool { !arrays.isEmpty || listing?.arrays.isEmpty == false }
  var hasObjects: Bool { !objects.isEmpty || listing?.objects.isEmpty == false }

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
struct ContainerListing: Sendable {
  /// A list of more containers than this is read so; of fewer each is an alternative of its own.
  static let least = 64

  /// Each once.
  var arrays: [ListedValues.ID] = []
  var objects: [ListedValues.ID] = []
  /// What all of them satisfy: the keys that some of them have, in the order in which they first came,
  /// and what their members and items satisfy in the same way.
  var shape: SchemaNode.ID
}

/// A set of the types of JSON values.
struct JSONTypes: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let null = JSONTypes(rawValue: 1)
  static let boolean = JSONTypes(rawValue: 2)
  static let number = JSONTypes(rawValue: 4)
  static let string = JSONTypes(rawValue: 8)
  static let array = JSONTypes(rawValue: 16)
  static let object = JSONTypes(rawValue: 32)
  static let all: JSONTypes = [.null, .boolean, .number, .string, .array, .object]

  /// The single types of the set.
  static let each: [JSONTypes] = [.null, .boolean, .number, .string, .array, .object]
}
