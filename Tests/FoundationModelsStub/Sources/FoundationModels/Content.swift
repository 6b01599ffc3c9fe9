// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  init(_ content: GeneratedContent) throws
}

public protocol ConvertibleToGeneratedContent {
  var generatedContent: GeneratedContent { get }
}

public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self
}

/// Content as its JSON text.
public struct GeneratedContent: Sendable, Equatable, Generable {
  public let jsonString: String

  public init(json: String) throws {
    _ = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    jsonString = json
  }

  public init(_ content: GeneratedContent) { self = content }
  public var generatedContent: GeneratedContent { self }

  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value { try Value(self) }

  public struct ParsingError: Error {}
}

extension String: Generable {
  public init(_ content: GeneratedContent) throws {
    self = try JSONDecoder().decode(String.self, from: Data(content.jsonString.utf8))
  }
  public var generatedContent: GeneratedContent { .encoding(self) }
}

extension Int: Generable {
  public init(_ content: GeneratedContent) throws {
    self = try JSONDecoder().decode(Int.self, from: Data(content.jsonString.utf8))
  }
  public var generatedContent: GeneratedContent { .encoding(self) }
}

extension Double: Generable {
  public init(_ content: GeneratedContent) throws {
    self = try JSONDecoder().decode(Double.self, from: Data(content.jsonString.utf8))
  }
  public var generatedContent: GeneratedContent { .encoding(self) }
}

extension Bool: Generable {
  public init(_ content: GeneratedContent) throws {
    self = try JSONDecoder().decode(Bool.self, from: Data(content.jsonString.utf8))
  }
  public var generatedContent: GeneratedContent { .encoding(self) }
}

extension GeneratedContent {
  fileprivate static func encoding(_ value: some Encodable) -> GeneratedContent {
    guard let data = try? JSONEncoder().encode(value),
      let content = try? GeneratedContent(json: String(decoding: data, as: UTF8.self))
    else { preconditionFailure("No JSON of \(value).") }
    return content
  }
}

public protocol PromptRepresentable { var promptRepresentation: Prompt { get } }

public struct Prompt: Sendable, PromptRepresentable {
  public let text: String
  public init(_ content: some PromptRepresentable) { text = content.promptRepresentation.text }
  init(text: String) { self.text = text }
  public var promptRepresentation: Prompt { self }
}

extension String: PromptRepresentable {
  public var promptRepresentation: Prompt { Prompt(text: self) }
}
