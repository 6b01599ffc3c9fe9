// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What reading a prompt left, on disk: reading 1,024 tokens again takes seconds.
///
/// Layout, little-endian:
///
///     "ESPALKV2", the model's fingerprint, the shape of its memory, how many tokens
///     the tokens, 32 bits each
///     the last hidden numbers, the state of recurrences, the pages of keys and values
///     a digest of these numbers, 64 bits
///
/// A file is of a prompt if its beginning is the one that would be written for it. Anything else, a
/// digest that is not that of the numbers included, is no saved prompt: the prompt is read again.
package enum SavedPrompt {
  /// What a file of these tokens begins with.
  private static func beginning(
    _ tokens: [Int], _ shape: CacheShape, fingerprint: UInt64
  ) -> [UInt8] {
    var bytes = Array("ESPALKV2".utf8)
    func add(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    add(fingerprint)
    let layers = shape.layers.flatMap { [$0.heads, $0.size] }
    let extents = [shape.layers.count, shape.precision.rawValue, shape.stateCount, tokens.count]
    for extent in layers + extents { add(Int64(extent)) }
    for token in tokens { add(Int32(truncatingIfNeeded: token)) }
    return bytes
  }

  /// The bytes of a file.
  package static func bytes(
    of cache: KeyValueCache, tokens: [Int], last: [Float], fingerprint: UInt64
  ) -> [UInt8] {
    var bytes = beginning(tokens, cache.shape, fingerprint: fingerprint)
    let start = bytes.count
    let pages = cache.pages.prefix(pageCount(tokens.count))
    bytes.reserveCapacity(
      start + 4 * (last.count + cache.shape.stateCount + pages.count * cache.shape.pageCount) + 8)
    last.withUnsafeBytes { bytes += $0 }
    if let state = cache.state {
      bytes += UnsafeRawBufferPointer(start: state, count: 4 * cache.shape.stateCount)
    }
    for page in pages {
      bytes += UnsafeRawBufferPointer(start: page.numbers, count: 4 * page.count)
    }
    var digest = NumbersDigest()
    bytes.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    withUnsafeBytes(of: digest.value.littleEndian) { bytes += $0 }
    return bytes
  }

  private static func pageCount(_ tokens: Int) -> Int {
    (tokens + CachePage.positions - 1) / CachePage.positions
  }

  /// What a file holds of these tokens; nil where it is not theirs, or broken.
  package static func restore(
    _ path: String, tokens: [Int], parameters: ModelParameters, fingerprint: UInt64
  ) -> (cache: KeyValueCache, last: [Float])? {
    let shape = parameters.cacheShape
    let beginning = beginning(tokens, shape, fingerprint: fingerprint)
    let pageCount = pageCount(tokens.count)
    let numbers = parameters.width + shape.stateCount + pageCount * shape.pageCount
    guard let file = try? ModelFile(path: path),
      file.size == beginning.count + 4 * numbers + 8,
      (try? file.bytes(in: 0..<beginning.count)) == beginning
    else { return nil }
    var place = beginning.count
    var digest = NumbersDigest()
    func read(_ target: UnsafeMutableRawBufferPointer) -> Bool {
      guard file.read(at: place, into: target) else { return false }
      place += target.count
      digest.add(UnsafeRawBufferPointer(target))
      return true
    }
    var last = [Float](repeating: 0, count: parameters.width)
    guard last.withUnsafeMutableBytes(read) else { return nil }
    var state: RecurrentState?
    if shape.stateCount > 0 {
      let new = RecurrentState(count: shape.stateCount)
      guard read(UnsafeMutableRawBufferPointer(start: new.numbers, count: 4 * shape.stateCount))
      else { return nil }
      state = new
    }
    var pages: [CachePage] = []
    for index in 0..<pageCount {
      let positions = min(CachePage.positions, tokens.count - index * CachePage.positions)
      guard let page = CachePage(shape, positions: positions, writing: read) else { return nil }
      pages.append(page)
    }
    guard let stored = try? file.bytes(in: place..<place + 8),
      stored == withUnsafeBytes(of: digest.value.littleEndian, Array.init)
    else { return nil }
    return (
      KeyValueCache(shape, pages: pages, state: state, count: tokens.count), last
    )
  }
}

/// A digest of many numbers, made at the speed of memory: it finds accidents, not attacks.
struct NumbersDigest {
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93
  )

  /// Adds bytes, a multiple of four.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    var (a, b, c, d) = lanes
    func mix(_ lane: inout UInt64, _ word: UInt64) {
      lane = (lane ^ word) &* 0x9FB2_1C65_1E98_DF25
      lane ^= lane &>> 29
    }
    func word(_ place: Int) -> UInt64 {
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    var place = 0
    while place &+ 32 <= bytes.count {
      mix(&a, word(place))
      mix(&b, word(place &+ 8))
      mix(&c, word(place &+ 16))
      mix(&d, word(place &+ 24))
      place &+= 32
    }
    while place &+ 4 <= bytes.count {
      mix(&a, UInt64(base.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
      place &+= 4
    }
    lanes = (a, b, c, d)
  }

  var value: UInt64 {
    var result = lanes.0
    for lane in [lanes.1, lanes.2, lanes.3] {
      result = (result ^ lane) &* 0x9FB2_1C65_1E98_DF25
      result ^= result &>> 32
    }
    return result
  }
}
