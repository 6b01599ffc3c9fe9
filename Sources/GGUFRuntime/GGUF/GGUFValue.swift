// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A value of a model file's metadata.
public enum GGUFValue: Sendable, Equatable {
  /// A whole number of any width; those above `Int.max` are refused on reading.
  case integer(Int)
  /// A number of 32 or 64 bits.
  case number(Double)
  /// A truth value.
  case boolean(Bool)
  /// A text, as bytes: files do not always hold UTF-8.
  case string([UInt8])
  /// Whole numbers.
  case integers([Int])
  /// Numbers.
  case numbers([Double])
  /// Truth values.
  case booleans([Bool])
  /// Texts.
  case strings(ByteStrings)
  /// An array of arrays.
  case arrays([GGUFValue])

  /// What it is, for messages.
  var kindName: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .string: "a text"
    case .integers, .numbers, .booleans, .strings, .arrays: "an array"
    }
  }

  /// The whole number, where it is one.
  public var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  /// The number, where it is one.
  public var number: Double? {
    switch self {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The truth value, where it is one.
  public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The text, where it is one; ill-formed UTF-8 is repaired.
  public var string: String? {
    if case .string(let value) = self { String(decoding: value, as: UTF8.self) } else { nil }
  }
}

/// Many byte strings in one allocation.
public struct ByteStrings: Sendable, Equatable, RandomAccessCollection {
  private var storage: [UInt8] = []
  private var ends: [Int] = []

  /// Creates an empty list.
  public init() {}

  /// Creates a list of texts.
  public init(_ texts: some Sequence<String>) { for text in texts { append(text.utf8) } }

  /// Adds a string.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    storage.append(contentsOf: bytes)
    ends.append(storage.count)
  }

  /// Adds a string; a debug build does not specialise the generic one.
  mutating func append(copying bytes: UnsafeRawBufferPointer) {
    storage.append(contentsOf: bytes)
    ends.append(storage.count)
  }

  /// Hands the bytes of all strings, one behind the other, and where each ends to a closure.
  func withBuffers<Result>(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<Int>) -> Result
  ) -> Result {
    storage.withUnsafeBufferPointer { text in
      ends.withUnsafeBufferPointer { ends in body(text, ends) }
    }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ends.count }
  public subscript(position: Int) -> ArraySlice<UInt8> {
    storage[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
  }
}
