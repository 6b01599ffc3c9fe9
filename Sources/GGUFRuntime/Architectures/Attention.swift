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
  /// Where the keys and values are.
  let memory: CacheShape.Layer
  let window: Int?
  let sinks: [Float]?

  /// How many rows are one part of the work.
  private static var step: Int { 16 }

  func run(_ space: Workspace, _ sequences: [Sequence], _ compute: Compute) {
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let sequences = sequences
    let heads = memory.heads
    // The parts: one for each head of keys and values of each range of rows.
    let steps = sequences.map { ($0.rows.count + Self.step - 1) / Self.step }
    let total = steps.reduce(0, +) * heads
    let cost = sequences.reduce(0) { $0 + $1.rows.count * ($1.start + $1.rows.count) }
    compute.team.forEachRange(
      of: total, costOfOne: 2 * cost * parameters.heads * memory.size / max(1, total)
    ) { range in
      let length = sequences.map { $0.start + $0.rows.count }.max() ?? 0
      let capacity = (length + 15) / 16 * 16
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: (4 * capacity + 4 * memory.valueSize + 16) * 4, alignment: 64)
      defer { scratch.deallocate() }
      let numbers = scratch.bindMemory(to: Float.self, capacity: 4 * capacity)
      let unpacked =
        memory.precision == .float32 ? nil : UnpackedPages(memory, count: capacity / 16)
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
    let group = p.heads / memory.heads
    let size = memory.size
    let place =
      (sequence.rows.lowerBound + rows.lowerBound) * p.heads * size + head * group * size
    var queries = AttentionQueries(
      range: 0..<rows.count * group, heads: group,
      firstPosition: sequence.start + rows.lowerBound, size: size,
      input: space.query + place, output: space.attended + place, stride: p.heads * size,
      scale: p.attentionScale, window: window, softCap: p.attentionSoftCap)
    var remembered = AttentionMemory(
      pages: sequence.pages, keys: memory.keys(head: head), values: memory.values(head: head),
      scratch: scratch, capacity: capacity)
    if let unpacked {
      let first = window.map { max(0, sequence.start + rows.lowerBound - $0 + 1) } ?? 0
      let last = sequence.start + rows.upperBound - 1
      unpacked.fill(from: sequence.pages, first / 16...last / 16, head: remembered.keys)
      remembered.pages = UnsafePointer(unpacked.pages)
      (remembered.keys, remembered.values) = (0, CachePage.positions * size)
    }
    guard let sinks else { return kernels.attend(queries, remembered) }
    sinks.withUnsafeBufferPointer { buffer in
      queries.sinks = buffer.baseAddress.map { $0 + head * group }
      kernels.attend(queries, remembered)
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
  private let shape: CacheShape.Layer

  init(_ shape: CacheShape.Layer, count: Int) {
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
