// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension GenerationGuide where Value: FixedWidthInteger {
  /// The number is at least `value`.
  public static func minimum(_ value: Value) -> GenerationGuide<Value> {
    GenerationGuide(.minimum(JSONNumber(value), isExclusive: false))
  }

  /// The number is at most `value`.
  public static func maximum(_ value: Value) -> GenerationGuide<Value> {
    GenerationGuide(.maximum(JSONNumber(value), isExclusive: false))
  }

  /// The number is in the range, bounds included.
  public static func range(_ range: ClosedRange<Value>) -> GenerationGuide<Value> {
    GenerationGuide(
      .minimum(JSONNumber(range.lowerBound), isExclusive: false),
      .maximum(JSONNumber(range.upperBound), isExclusive: false))
  }

  /// The number is greater than `value`.
  public static func exclusiveMinimum(_ value: Value) -> GenerationGuide<Value> {
    GenerationGuide(.minimum(JSONNumber(value), isExclusive: true))
  }

  /// The number is less than `value`.
  public static func exclusiveMaximum(_ value: Value) -> GenerationGuide<Value> {
    GenerationGuide(.maximum(JSONNumber(value), isExclusive: true))
  }

  /// The number is a multiple of `value`, which is greater than zero.
  public static func multiple(of value: Value) -> GenerationGuide<Value> {
    GenerationGuide(.multiple(of: JSONNumber(value)))
  }
}

extension GenerationGuide where Value == Float {
  /// The number is at least `value`.
  public static func minimum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: false))
  }

  /// The number is at most `value`.
  public static func maximum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: false))
  }

  /// The number is in the range, bounds included.
  public static func range(_ range: ClosedRange<Float>) -> GenerationGuide<Float> {
    GenerationGuide(
      .minimum(range.lowerBound.jsonNumber, isExclusive: false),
      .maximum(range.upperBound.jsonNumber, isExclusive: false))
  }

  /// The number is greater than `value`.
  public static func exclusiveMinimum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: true))
  }

  /// The number is less than `value`.
  public static func exclusiveMaximum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: true))
  }

  /// The number is a multiple of `value`, which is greater than zero.
  public static func multiple(of value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.multiple(of: value.jsonNumber))
  }
}

extension GenerationGuide where Value == Double {
  /// The number is at least `value`.
  public static func minimum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: false))
  }

  /// The number is at most `value`.
  public static func maximum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: false))
  }

  /// The number is in the range, bounds included.
  public static func range(_ range: ClosedRange<Double>) -> GenerationGuide<Double> {
    GenerationGuide(
      .minimum(range.lowerBound.jsonNumber, isExclusive: false),
      .maximum(range.upperBound.jsonNumber, isExclusive: false))
  }

  /// The number is greater than `value`.
  public static func exclusiveMinimum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: true))
  }

  /// The number is less than `value`.
  public static func exclusiveMaximum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: true))
  }

  /// The number is a multiple of `value`, which is greater than zero.
  public static func multiple(of value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.multiple(of: value.jsonNumber))
  }
}

extension GenerationGuide where Value == Decimal {
  /// The number is at least `value`.
  public static func minimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: false))
  }

  /// The number is at most `value`.
  public static func maximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: false))
  }

  /// The number is in the range, bounds included.
  public static func range(_ range: ClosedRange<Decimal>) -> GenerationGuide<Decimal> {
    GenerationGuide(
      .minimum(range.lowerBound.jsonNumber, isExclusive: false),
      .maximum(range.upperBound.jsonNumber, isExclusive: false))
  }

  /// The number is greater than `value`.
  public static func exclusiveMinimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.minimum(value.jsonNumber, isExclusive: true))
  }

  /// The number is less than `value`.
  public static func exclusiveMaximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.maximum(value.jsonNumber, isExclusive: true))
  }

  /// The number is a multiple of `value`, which is greater than zero.
  public static func multiple(of value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.multiple(of: value.jsonNumber))
  }
}

extension Double {
  var jsonNumber: JSONNumber { .double(self) }
}

extension Float {
  /// The shortest decimal that gives the same value back.
  var jsonNumber: JSONNumber { isFinite ? JSONNumber(text: description) : .double(Double(self)) }
}

extension Decimal {
  var jsonNumber: JSONNumber { isNaN ? .double(.nan) : JSONNumber(text: description) }
}
