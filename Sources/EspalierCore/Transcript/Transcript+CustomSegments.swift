import Foundation

// A custom segment is of a type that only the app knows. Its JSON holds the name of the type, the
// content, and the segment in words, so that a reader who does not know the type still has the text:
//
//     {"type": "text", "id": "…", "text": "Route of 12 km",
//      "custom": {"type": "RouteSegment", "content": {"kilometres": 12}}}
//
// A decoder that is told the type makes the segment again; any other makes an opaque one, which is
// written out as it was read.

extension Transcript {
  /// A custom segment that can be made again from its identity and content.
  ///
  /// Tell the decoder which types there are:
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.userInfo[.restorableSegmentTypes] = [RouteSegment.self]
  /// let transcript = try decoder.decode(Transcript.self, from: data)
  /// ```
  public protocol RestorableSegment: CustomSegment {
    /// Creates a segment from what was saved of it.
    init(id: String, content: Content)
  }

  /// A custom segment whose type is not known where it was read. It is written as it was read.
  public struct OpaqueSegment: CustomSegment {
    /// The JSON of a segment's content.
    public struct Content: Codable, Equatable, Sendable {
      /// The name of the segment's type.
      public var typeName: String
      /// The content as JSON, keys in alphabetical order.
      public var json: String
    }

    public let id: String
    public let content: Content
    public let description: String

    /// Creates a segment.
    public init(id: String, content: Content, description: String) {
      self.id = id
      self.content = content
      self.description = description
    }
  }
}

extension CodingUserInfoKey {
  /// Which types of custom segments a decoder of transcripts makes again: an array of
  /// `any Transcript.RestorableSegment.Type`. Others become ``Transcript/OpaqueSegment``.
  public static let restorableSegmentTypes = CodingUserInfoKey(
    rawValue: "restorableSegmentTypes")!
}

extension Transcript.CustomSegment {
  /// The name of the type and the content, as JSON.
  ///
  /// - Throws: Where the content cannot be encoded.
  func savedContent() throws -> GeneratedContent {
    if let opaque = self as? Transcript.OpaqueSegment {
      return .object([
        ("type", .text(opaque.content.typeName)),
        ("content", try GeneratedContent(json: opaque.content.json)),
      ])
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(content), as: UTF8.self)
    return .object([
      ("type", .text(String(describing: Self.self))), ("content", try GeneratedContent(json: json)),
    ])
  }
}

extension Transcript.RestorableSegment {
  fileprivate static func restored(id: String, json: String) throws -> Self {
    Self(id: id, content: try JSONDecoder().decode(Content.self, from: Data(json.utf8)))
  }
}

extension Transcript.Segment {
  /// The segment that saved content stands for.
  ///
  /// - Throws: Where the type is known, and the content is not one of its.
  static func custom(
    id: String, text: String, saved: GeneratedContent,
    types: [any Transcript.RestorableSegment.Type]
  ) throws -> Transcript.Segment {
    guard let name = saved["type"]?.stringValue, let content = saved["content"] else {
      throw saved.mismatch(expected: "a custom segment with a type and content")
    }
    let json = content.withSortedKeys.jsonString
    if let type = types.first(where: { String(describing: $0) == name }) {
      return .custom(try type.restored(id: id, json: json))
    }
    return .custom(
      Transcript.OpaqueSegment(
        id: id, content: .init(typeName: name, json: json), description: text))
  }
}
