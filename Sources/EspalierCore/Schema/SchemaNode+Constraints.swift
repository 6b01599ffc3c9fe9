// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension SchemaNode {
  /// Adds what a guide asks for to a resolved node. Bounds only ever become narrower.
  ///
  /// An infinite bound that holds for every number is left out.
  ///
  /// - Throws: ``SchemaConversionError`` where JSON Schema cannot say it.
  mutating func apply(_ constraint: GuideConstraint) throws(SchemaConversionError) {
    switch constraint {
    case .constant(let value):
      self["enum"] = nil
      self["const"] = .string(value)
    case .choices(let choices):
      if let earlier = self["enum"]?.content?.arrayValue {
        self["enum"] = .strings(
          choices.filter { earlier.contains(GeneratedContent(.string($0))) })
      } else {
        self["enum"] = .strings(choices)
      }
    case .pattern(let source):
      guard let pattern = source.anchoredPattern else {
        throw SchemaConversionError(
          location: "",
          problem: "A regular expression cannot be put into a schema. \(source.problem ?? "")",
          suggestion: "Write it as a literal with what ECMA-262 has, or as a string.")
      }
      self["pattern"] = .string(pattern)
    case .format(let format): self["format"] = .string(format)
    case .lengths(let minimum, let maximum):
      try narrow("minLength", "maxLength", minimum, maximum)
    case .minimum(let bound, let isExclusive):
      if !bound.isFinite, bound.doubleValue < 0 { return }
      try narrow(isExclusive ? "exclusiveMinimum" : "minimum", to: bound, keeping: >)
    case .maximum(let bound, let isExclusive):
      if !bound.isFinite, bound.doubleValue > 0 { return }
      try narrow(isExclusive ? "exclusiveMaximum" : "maximum", to: bound, keeping: <)
    case .multiple(let divisor):
      guard divisor.isFinite, divisor.doubleValue > 0 else {
        throw Self.unusable(
          "multipleOf", divisor, "A value is a multiple of a number greater than zero.")
      }
      self["multipleOf"] = .value(GeneratedContent(.number(divisor)))
    case .counts(let minimum, let maximum):
      if simpleType == .object {
        try narrow("minProperties", "maxProperties", minimum, maximum)
      } else {
        try narrow("minItems", "maxItems", minimum, maximum)
      }
    case .uniqueElements: self["uniqueItems"] = .bool(true)
    case .element(let constraint):
      let keyword = simpleType == .object ? "additionalProperties" : "items"
      guard case .schema(var element)? = self[keyword] else { return }
      try element.apply(constraint)
      self[keyword] = .schema(element)
    }
  }

  private mutating func narrow(
    _ lower: String, _ upper: String, _ minimum: Int?, _ maximum: Int?
  ) throws(SchemaConversionError) {
    for (keyword, count) in [(lower, minimum), (upper, maximum)] {
      guard let count, count < 0 else { continue }
      throw Self.unusable(keyword, .integer(Int64(count)), "A count or a length is at least zero.")
    }
    if let minimum { try narrow(lower, to: .integer(Int64(minimum)), keeping: >) }
    if let maximum { try narrow(upper, to: .integer(Int64(maximum)), keeping: <) }
  }

  /// The error for a guide with a number that its keyword cannot have.
  private static func unusable(
    _ keyword: String, _ number: JSONNumber, _ suggestion: String
  ) -> SchemaConversionError {
    let found = number.isFinite ? number.jsonText : "\(number.doubleValue)"
    return SchemaConversionError(
      location: "", problem: "A guide sets `\(keyword)` to \(found).", suggestion: suggestion)
  }

  private mutating func narrow(
    _ keyword: String, to bound: JSONNumber, keeping isNarrower: (Double, Double) -> Bool
  ) throws(SchemaConversionError) {
    guard bound.isFinite else {
      throw Self.unusable(keyword, bound, "Give the guide a bound that leaves numbers.")
    }
    if let earlier = self[keyword]?.content?.numberValue,
      isNarrower(earlier.doubleValue, bound.doubleValue)
    {
      return
    }
    self[keyword] = .value(GeneratedContent(.number(bound)))
  }
}
