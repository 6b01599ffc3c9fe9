// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads a model file's header field by field; every step is checked against the end.
///
/// The cursor keeps a piece of the file at a time: the bytes of the header are read once, in order.
struct GGUFCursor {
  private let file: ModelFile
  private(set) var offset = 0
  private var piece: [UInt8] = []
  /// Where the piece begins in the file.
  private var pieceStart = 0

  /// How many bytes are read at once.
  private static let pieceSize = 1 << 20

  init(_ file: ModelFile) { self.file = file }

  var remaining: Int { file.size - offset }

  /// Goes over bytes, of which so many are left, and hands them to a closure.
  private mutating func take<Result>(
    _ count: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(GGUFError) -> Result {
    if offset + count > pieceStart + piece.count {
      piece = try file.bytes(in: offset..<(offset + min(remaining, max(count, Self.pieceSize))))
      pieceStart = offset
    }
    let start = offset - pieceStart
    offset += count
    return piece.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
    }
  }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ field: @autoclosure () -> String
  ) throws(GGUFError) -> T {
    guard remaining >= MemoryLayout<T>.size else {
      throw GGUFError(
        field: field(), offset: offset,
        message: "expected \(MemoryLayout<T>.size) bytes, found \(remaining): the file is cut.")
    }
    return T(littleEndian: try take(MemoryLayout<T>.size) { $0.loadUnaligned(as: T.self) })
  }

  /// A count of things that take at least `minimumSize` bytes each.
  mutating func count(
    _ field: @autoclosure () -> String, minimumSize: Int
  ) throws(GGUFError) -> Int {
    let start = offset
    let value = try integer(UInt64.self, field())
    guard let count = Int(exactly: value), count <= remaining / minimumSize else {
      throw GGUFError(
        field: field(), offset: start,
        message: "\(value) do not fit in the \(remaining) bytes that are left.")
    }
    return count
  }

  /// A string: its length, and so many bytes.
  private mutating func string<Result>(
    _ field: @autoclosure () -> String, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(GGUFError) -> Result {
    try take(try count(field(), minimumSize: 1), body)
  }

  mutating func text(_ field: @autoclosure () -> String) throws(GGUFError) -> String {
    try string(field()) { String(decoding: $0, as: UTF8.self) }
  }

  mutating func value(
    ofType code: UInt32, _ key: String, depth: Int = 0
  ) throws(GGUFError) -> GGUFValue {
    switch code {
    case 6:
      return .number(Double(Float(bitPattern: try integer(UInt32.self, key))))
    case 12: return .number(Double(bitPattern: try integer(UInt64.self, key)))
    case 7: return .boolean(try boolean(key))
    case 8: return .string(try string(key) { Array($0) })
    case 9: return try array(key, depth: depth)
    default: return .integer(try wholeNumber(code, key))
    }
  }

  private mutating func boolean(_ key: String) throws(GGUFError) -> Bool {
    let start = offset
    switch try integer(UInt8.self, key) {
    case 0: return false
    case 1: return true
    case let other:
      throw GGUFError(field: key, offset: start, message: "expected 0 or 1, found \(other).")
    }
  }

  private mutating func wholeNumber(_ code: UInt32, _ key: String) throws(GGUFError) -> Int {
    switch code {
    case 0: return Int(try integer(UInt8.self, key))
    case 1: return Int(try integer(Int8.self, key))
    case 2: return Int(try integer(UInt16.self, key))
    case 3: return Int(try integer(Int16.self, key))
    case 4: return Int(try integer(UInt32.self, key))
    case 5: return Int(try integer(Int32.self, key))
    case 10:
      let start = offset
      let value = try integer(UInt64.self, key)
      guard let number = Int(exactly: value) else {
        throw GGUFError(field: key, offset: start, message: "\(value) is above \(Int.max).")
      }
      return number
    case 11: return Int(try integer(Int64.self, key))
    default:
      throw GGUFError(
        field: key, offset: offset, message: "expected a value type of 0...12, found \(code).")
    }
  }

  private mutating func array(_ key: String, depth: Int) throws(GGUFError) -> GGUFValue {
    let sizes: [UInt32: Int] = [
      0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 8: 8, 9: 12, 10: 8, 11: 8, 12: 8,
    ]
    let start = offset
    let code = try integer(UInt32.self, key)
    guard let size = sizes[code], depth < 4 else {
      throw GGUFError(
        field: key, offset: start,
        message: depth < 4
          ? "expected an element type of 0...12, found \(code)."
          : "arrays are nested more than 4 deep.")
    }
    let count = try count(key, minimumSize: size)
    switch code {
    case 6, 12:
      var numbers: [Double] = []
      numbers.reserveCapacity(count)
      for _ in 0..<count {
        numbers.append(try value(ofType: code, key).number ?? 0)
      }
      return .numbers(numbers)
    case 7:
      var booleans: [Bool] = []
      for _ in 0..<count { booleans.append(try boolean(key)) }
      return .booleans(booleans)
    case 8:
      var strings = ByteStrings()
      for _ in 0..<count { try string(key) { strings.append(copying: $0) } }
      return .strings(strings)
    case 9:
      var arrays: [GGUFValue] = []
      for _ in 0..<count { arrays.append(try array(key, depth: depth + 1)) }
      return .arrays(arrays)
    default:
      var integers: [Int] = []
      integers.reserveCapacity(count)
      for _ in 0..<count { integers.append(try wholeNumber(code, key)) }
      return .integers(integers)
    }
  }
}
