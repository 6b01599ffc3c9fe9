// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// Attention of the rows of a pass to the positions of their sequences.
///
/// The work is cut by sequences, heads of keys and values, and ranges of rows; each part writes
/// numbers of its own.
struct Attention {
  /// The rows of one sequence.
  struct Sequence {
    /// The rows in the pass.
    var rows: Range<Int>
    /// The position of the first.
    var start: Int
    var pages: UnsafePointer<UnsafeMutablePointer<Float>>
    /// What layers without attention remember.
    var state: UnsafeMutablePointer<Float>?
  }

  let parameters: ModelParameters
  let shape: CacheShape
  /// Which of the layers with attention it is.
  let layer: Int
  let window: Int?
  let sinks: [Float]?

  /// How many rows are one part of the work.
  private static var step: Int { 16 }

  func run(_ space: Workspace, _ sequences: [Sequence], _ compute: Compute) {
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let sequences = sequences
    let p = parameters
    let heads = p.keyValueHeads
    // The parts: one for each head of keys and values of each range of rows.
    let steps = sequences.map { ($0.rows.count + Self.step - 1) / Self.step }
    let total = steps.reduce(0, +) * heads
    let cost = sequences.reduce(0) { $0 + $1.rows.count * ($1.start + $1.rows.count) }
    compute.team.forEachRange(
      of: total, costOfOne: 2 * cost * p.heads * p.headSize / max(1, total)
    ) { range in
      let length = sequences.map { $0.start + $0.rows.count }.max() ?? 0
      let capacity = (length + 15) / 16 * 16
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: (4 * capacity + 4 * shape.valueSize + 16) * 4, alignment: 64)
      defer { scratch.deallocate() }
      let numbers = scratch.bindMemory(to: Float.self, capacity: 4 * capacity)
      let unpacked = shape.precision == .float32 ? nil : UnpackedPages(shape, count: capacity / 16)
      var first = 0
      for (sequence, count) in zip(sequences, steps) {
        for part in range.clamped(to: first..<first + count * heads) {
          let (step, head) = ((part - first) / heads, (part - first) % heads)
          let rows = step * Self.step..<min(sequence.rows.count, (step + 1) * Self.step)
          attend(sequence, rows, head, space, numbers, capacity, unpacked, compute.kernels)
        }
        first += count * heads
      }
    }
  }

  func attend(
    _ sequence: Sequence, _ rows: Range<Int>, _ head: Int, _ space: Workspace,
    _ scratch: UnsafeMutablePointer<Float>, _ capacity: Int, _ unpacked: UnpackedPages?,
    _ kernels: any KernelSet.Type
  ) {
    let p = parameters
    let group = p.heads / p.keyValueHeads
    let place =
      (sequence.rows.lowerBound + rows.lowerBound) * p.heads * p.headSize
      + head * group * p.headSize
    var queries = AttentionQueries(
      range: 0..<rows.count * group, heads: group,
      firstPosition: sequence.start + rows.lowerBound, size: p.headSize,
      input: space.query + place, output: space.attended + place, stride: p.heads * p.headSize,
      scale: p.attentionScale, window: window, softCap: p.attentionSoftCap)
    var memory = AttentionMemory(
      pages: sequence.pages, keys: shape.keys(layer: layer, head: head),
      values: shape.values(layer: layer, head: head), scratch: scratch, capacity: capacity)
    if let unpacked {
      let first = window.map { max(0, sequence.start + rows.lowerBound - $0 + 1) } ?? 0
      let last = sequence.start + rows.upperBound - 1
      unpacked.fill(from: sequence.pages, first / 16...last / 16, head: memory.keys)
      memory.pages = UnsafePointer(unpacked.pages)
      (memory.keys, memory.values) = (0, CachePage.positions * shape.size)
    }
    guard let sinks else { return kernels.attend(queries, memory) }
    sinks.withUnsafeBufferPointer { buffer in
      queries.sinks = buffer.baseAddress.map { $0 + head * group }
      kernels.attend(queries, memory)
    }
  }
}

/// The pages of one head as attention reads them, where they are kept as whole numbers.
///
/// Invariants of the unsafe memory: `pages` has `count` places, and `numbers` room for as many pages of
/// a head. An object stays within one worker's part of a pass.
final class UnpackedPages {
  let pages: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let numbers: UnsafeMutablePointer<Float>
  private let shape: CacheShape

  init(_ shape: CacheShape, count: Int) {
    self.shape = shape
    let numberCount = count * shape.unpackedHeadCount
    numbers = UnsafeMutableRawPointer.allocate(byteCount: numberCount * 4, alignment: 64)
      .bindMemory(to: Float.self, capacity: numberCount)
    pages = .allocate(capacity: count)
    for page in 0..<count { pages[page] = numbers + page * shape.unpackedHeadCount }
  }

  deinit {
    pages.deallocate()
    numbers.deallocate()
  }

  /// Unpacks a head of some pages.
  ///
  /// - Parameter head: Where the head is in a page.
  func fill(
    from packed: UnsafePointer<UnsafeMutablePointer<Float>>, _ range: ClosedRange<Int>, head: Int
  ) {
    for page in range { shape.unpack(UnsafeRawPointer(packed[page] + head), into: pages[page]) }
  }
}
