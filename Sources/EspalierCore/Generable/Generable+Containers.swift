// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Array: Generable where Element: Generable {
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      name: "Array", root: SchemaNode(type: .array, ["items": .schema(.type(Element.self))]))
  }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Creates an array from content. Of content that is still being generated, a last element that
  /// is not yet a value is left out.
  public init(_ content: GeneratedContent) throws {
    if let kept: [Element] = try SnapshotCache.elements(of: content) {
      self = kept
      return
    }
    guard case .array(let elements) = content.value else {
      throw content.mismatch(expected: "an array")
    }
    self = []
    reserveCapacity(elements.count)
    for element in elements where try !append(valueOf: element) { return }
  }

  /// Adds the value of an element.
  ///
  /// - Returns: Whether it is one: content that is still being generated may not be yet.
  /// - Throws: ``GeneratedContent/ParsingError`` where complete content does not fit.
  mutating func append(valueOf content: GeneratedContent) throws -> Bool {
    do {
      append(try Element(content))
      return true
    } catch {
      guard content.isComplete else { return false }
      throw GeneratedContent.ParsingError.wrapping(
        error, at: .element(count), rawContent: content.jsonString)
    }
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  public var generatedContent: GeneratedContent {
    GeneratedContent(.array(map(\.generatedContent)))
  }
}

extension Optional where Wrapped: Generable {
  /// What has arrived of a value that may be absent.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}

extension Optional: ConvertibleToGeneratedContent where Wrapped: ConvertibleToGeneratedContent {
  /// The value as content; `null` where there is none.
  public var generatedContent: GeneratedContent {
    self?.generatedContent ?? GeneratedContent(.null)
  }
}
