// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// Where in a JSON value a prefix of its text ends.
///
/// The prefix is known to be one of a JSON text, so that brackets and quotes are all there is to
/// look at: `{"a":[1,{"b` ends in a key of the object at `/a/1`.
struct InstancePosition {
  struct Level {
    var isObject: Bool
    /// Where its bracket stands.
    var start: Int
    /// The bytes of the keys, with their quotes, so far.
    var keys: [Range<Int>] = []
    /// The number of items before the one that is read or comes next.
    var index = 0
    /// Whether a value is complete and a comma or the closing bracket must follow.
    var isAfterValue = false
    /// Whether a colon was read, or a comma or the bracket of an array.
    var expectsValue: Bool
  }

  var levels: [Level] = []
  /// Where the scalar that is being read starts.
  var scalarStart: Int?
  /// Where the key that is being read starts.
  var keyStart: Int?
  /// Whether the outermost value is complete.
  var isComplete = false

  init(_ text: ArraySlice<UInt8>) {
    var isEscaped = false
    var isString = false
    var at = text.startIndex
    while at < text.endIndex {
      let byte = text[at]
      defer { at += 1 }
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isString = false
          if let start = keyStart {
            levels[levels.count - 1].keys.append(start..<at + 1)
            keyStart = nil
          } else {
            scalarStart = nil
            completeValue()
          }
        }
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: completeScalar()
      case 0x22:
        isString = true
        if let top = levels.last, top.isObject, !top.expectsValue {
          keyStart = at
        } else {
          scalarStart = at
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        levels.append(Level(isObject: isObject, start: at, expectsValue: !isObject))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        completeScalar()
        if !levels.isEmpty { levels.removeLast() }
        completeValue()
      case UInt8(ascii: ":"):
        if !levels.isEmpty { levels[levels.count - 1].expectsValue = true }
      case UInt8(ascii: ","):
        completeScalar()
        guard !levels.isEmpty else { continue }
        levels[levels.count - 1].isAfterValue = false
        levels[levels.count - 1].index += 1
        levels[levels.count - 1].expectsValue = !levels[levels.count - 1].isObject
      default: if scalarStart == nil { scalarStart = at }
      }
    }
  }

  private mutating func completeScalar() {
    guard scalarStart != nil else { return }
    scalarStart = nil
    completeValue()
  }

  private mutating func completeValue() {
    guard !levels.isEmpty else {
      isComplete = true
      return
    }
    levels[levels.count - 1].isAfterValue = true
    levels[levels.count - 1].expectsValue = false
  }

  /// The JSON Pointer of the value that is read or comes next, or of a container around it.
  ///
  /// - Parameter depth: how many of the levels count: all of them for the innermost value.
  func pointer(depth: Int, in text: [UInt8]) -> String {
    var result = ""
    for level in levels.prefix(depth) {
      if level.isObject {
        guard let key = level.keys.last else { continue }
        result += "/" + Self.token(text[key])
      } else {
        result += "/\(level.index)"
      }
    }
    return result
  }

  /// A key with its quotes as a token of a JSON Pointer.
  private static func token(_ quoted: ArraySlice<UInt8>) -> String {
    unquoted(quoted).replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// A string with its quotes as its characters.
  static func unquoted(_ quoted: ArraySlice<UInt8>) -> String {
    if let json = try? JSONDocument(parsing: quoted, depthLimit: 1), json.kind(0) == .string {
      return json.string(0)
    }
    return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }
}
