// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ConvertibleFromGeneratedContent where Self: FixedWidthInteger {
  /// Creates an integer from a number without a fraction.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value else {
      throw content.mismatch(expected: "an integer")
    }
    guard let integer = number.integerValue(as: Self.self) else {
      throw GeneratedContent.ParsingError(
        rawContent: number.jsonText,
        debugDescription:
          "Expected an integer from \(Self.min) to \(Self.max), found \(number.jsonText).")
    }
    self = integer
  }
}

extension ConvertibleToGeneratedContent where Self: FixedWidthInteger {
  public var generatedContent: GeneratedContent { GeneratedContent(.number(JSONNumber(self))) }
}

extension Generable where Self: FixedWidthInteger {
  /// Integers within the bounds of the type; `Int` says nothing of its own, as in FoundationModels.
  public static var generationSchema: GenerationSchema {
    var node = SchemaNode(type: .integer)
    let (least, largest) = (JSONNumber(Self.min), JSONNumber(Self.max))
    if self == Int.self {
      node.typeRange = .init(least: least, largest: largest)
    } else {
      node["minimum"] = .value(GeneratedContent(.number(least)))
      node["maximum"] = .value(GeneratedContent(.number(largest)))
    }
    return GenerationSchema(name: "\(Self.self)", root: node)
  }
}

extension Int: Generable {}
extension Int8: Generable {}
extension Int16: Generable {}
extension Int32: Generable {}
extension Int64: Generable {}
extension Int128: Generable {}
extension UInt: Generable {}
extension UInt8: Generable {}
extension UInt16: Generable {}
extension UInt32: Generable {}
extension UInt64: Generable {}
extension UInt128: Generable {}

extension Double: Generable {
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "Double", root: SchemaNode(type: .number))
  }

  public init(_ content: GeneratedContent) throws {
    self = try content.finiteNumber(for: "a number", as: \.doubleValue)
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.number(jsonNumber)) }
}

extension Float: Generable {
  public static var generationSchema: GenerationSchema {
    var node = SchemaNode(type: .number)
    let largest = Float.greatestFiniteMagnitude
    node.typeRange = .init(least: (-largest).jsonNumber, largest: largest.jsonNumber)
    return GenerationSchema(name: "Float", root: node)
  }

  public init(_ content: GeneratedContent) throws {
    self = try content.finiteNumber(for: "a number") { Float($0.jsonText) ?? .nan }
  }

  /// The shortest decimal that gives the same value back.
  public var generatedContent: GeneratedContent { GeneratedContent(.number(jsonNumber)) }
}

extension Decimal: Generable {
  public static var generationSchema: GenerationSchema {
    var node = SchemaNode(type: .number)
    let largest = Decimal.greatestFiniteMagnitude
    node.typeRange = .init(least: (-largest).jsonNumber, largest: largest.jsonNumber)
    return GenerationSchema(name: "Decimal", root: node)
  }

  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value else {
      throw content.mismatch(expected: "a number")
    }
    // What the app made itself may be NaN.
    if case .double(let double) = number, double.isNaN {
      self = .nan
      return
    }
    guard let decimal = number.decimalValue, !decimal.isNaN else {
      throw content.mismatch(expected: "a number in the range of Decimal")
    }
    self = decimal
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.number(jsonNumber)) }
}

extension GeneratedContent {
  fileprivate func finiteNumber<Number: BinaryFloatingPoint>(
    for expected: String, as convert: (JSONNumber) -> Number
  ) throws -> Number {
    guard case .number(let number) = value else { throw mismatch(expected: expected) }
    // What the app made itself may be NaN or infinite; what a model wrote may not.
    if case .double(let double) = number, !double.isFinite { return Number(double) }
    let result = convert(number)
    guard result.isFinite else {
      throw ParsingError(
        rawContent: number.jsonText,
        debugDescription:
          "Expected a number in the range of \(Number.self), found \(number.jsonText).")
    }
    return result
  }
}
