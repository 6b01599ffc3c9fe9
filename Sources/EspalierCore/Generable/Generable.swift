// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A type that can be made of generated content.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  /// Creates a value from content.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` where the content does not fit.
  init(_ content: GeneratedContent) throws
}

/// A type whose values can be turned into content, and so into prompts.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// The value as content.
  var generatedContent: GeneratedContent { get }
}

extension ConvertibleToGeneratedContent {
  /// The value as JSON.
  public var promptRepresentation: Prompt { return Prompt(text: generatedContent.jsonString) }

  /// The value as JSON.
  public var instructionsRepresentation: Instructions {
    return Instructions(text: generatedContent.jsonString)
  }
}

/// A type that a model can generate.
///
/// The `@Generable` macro writes the conformance of a structure or an enumeration.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  /// The type of a value that is still being generated: what has arrived so far.
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self

  /// What a value of the type looks like.
  static var generationSchema: GenerationSchema { get }
}

extension Generable {
  /// The value as one that is still being generated, with everything there.
  ///
  /// - Precondition: The type accepts its own content, as types of the macro and of the package do.
  public func asPartiallyGenerated() -> PartiallyGenerated {
    if let whole = self as? PartiallyGenerated { return whole }
    do {
      return try PartiallyGenerated(generatedContent)
    } catch {
      preconditionFailure("\(Self.self) does not accept its own content: \(error)")
    }
  }

  /// The value as JSON.
  public var promptRepresentation: Prompt { return Prompt(text: generatedContent.jsonString) }

  /// The value as JSON.
  public var instructionsRepresentation: Instructions {
    return Instructions(text: generatedContent.jsonString)
  }
}

/// The type of a generated property: expansions of `@Generable` check types with it, once each.
///
/// Optional values meet the requirement, so that a property's type may be an alias of one. The macro
/// states the conformance itself, or the compiler would not find that of a type that it has not come
/// to yet.
public typealias GeneratedType<Value: ConvertibleToGeneratedContent> = Value
