// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One thing that must hold of a value once the boolean structure of its schemas has been multiplied
/// out: an alternative is a list of facts.
enum Fact: Hashable {
  /// A subschema's own assertions for the value's type hold.
  case holds(SchemaNode.ID)
  /// What a subschema looks at does not count as evaluated, because it stands under `not`.
  case unseen(SchemaNode.ID)
  /// One of a subschema's own assertions does not hold.
  case fails(SchemaNode.ID, Assertion)
  /// The scalar value is one of a subschema's `enum` or `const`, or is none of them.
  case isListed(SchemaNode.ID)
  case isNotListed(SchemaNode.ID)
  /// The array or object is one of the many of a subschema's `enum`.
  case isAmong(SchemaNode.ID)
  /// An object has a member of a name, or has none.
  case present(SchemaNode.Name)
  case absent(SchemaNode.Name)
  /// A formula over the members of an object is true.
  case formula(ObjectFormulas.ID)
  /// Members or items that none of some subschemas evaluate satisfy a subschema, or one does not.
  case unevaluatedProperties(SchemaNode.ID, evaluated: [SchemaNode.ID], holds: Bool)
  case unevaluatedItems(SchemaNode.ID, evaluated: [SchemaNode.ID], holds: Bool)
}

/// A keyword of a subschema that can fail on its own.
enum Assertion: Hashable {
  case integer, minimum, maximum, multipleOf
  case minLength, maxLength, pattern, format
  case prefixItem(Int)
  case items, minItems, maxItems, tooFewContained, tooManyContained, uniqueItems
  case required(SchemaNode.Name)
  case property(Int)
  case patternProperty(Int)
  case additionalProperties, propertyNames, minProperties, maxProperties
}

/// The work or the schema is beyond what can be honoured: reported as a ``GrammarError``.
package struct ObligationFailure: Error, Hashable {
  var keyword: String
  var pointer: String
  var message: String
}
