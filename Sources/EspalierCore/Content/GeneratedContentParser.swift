// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import IncrementalJSON

/// Reads generated JSON as it comes, and shows at any moment what is there.
///
/// ```swift
/// var parser = GeneratedContentParser()
/// for try await piece in stream {
///   try parser.append(piece)
///   show(try Itinerary.PartiallyGenerated(parser.content))
/// }
/// let itinerary = try Itinerary(parser.finish())
/// ```
///
/// Pieces may be cut anywhere, in the middle of an escape or of a character too. The whole work is
/// linear in the length of the text, however many times ``content`` is looked at: a snapshot is
/// read only as far as it is asked for, and shares its memory with all the others. A property has
/// the same ``GeneratedContent/id`` in every snapshot.
///
/// Nothing is guessed: `tr` is not yet `true`, and `12` is not yet a number, for `123` may follow.
/// A copy of a parser goes its own way.
public struct GeneratedContentParser: Sendable {
  /// How much is read.
  public struct Limits: Sendable, Hashable {
    /// The greatest depth of arrays and objects in one another.
    public var depth: Int

    /// The greatest number of bytes.
    public var byteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: The greatest depth of arrays and objects in one another; at most 1,024, for
    ///     values are made and written by recursion.
    ///   - byteCount: The greatest number of bytes; at most 128 MiB.
    public init(depth: Int = 512, byteCount: Int = 64 << 20) {
      self.depth = depth
      self.byteCount = byteCount
    }
  }

  private var parser: JSONStreamParser

  /// Creates a parser that has read nothing.
  ///
  /// - Parameters:
  ///   - limits: How much is read; going beyond is an error.
  ///   - showsUnfinishedNumbers: Whether a number that may go on is shown as it is.
  public init(limits: Limits = Limits(), showsUnfinishedNumbers: Bool = false) {
    parser = JSONStreamParser(
      limits: JSONLimits(depth: min(limits.depth, 1024), byteCount: limits.byteCount),
      showsUnfinishedNumbers: showsUnfinishedNumbers)
  }

  /// What has been read so far. Before the beginning of a value tells what it is, `null`, not
  /// complete.
  ///
  /// - Complexity: Constant.
  public var content: GeneratedContent {
    GeneratedContent(parser.snapshot, isComplete: parser.isComplete)
  }

  /// Whether a whole value has been read. A number by itself is whole only after ``finish()``.
  public var isComplete: Bool { parser.isComplete }

  /// Reads the next piece.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` at the first byte that cannot be there in JSON,
  ///   with its offset and a caret under it; then and ever after.
  public mutating func append(_ text: String) throws {
    var text = text
    try text.withUTF8 { try append($0.span) }
  }

  /// Reads the next bytes of UTF-8.
  ///
  /// - Throws: ``GeneratedContent/ParsingError``, as for text.
  public mutating func append(_ bytes: Span<UInt8>) throws {
    do {
      try parser.append(bytes)
    } catch {
      throw parsingError(error)
    }
  }

  /// Reads the next bytes of UTF-8.
  ///
  /// - Throws: ``GeneratedContent/ParsingError``, as for text.
  public mutating func append(_ bytes: some Collection<UInt8>) throws {
    let result = bytes.withContiguousStorageIfAvailable { buffer in
      Result { try parser.append(buffer) }
    }
    do {
      try (result ?? Result { try parser.append(Array(bytes).span) }).get()
    } catch let error as JSONSyntaxError {
      throw parsingError(error)
    }
  }

  /// Says that there is no more text.
  ///
  /// - Returns: The whole content.
  /// - Throws: ``GeneratedContent/ParsingError`` where the text has ended too early.
  @discardableResult
  public mutating func finish() throws -> GeneratedContent {
    do {
      try parser.finish()
    } catch {
      throw parsingError(error)
    }
    return content
  }

  private func parsingError(_ error: JSONSyntaxError) -> GeneratedContent.ParsingError {
    GeneratedContent.ParsingError(
      rawContent: parser.text, underlyingError: error, debugDescription: error.description)
  }
}

extension GeneratedContent {
  /// Reads JSON. Of JSON that is cut off, what is there becomes content that is not complete.
  ///
  /// - Throws: ``ParsingError`` where the text is not JSON, nor the beginning of any; at most 512
  ///   levels of arrays and objects are read, and at most 64 MiB.
  /// - Complexity: Linear in the length of the text.
  public init(json: String) throws {
    var parser = GeneratedContentParser()
    try parser.append(json)
    // A number by itself ends where the text does; anything else that is cut off is shown so.
    _ = try? parser.finish()
    self = parser.content
  }
}

extension GeneratedContent.ParsingError {
  /// What keeps the text from being JSON; nil where it is JSON.
  var syntaxError: JSONSyntaxError? { underlyingError as? JSONSyntaxError }
}
