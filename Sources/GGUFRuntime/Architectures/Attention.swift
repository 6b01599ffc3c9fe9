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
      var first = 0
      for (sequence, count) in zip(sequences, steps) {
        for part in range.clamped(to: first..<first + count * heads) {
          let (step, head) = ((part - first) / heads, (part - first) % heads)
          let rows = step * Self.step..<min(sequence.rows.count, (step + 1) * Self.step)
          attend(sequence, rows, head, space, numbers, capacity, compute.kernels)
        }
        first += count * heads
      }
    }
  }

  private func attend(
    _ sequence: Sequence, _ rows: Range<Int>, _ head: Int, _ space: Workspace,
    _ scratch: UnsafeMutablePointer<Float>, _ capacity: Int, _ kernels: any KernelSet.Type
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
    let memory = AttentionMemory(
      pages: sequence.pages, keys: shape.keys(layer: layer, head: head),
      values: shape.values(layer: layer, head: head), scratch: scratch, capacity: capacity)
    guard let sinks else { return kernels.attend(queries, memory) }
    sinks.withUnsafeBufferPointer { buffer in
      queries.sinks = buffer.baseAddress.map { $0 + head * group }
      kernels.attend(queries, memory)
    }
  }
}
