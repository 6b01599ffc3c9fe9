// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Date: Generable {
  /// A date and time of RFC 3339.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      name: "Date", root: SchemaNode(type: .string, ["format": .string("date-time")]))
  }

  public init(_ content: GeneratedContent) throws {
    let text = try content.completeString(for: "a date and time such as 2026-11-21T08:30:00Z")
    guard let date = InternetDateTime.date(from: text) else {
      throw content.notInFormat("a date and time such as 2026-11-21T08:30:00Z", found: text)
    }
    self = date
  }

  /// The date in UTC, with as many digits of the second as it takes to get the same date back.
  public var generatedContent: GeneratedContent {
    GeneratedContent(.string(InternetDateTime.text(of: self)))
  }
}

extension URL: Generable {
  /// A URI of RFC 3986.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "URL", root: SchemaNode(type: .string, ["format": .string("uri")]))
  }

  public init(_ content: GeneratedContent) throws {
    let text = try content.completeString(for: "a URL")
    guard let url = URL(string: text) else { throw content.notInFormat("a URL", found: text) }
    self = url
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.string(absoluteString)) }
}

extension UUID: Generable {
  /// A UUID in 36 characters.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "UUID", root: SchemaNode(type: .string, ["format": .string("uuid")]))
  }

  public init(_ content: GeneratedContent) throws {
    let text = try content.completeString(for: "a UUID")
    guard let uuid = UUID(uuidString: text) else {
      throw content.notInFormat("a UUID", found: text)
    }
    self = uuid
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.string(uuidString)) }
}

extension Data: Generable {
  /// Bytes in Base64 (RFC 4648), with padding.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      name: "Data",
      root: SchemaNode(
        type: .string,
        [
          "contentEncoding": .string("base64"),
          "pattern": .string(
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"),
        ]))
  }

  public init(_ content: GeneratedContent) throws {
    let text = try content.completeString(for: "Base64")
    guard let data = Data(base64Encoded: text) else {
      throw content.notInFormat("Base64", found: text)
    }
    self = data
  }

  public var generatedContent: GeneratedContent {
    GeneratedContent(.string(base64EncodedString()))
  }
}

extension GeneratedContent {
  /// The string, all of it: the beginning of a URL may be another.
  fileprivate func completeString(for expected: String) throws -> String {
    guard case .string(let text) = value else { throw mismatch(expected: expected) }
    try requireComplete(for: expected)
    return text
  }

  fileprivate func notInFormat(_ expected: String, found text: String) -> ParsingError {
    ParsingError(
      rawContent: jsonString, debugDescription: "Expected \(expected), found \"\(text)\".")
  }
}
