// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The keywords that a subschema is read by, as schemas spell them.
enum SchemaKeyword: String, CaseIterable, Sendable {
  case type, `enum`, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
  /// Draft 3's name for `multipleOf`.
  case divisibleBy
  case minLength, maxLength, pattern, format
  case items, prefixItems, minItems, maxItems, contains, minContains, maxContains, uniqueItems
  case unevaluatedItems
  case properties, patternProperties, additionalProperties, propertyNames, required, minProperties
  case maxProperties, dependentRequired, dependentSchemas, dependencies, unevaluatedProperties
  case allOf, anyOf, oneOf, not
  case reference = "$ref"
  case dynamicReference = "$dynamicRef"
  case recursiveReference = "$recursiveRef"
  case `if`, then, `else`

  /// The keyword that some bytes spell.
  init?(_ bytes: ArraySlice<UInt8>) {
    let table = Self.table
    guard bytes.count <= table.longest, let place = table.places[Self.hash(bytes)] else {
      return nil
    }
    let keyword = Self.allCases[Int(place)]
    guard bytes.elementsEqual(keyword.rawValue.utf8) else { return nil }
    self = keyword
  }

  typealias Draft = CompilationOptions.Draft

  /// The drafts that have the keyword. In the others it says nothing, like any unknown name.
  ///
  /// `dependencies` is in all of them: later drafts keep it for earlier schemas. So is `const`: draft 4 does
  /// not have it, but many schemas that name draft 4 list one value so, and mean it.
  var drafts: ClosedRange<Draft> {
    switch self {
    case .divisibleBy: .draft4 ... .draft4
    case .contains, .propertyNames: .draft6 ... .draft2020
    case .if, .then, .else: .draft7 ... .draft2020
    case .dependentRequired, .dependentSchemas, .minContains, .maxContains, .unevaluatedItems,
      .unevaluatedProperties:
      .draft2019 ... .draft2020
    case .recursiveReference: .draft2019 ... .draft2019
    case .prefixItems, .dynamicReference: .draft2020 ... .draft2020
    default: .draft4 ... .draft2020
    }
  }

  /// By the hash of a keyword, its place among all. No two have the same hash; whether bytes are the
  /// keyword with their hash is seen from them.
  private static let table: (places: FlatMap, longest: Int) = {
    var places = FlatMap()
    for (place, keyword) in allCases.enumerated() {
      places.set(hash(keyword.rawValue.utf8), UInt32(place))
    }
    return (places, allCases.map(\.rawValue.utf8.count).max() ?? 0)
  }()

  /// FNV-1a.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 1
  }
}
