// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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

/// Attached values that can be saved: as an object, or as its text where an object of a file would
/// come back with its keys in another order.
struct StoredMetadata: Codable, Sendable, Equatable {
  var values: Transcript.MetadataValues

  init(values: Transcript.MetadataValues) { self.values = values }

  func encode(to encoder: any Encoder) throws {
    let content = TranscriptEncoding.values(values)
    try JSONCoding(content: content.hasSortedKeys ? content : .text(content.jsonString))
      .encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    let content = try JSONCoding(from: decoder).content
    values = TranscriptDecoding.values(
      try content.stringValue.map { try GeneratedContent(json: $0) } ?? content)
  }
}
