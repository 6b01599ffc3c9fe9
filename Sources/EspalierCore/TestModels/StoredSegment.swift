/// A segment that can be saved, in the form that it has in a transcript.
struct StoredSegment: Codable, Sendable, Equatable {
  var segment: Transcript.Segment

  init(segment: Transcript.Segment) { self.segment = segment }

  func encode(to encoder: any Encoder) throws {
    try JSONCoding(content: TranscriptEncoding.segment(segment)).encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    segment = try TranscriptDecoding().segment(JSONCoding(from: decoder).content)
  }
}

/// Attached values that can be saved, in the form that they have in a transcript.
struct StoredMetadata: Codable, Sendable, Equatable {
  var values: Transcript.MetadataValues

  init(values: Transcript.MetadataValues) { self.values = values }

  func encode(to encoder: any Encoder) throws {
    try JSONCoding(content: TranscriptEncoding.values(values)).encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    values = TranscriptDecoding.values(try JSONCoding(from: decoder).content)
  }

  static func == (left: StoredMetadata, right: StoredMetadata) -> Bool {
    Transcript.Metadata(values: left.values) == Transcript.Metadata(values: right.values)
  }
}
