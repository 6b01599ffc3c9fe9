// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Transcript: Codable {
  public func encode(to encoder: any Encoder) throws {
    try JSONCoding(content: TranscriptEncoding.document(for: self)).encode(to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    self = try TranscriptDecoding().transcript(from: JSONCoding(from: decoder).content)
  }
}
