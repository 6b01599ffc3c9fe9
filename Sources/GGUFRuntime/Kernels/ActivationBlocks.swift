// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// Activations of some positions, in blocks of 32 whole numbers of 16 bits with a scale.
///
/// Sixteen bits cost what eight do, because 16-bit numbers are what the multiply-add of every
/// processor takes; and they leave the error where the file's quantisation put it. With eight bits,
/// as llama.cpp has them, the logits of SmolLM2 move by up to 1.3, and which token is the likeliest
/// depends on the order of sums; with sixteen by 0.01.
///
/// Invariants of the unsafe memory: the buffers have room for `capacity` rows of `width` numbers, a
/// multiple of 32. An object stays within one call of the transformer.
final class ActivationBlocks {
  let floats: UnsafeMutablePointer<Float>
  private(set) var positions = 0
  private let target: MutableActivationRows

  /// The activations as the kernels read them.
  var rows: ActivationRows {
    ActivationRows(
      positions: positions, pairs: UnsafeRawPointer(target.pairs),
      scales: UnsafePointer(target.scales), halfSums: UnsafePointer(target.halfSums),
      sums: UnsafePointer(target.sums))
  }

  /// - Parameter width: How long a row is at most.
  init(width: Int, capacity: Int) {
    // Where there are several rows, the kernels take eight at a time.
    let blocks = width / 32 * (capacity == 1 ? 1 : (capacity + 7) / 8 * 8)
    target = MutableActivationRows(
      pairs: .allocate(byteCount: 64 * blocks, alignment: 64),
      scales: .allocate(capacity: blocks), halfSums: .allocate(capacity: 2 * blocks),
      sums: .allocate(capacity: 2 * blocks))
    target.pairs.initializeMemory(as: UInt8.self, repeating: 0, count: 64 * blocks)
    target.scales.initialize(repeating: 0, count: blocks)
    target.halfSums.initialize(repeating: 0, count: 2 * blocks)
    target.sums.initialize(repeating: 0, count: 2 * blocks)
    floats = .allocate(capacity: width * capacity)
  }

  deinit {
    target.pairs.deallocate()
    target.scales.deallocate()
    target.halfSums.deallocate()
    target.sums.deallocate()
    floats.deallocate()
  }

  /// Takes rows of numbers in.
  func fill(
    from input: UnsafePointer<Float>, positions: Int, width: Int, _ compute: Compute
  ) {
    self.positions = positions
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let (floats, target, input) = (floats, target, input)
    let blocks = width / 32
    compute.team.forEachRange(of: positions, costOfOne: 4 * width) { range in
      (floats + range.lowerBound * width).update(
        from: input + range.lowerBound * width, count: range.count * width)
      compute.kernels.quantize(
        input, blocks: range.lowerBound * blocks..<range.upperBound * blocks, into: target)
    }
  }
}
