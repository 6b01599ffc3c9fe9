extension Transcript: Codable {
  public func encode(to encoder: any Encoder) throws {
    try JSONCoding(content: TranscriptEncoding.document(for: self)).encode(to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    let types = decoder.userInfo[.restorableSegmentTypes]
    self = try TranscriptDecoding(
      segmentTypes: types as? [any Transcript.RestorableSegment.Type] ?? []
    ).transcript(from: JSONCoding(from: decoder).content)
  }
}
