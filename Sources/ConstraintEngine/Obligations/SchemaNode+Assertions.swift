// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Which of a subschema's keywords assert something about a value of a type.
extension SchemaNode {
  /// Whether nothing but its own assertions matters for values of a type: no list of values, and no
  /// subschemas for the same value.
  @inline(__always)
  func isFlat(_ type: JSONTypes) -> Bool {
    guard values == nil, reference == nil, allOf.isEmpty, anyOf == nil, oneOf == nil, not == nil,
      ifThenElse == nil
    else { return false }
    switch type {
    case .object:
      return dependentRequired.isEmpty && dependentSchemas.isEmpty && unevaluatedProperties == nil
    case .array: return unevaluatedItems == nil
    default: return true
    }
  }

  /// Whether a subschema itself asserts something about values of a type.
  @inline(__always)
  func hasOwnAssertions(_ type: JSONTypes) -> Bool {
    switch type {
    case .number:
      onlyIntegers || minimum != nil || maximum != nil || multipleOf != nil
    case .string:
      minLength != nil || maxLength != nil || pattern != nil || format != nil
    case .array:
      !prefixItems.isEmpty || items != nil || minItems != nil
        || maxItems != nil || contains != nil || uniqueItems
    case .object:
      !properties.isEmpty || !patternProperties.isEmpty
        || additionalProperties != nil || propertyNames != nil || !required.isEmpty
        || minProperties != nil || maxProperties != nil
    default: false
    }
  }

  /// What a subschema itself asserts about values of a type.
  func ownAssertions(_ type: JSONTypes) -> [Assertion] {
    var result: [Assertion] = []
    func add(_ assertion: Assertion, _ condition: Bool) {
      if condition { result.append(assertion) }
    }
    switch type {
    case .number:
      add(.integer, onlyIntegers)
      add(.minimum, minimum != nil)
      add(.maximum, maximum != nil)
      add(.multipleOf, multipleOf != nil)
    case .string:
      add(.minLength, minLength ?? 0 > 0)
      add(.maxLength, maxLength != nil)
      add(.pattern, pattern != nil)
      add(.format, format != nil)
    case .array:
      for index in prefixItems.indices { add(.prefixItem(index), true) }
      add(.items, items != nil)
      add(.minItems, minItems ?? 0 > 0)
      add(.maxItems, maxItems != nil)
      if contains != nil {
        add(.tooFewContained, minContains ?? 1 > 0)
        add(.tooManyContained, maxContains != nil)
      }
      add(.uniqueItems, uniqueItems)
    case .object:
      for name in required { add(.required(name), true) }
      for index in properties.indices { add(.property(index), true) }
      for index in patternProperties.indices { add(.patternProperty(index), true) }
      add(.additionalProperties, additionalProperties != nil)
      add(.propertyNames, propertyNames != nil)
      add(.minProperties, minProperties ?? 0 > 0)
      add(.maxProperties, maxProperties != nil)
    default: break
    }
    return result
  }

  /// Whether all that a subschema asserts about an object itself is that some names are there.
  @inline(__always)
  var onlyRequires: Bool {
    !required.isEmpty && properties.isEmpty && patternProperties.isEmpty
      && additionalProperties == nil && propertyNames == nil
      && minProperties ?? 0 == 0 && maxProperties == nil
  }
}
