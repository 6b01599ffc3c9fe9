// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import IncrementalJSON

/// Why a file that was saved earlier (a transcript, a recording, an answer in a cache) cannot be
/// read: which file, where in it, and what was expected there.
public struct StoredFileError: ExplainedError, Sendable, Hashable {
  /// The path of the file.
  public var path: String
  /// Where in the file, in bytes from its beginning; nil where the file itself cannot be read.
  public var byteOffset: Int?
  /// Which value of the file, as a JSON Pointer (RFC 6901); empty for the whole of it.
  public var location: String
  /// What was expected, and what was found.
  public var problem: String

  /// Creates an error.
  public init(path: String, byteOffset: Int? = nil, location: String = "", problem: String) {
    self.path = path
    self.byteOffset = byteOffset
    self.location = location
    self.problem = problem
  }

  public var userMessage: ErrorMessage {
    ErrorMessage(byteOffset == nil ? .fileUnreadable : .fileDamaged, .text(path))
  }

  public var problemDescription: String {
    guard let byteOffset else { return "'\(path)' cannot be read: \(problem)" }
    let place = location.isEmpty ? "" : " (\(location))"
    return "'\(path)' is damaged at byte \(byteOffset)\(place): \(problem)"
  }

  public var recoverySuggestion: String? {
    byteOffset == nil
      ? "Check the path." : "Delete the file, or put one in its place that was saved whole."
  }
}

/// Reads files that were saved as JSON.
enum StoredFile {
  /// A value of a file.
  ///
  /// - Throws: ``StoredFileError``.
  static func value<Value: Decodable>(
    _ type: Value.Type, in file: URL, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      let isThere = FileManager.default.fileExists(atPath: file.path)
      throw StoredFileError(
        path: file.path,
        problem: isThere ? error.localizedDescription : "there is no such file.")
    }
    do {
      return try decoder.decode(type, from: data)
    } catch {
      throw explained(error, data: Array(data), path: file.path)
    }
  }

  private static func explained(
    _ error: any Error, data: [UInt8], path: String
  ) -> StoredFileError {
    // What is not JSON at all is found by the parser that says where.
    var parser = GeneratedContentParser()
    do {
      try parser.append(data)
      try parser.finish()
    } catch let error as GeneratedContent.ParsingError {
      if let error = error.syntaxError {
        return StoredFileError(path: path, byteOffset: error.offset, problem: error.summary)
      }
    } catch {}
    let (components, problem) = place(of: error)
    let places = JSONPlaces(bytes: data)
    // Of a number that does not fit its type Foundation says no more than that this is no JSON.
    if components.isEmpty, case DecodingError.dataCorrupted = error,
      let (offset, text) = places.firstUnusualNumber()
    {
      return StoredFileError(
        path: path, byteOffset: offset,
        problem: "Expected a whole number of 64 bits, found \(text.prefix(40)).")
    }
    return StoredFileError(
      path: path, byteOffset: places.offset(of: components),
      location: GeneratedContent.ParsingError.pointer(to: components), problem: problem)
  }

  /// Which value an error is about, and what it says.
  private static func place(
    of error: any Error
  ) -> ([GeneratedContent.ParsingError.PathComponent], String) {
    func components(_ path: [any CodingKey]) -> [GeneratedContent.ParsingError.PathComponent] {
      path.map { key in key.intValue.map { .element($0) } ?? .property(key.stringValue) }
    }
    switch error {
    case let error as GeneratedContent.ParsingError: return (error.path, error.debugDescription)
    case DecodingError.keyNotFound(let key, let context):
      return (components(context.codingPath), "Expected a property \"\(key.stringValue)\".")
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      return (
        components(context.codingPath), "Expected \(words(for: type)), found another value."
      )
    case DecodingError.dataCorrupted(let context):
      return (components(context.codingPath), context.debugDescription)
    default: return ([], ErrorWords.problem(of: error))
    }
  }

  /// What JSON calls a value of a type.
  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "'true' or 'false'"
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
    case is any Collection.Type where !(type is any ExpressibleByDictionaryLiteral.Type): "an array"
    default: "an object"
    }
  }
}

/// Where the values of a JSON text stand.
///
/// The text is known to be JSON: nothing is checked, and what is not found has the place of the
/// value around it.
///
/// Example: in `[1,{"a":2}]` the value of `/1/a` stands at byte 8.
struct JSONPlaces {
  let bytes: [UInt8]

  func offset(of path: [GeneratedContent.ParsingError.PathComponent]) -> Int {
    var at = skipSpace(0)
    for component in path {
      guard let inner = child(component, of: at) else { return at }
      at = inner
    }
    return at
  }

  private func byte(_ at: Int) -> UInt8 { at < bytes.count ? bytes[at] : 0 }

  private func skipSpace(_ start: Int) -> Int {
    var at = start
    while at < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[at]) { at += 1 }
    return at
  }

  private func child(
    _ component: GeneratedContent.ParsingError.PathComponent, of start: Int
  ) -> Int? {
    let isObject = byte(start) == UInt8(ascii: "{")
    guard isObject || byte(start) == UInt8(ascii: "[") else { return nil }
    var at = skipSpace(start + 1)
    var index = 0
    while at < bytes.count, byte(at) != UInt8(ascii: "}"), byte(at) != UInt8(ascii: "]") {
      var isWanted = component == .element(index)
      if isObject {
        let end = endOfValue(at)
        let key = try? GeneratedContent(json: String(decoding: bytes[at..<end], as: UTF8.self))
        isWanted = key?.stringValue.map { component == .property($0) } ?? false
        at = skipSpace(skipSpace(end) + 1)
      }
      if isWanted { return at }
      at = skipSpace(endOfValue(at))
      if byte(at) == UInt8(ascii: ",") { at = skipSpace(at + 1) }
      index += 1
    }
    return nil
  }

  /// The first number that is not whole or has more than 64 bits.
  func firstUnusualNumber() -> (offset: Int, text: String)? {
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      let isNumber = byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
      // Of a string or a literal only the end is of interest; brackets and marks are one byte.
      guard isNumber || byte == UInt8(ascii: "\"") else {
        at += 1
        continue
      }
      let end = max(at + 1, endOfValue(at))
      if isNumber {
        let text = String(decoding: bytes[at..<end], as: UTF8.self)
        if Int(text) == nil { return (at, text) }
      }
      at = end
    }
    return nil
  }

  /// Where a value ends; brackets are counted, so that nesting costs no stack.
  private func endOfValue(_ start: Int) -> Int {
    var at = start
    var depth = 0
    repeat {
      switch byte(at) {
      case UInt8(ascii: "\""):
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        at += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: at += 1
      default:
        while at < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09].contains(bytes[at]) {
          at += 1
        }
      }
    } while depth > 0 && at < bytes.count
    return min(at, bytes.count)
  }
}
