// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// An embedding model without a model: vectors of the letters that texts have in common, for tests.
///
/// It is lexical, not semantic: "temple" is close to "temples" and to "tempel", and as far from "shrine"
/// as from "invoice". The same text has the same vector on every platform and in every run.
///
/// Every run of three to five characters of a word, and of its two ends, is hashed to one of the
/// dimensions and counted there, with a sign that the hash decides. Case does not count.
public struct CharacterGramEmbeddingModel: EmbeddingModel {
  public let dimensions: Int

  /// Creates a model.
  ///
  /// - Parameter dimensions: How many numbers a vector has; at least one.
  public init(dimensions: Int = 256) { self.dimensions = max(1, dimensions) }

  public var identifier: String { "character-grams-3-5/\(dimensions)" }

  public func vectors(for texts: [String], as role: EmbeddingRole) async throws -> [[Float]] {
    texts.map(vector(of:))
  }

  /// The vector of a text.
  ///
  /// - Complexity: Linear in the length of the text.
  func vector(of text: String) -> [Float] {
    var vector = [Float](repeating: 0, count: dimensions)
    for word in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      // U+0002 and U+0003 stand for the ends of the word.
      let scalars = [2] + word.unicodeScalars.map(\.value) + [3]
      for length in 3...5 where length <= scalars.count {
        for start in 0...(scalars.count - length) {
          let hash = Self.hash(scalars[start..<start + length])
          vector[Int(hash >> 1) % dimensions] += hash & 1 == 0 ? 1 : -1
        }
      }
    }
    normalizeVector(&vector)
    return vector
  }

  /// FNV-1a over the scalars, mixed: its low bits alone are not even.
  private static func hash(_ scalars: ArraySlice<UInt32>) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for scalar in scalars { hash = (hash ^ UInt64(scalar)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    return UInt32(truncatingIfNeeded: hash >> 32)
  }
}
