// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

/// Reads the answer of `/v1/embeddings`.
///
///     {"data": [{"index": 1, "embedding": [0.1, …]}, {"index": 0, "embedding": "zczMPQ…"}, …]}
///
/// Vectors are put into the order of `index`, for servers do not keep it. They are brought to the
/// length one, which some servers leave to their clients.
struct EmbeddingAnswer {
  let server: String
  let dimensions: Int

  /// - Throws: ``ServerError`` where there is not exactly one vector of the dimensions for each text.
  func vectors(in body: [UInt8], count: Int) throws -> [[Float]] {
    guard let content = try? GeneratedContent(json: String(decoding: body, as: UTF8.self)),
      let items = content["data"]?.asList
    else { throw malformed("Expected an object with the list 'data', found no such.") }
    guard items.count == count else {
      throw malformed("Expected \(count) vectors in 'data', found \(items.count).")
    }
    var vectors = [[Float]?](repeating: nil, count: count)
    for (place, item) in items.enumerated() {
      let index = item["index"]?.asInteger ?? place
      guard vectors.indices.contains(index), vectors[index] == nil else {
        throw malformed("Expected each 'index' from 0 to \(count - 1) once, found \(index).")
      }
      vectors[index] = try vector(in: item, index: index)
    }
    return vectors.compactMap(\.self)
  }

  private func vector(in item: GeneratedContent, index: Int) throws -> [Float] {
    let place = "'data[\(index)].embedding'"
    var vector: [Float]
    if let numbers = item["embedding"]?.asList {
      vector = try numbers.map { number in
        guard let value = number.asNumber else {
          throw malformed("Expected numbers in \(place), found \(number.jsonString.prefix(40)).")
        }
        return Float(value)
      }
    } else if let text = item["embedding"]?.asText, let data = Data(base64Encoded: text) {
      guard data.count % 4 == 0 else {
        throw malformed("Expected numbers of 4 bytes in \(place), found \(data.count) bytes.")
      }
      vector = data.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: 4).map { offset in
          Float(
            bitPattern: UInt32(
              littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
      }
    } else {
      throw malformed("Expected a list of numbers or base64 in \(place), found neither.")
    }
    guard vector.count == dimensions else {
      throw malformed("Expected \(dimensions) numbers in \(place), found \(vector.count).")
    }
    guard vector.allSatisfy(\.isFinite) else {
      throw malformed("Expected finite numbers in \(place), found one that is not.")
    }
    normalizeVector(&vector)
    return vector
  }

  private func malformed(_ problem: String) -> ServerError {
    ServerError(
      .malformedAnswer, server: server, problem: problem,
      suggestion: "Check that the server runs an embedding model, and how many dimensions it has.")
  }
}
