// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

// The kernels of attention are made for tokens that see those before them. They take the queries of
// several heads at one position; so the queries of all tokens of a text are given as those of its last
// position, which sees the whole text.

extension EncoderTransformer {
  /// Turns queries and keys by their positions.
  func turn(_ texts: [[Int]], _ space: EncoderWorkspace) {
    let p = parameters
    let positions = texts.flatMap { Array($0.indices) }
    let rotations = Rotations(
      p.rope, divisors: nil, rotatesNeighbours: false, positions: positions)
    for row in positions.indices {
      for rows in [space.query, space.key] {
        rotations.turn(
          rows + row * p.width, count: p.heads, headSize: p.headSize, row: row, compute.kernels)
      }
    }
  }

  /// From queries, keys and values to what each token takes of its text.
  func attend(_ texts: [[Int]], _ space: EncoderWorkspace) {
    let p = parameters
    let shape = CacheShape([(heads: p.heads, size: p.headSize)])
    var first = 0
    for text in texts {
      let (count, place) = (text.count, first * p.width)
      first += count
      var cache = KeyValueCache(shape)
      cache.extend(by: count)
      cache.store(space.key + place, space.value + place, 0..<count, layer: 0)
      cache.withPages { pages in
        // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
        nonisolated(unsafe) let (pages, space) = (pages, space)
        compute.team.forEachRange(of: p.heads, costOfOne: 2 * count * count * p.headSize) { heads in
          attend(heads, count, pages, shape.layers[0], space, place)
        }
      }
    }
  }

  private func attend(
    _ heads: Range<Int>, _ count: Int, _ pages: UnsafePointer<UnsafeMutablePointer<Float>>,
    _ shape: CacheShape.Layer, _ space: EncoderWorkspace, _ place: Int
  ) {
    let p = parameters
    let size = p.headSize
    let capacity = (count + 15) / 16 * 16
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: (4 * capacity + 4 * shape.valueSize + 16 + 2 * count * size) * 4, alignment: 64)
    defer { room.deallocate() }
    let scratch = room.bindMemory(
      to: Float.self, capacity: 4 * capacity + 4 * shape.valueSize + 16 + 2 * count * size)
    let queries = scratch + 4 * capacity + 4 * shape.valueSize + 16
    let results = queries + count * size
    for head in heads {
      for row in 0..<count {
        (queries + row * size).update(
          from: space.query + place + row * p.width + head * size, count: size)
      }
      compute.kernels.attend(
        AttentionQueries(
          range: 0..<count, heads: count, firstPosition: count - 1, size: size, input: queries,
          output: results, stride: 0, scale: 1 / Float(size).squareRoot(), window: nil),
        AttentionMemory(
          pages: pages, keys: shape.keys(head: head),
          values: shape.values(head: head), scratch: scratch, capacity: capacity))
      for row in 0..<count {
        (space.attended + place + row * p.width + head * size).update(
          from: results + row * size, count: size)
      }
    }
  }
}

/// Room for what one pass through the layers computes.
///
/// Invariants of the unsafe memory: each buffer has room for `capacity` rows; `ones` is a row. A workspace
/// stays within one call of the encoder.
final class EncoderWorkspace {
  typealias Rows = UnsafeMutablePointer<Float>

  let hidden: Rows
  let query: Rows
  let key: Rows
  let value: Rows
  let attended: Rows
  let projected: Rows
  let up: Rows
  let gate: Rows
  /// What a row is gated with that is not gated.
  let ones: Rows
  let narrow: ActivationBlocks
  let wide: ActivationBlocks

  init(_ p: EncoderParameters, capacity: Int) {
    func rows(_ width: Int) -> Rows { .allocate(capacity: width * capacity) }
    hidden = rows(p.width)
    query = rows(p.width)
    key = rows(p.width)
    value = rows(p.width)
    attended = rows(p.width)
    projected = rows(p.width)
    up = rows(p.feedForwardWidth)
    gate = rows(p.architecture == .nomicBert ? p.feedForwardWidth : 0)
    ones = .allocate(capacity: p.feedForwardWidth)
    ones.initialize(repeating: 1, count: p.feedForwardWidth)
    narrow = ActivationBlocks(width: p.width, capacity: capacity)
    wide = ActivationBlocks(width: p.feedForwardWidth, capacity: capacity)
  }

  deinit {
    for buffer in [hidden, query, key, value, attended, projected, up, gate, ones] {
      buffer.deallocate()
    }
  }
}
