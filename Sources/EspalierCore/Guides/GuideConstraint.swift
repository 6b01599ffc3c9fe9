// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a guide asks for, without the type of the value.
package enum GuideConstraint: Sendable, Equatable {
  case constant(String)
  case choices([String])
  case pattern(RegularExpressionSource)
  case format(String)
  case lengths(minimum: Int?, maximum: Int?)
  case minimum(JSONNumber, isExclusive: Bool)
  case maximum(JSONNumber, isExclusive: Bool)
  case multiple(of: JSONNumber)
  case counts(minimum: Int?, maximum: Int?)
  case uniqueElements
  indirect case element(GuideConstraint)
}
