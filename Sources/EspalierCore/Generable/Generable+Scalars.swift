// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Bool: Generable {
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "Bool", root: SchemaNode(type: .boolean))
  }

  public init(_ content: GeneratedContent) throws {
    guard case .bool(let bool) = content.value else {
      throw content.mismatch(expected: "true or false")
    }
    self = bool
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.bool(self)) }
}

extension String: Generable {
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "String", root: SchemaNode(type: .string))
  }

  public init(_ content: GeneratedContent) throws {
    guard case .string(let string) = content.value else {
      throw content.mismatch(expected: "a string")
    }
    self = string
  }

  public var generatedContent: GeneratedContent { GeneratedContent(.string(self)) }

  /// The string as it is.
  public var promptRepresentation: Prompt { return Prompt(text: self) }

  /// The string as it is.
  public var instructionsRepresentation: Instructions { return Instructions(text: self) }
}

extension Never: Generable {
  /// No value at all.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(name: "Never", root: SchemaNode(.boolean(false)))
  }

  public init(_ content: GeneratedContent) throws {
    throw content.mismatch(expected: "no value, for Never has none")
  }

  public var generatedContent: GeneratedContent {
    switch self {}
  }
}
