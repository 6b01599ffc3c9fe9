// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What computes on the numbers of a model, compiled for one kind of processor.
///
/// The same sources are compiled several times, each time as a module of its own with the vectors of
/// a kind of processor: `GGUFKernels` for what every processor has, `GGUFKernelsAVX2` and
/// `GGUFKernelsAVX512` for those that have more. Only products with several positions are written once
/// more, for AVX-512 has twice the registers. Which one is used is decided once, when the program
/// runs. All of them give the same bits: whole numbers are summed exactly, and sums of
/// floating-point numbers have the same order everywhere, with products that are rounded before they
/// are added.
///
/// Rows of weights stand in groups of 16, whatever the width of a vector.
package protocol KernelSet: Sendable {
  /// Multiplies groups of rows with activations.
  ///
  /// - Parameters:
  ///   - groups: Which groups of 16 rows.
  ///   - output: A row of `weights.rows` numbers for each position.
  static func multiply(
    _ weights: WeightRows, groups: Range<Int>, _ input: ActivationRows,
    into output: UnsafeMutablePointer<Float>)

  /// Multiplies a row of 32-bit numbers with the rows of some positions.
  ///
  /// - Parameters:
  ///   - output: The first position's result; the others follow `stride` numbers apart.
  static func multiply(
    row: UnsafePointer<Float>, _ input: UnsafePointer<Float>, columns: Int, positions: Int,
    into output: UnsafeMutablePointer<Float>, stride: Int)

  /// Rounds blocks of 32 numbers to 16 bits.
  static func quantize(
    _ input: UnsafePointer<Float>, blocks: Range<Int>, into output: MutableActivationRows)

  /// Scales a row to a root mean square of one, then by weights.
  static func normalize(
    _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ count: Int, epsilon: Float,
    into output: UnsafeMutablePointer<Float>)

  /// Adds a row to another.
  static func add(
    _ input: UnsafePointer<Float>, _ count: Int, to output: UnsafeMutablePointer<Float>)

  /// `silu(gate) · up`, in place of the gate.
  static func swiGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int)

  /// `gelu(gate) · up` by the tanh formula, in place of the gate.
  static func geGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int)

  /// `bounded(gate) · sigmoid(1.702 · bounded(gate)) · (bounded(up) + 1)`, in place of the gate: the gate
  /// at most 7, the other between −7 and 7.
  static func boundedSwiGLU(
    _ gate: UnsafeMutablePointer<Float>, _ up: UnsafePointer<Float>, _ count: Int)

  /// `row · sigmoid(gate)`, in place of the row.
  static func gateBySigmoid(
    _ row: UnsafeMutablePointer<Float>, _ gate: UnsafePointer<Float>, _ count: Int)

  /// A step of the gated delta rule, for one head.
  ///
  /// - Parameters:
  ///   - matrix: What is remembered: a row for each number of a key, a column for each of a value.
  ///   - size: How many numbers keys and values have, a multiple of 16.
  static func deltaStep(
    _ matrix: UnsafeMutablePointer<Float>, size: Int, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, decay: Float, strength: Float,
    into output: UnsafeMutablePointer<Float>)

  /// A step of a selective state space, for one head.
  ///
  /// - Parameters:
  ///   - matrix: What is remembered: a row for each number of the key, a column for each of the value.
  ///   - size: How many numbers keys and queries have.
  ///   - width: How many numbers values have, a multiple of 16.
  static func scanStep(
    _ matrix: UnsafeMutablePointer<Float>, size: Int, width: Int, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, decay: Float, strength: Float,
    into output: UnsafeMutablePointer<Float>)

  /// Turns the pairs of a head, half a head apart or neighbours.
  static func turn(
    _ head: UnsafeMutablePointer<Float>, pairs: Int, areNeighbours: Bool,
    cosines: UnsafePointer<Float>, sines: UnsafePointer<Float>)

  /// Attention of some queries that share a head of keys and values.
  static func attend(_ queries: AttentionQueries, _ memory: AttentionMemory)
}

/// Weights in groups of 16 rows, a group in blocks of 32 columns, a block as one piece of memory, so
/// that weights are read as one stream.
///
/// A block holds the codes of its rows and columns, 256 bytes of nibbles or 512 bytes; then one or two
/// scales of each row; then as many minimums where there are any. See `WeightMatrix` of the runtime
/// for the order of the codes.
///
/// Invariants of the unsafe memory: `blocks` is aligned to 64 bytes and has the blocks of all groups,
/// the last group filled up to 16 rows.
package struct WeightRows {
  package var layout: BlockLayout
  package var rows: Int
  /// How many blocks of 32 columns a row has.
  package var blockCount: Int
  /// What is added to each code.
  package var offset: Int32
  package var blocks: UnsafeRawPointer

  package init(
    layout: BlockLayout, rows: Int, blockCount: Int, offset: Int32, blocks: UnsafeRawPointer
  ) {
    self.layout = layout
    self.rows = rows
    self.blockCount = blockCount
    self.offset = offset
    self.blocks = blocks
  }
}

/// What a block of weights consists of.
package struct BlockLayout: Sendable {
  /// How a code is kept.
  package enum Codes: Sendable { case nibbles, bytes }

  package var codes: Codes
  /// One or two.
  package var scales: Int
  package var hasMinimums: Bool

  /// How many bytes the codes take.
  package var codeBytes: Int {
    switch codes {
    case .nibbles: 256
    case .bytes: 512
    }
  }
  /// How many bytes a block takes.
  package var bytes: Int { codeBytes + 64 * scales * (hasMinimums ? 2 : 1) }

  package init(codes: Codes, scales: Int, hasMinimums: Bool) {
    self.codes = codes
    self.scales = scales
    self.hasMinimums = hasMinimums
  }
}

/// Activations of some positions in blocks of 32 numbers of 16 bits.
///
/// Layout: a block's 32 numbers are 16 pairs. Pair t holds the columns 4j + t % 2 and
/// 4j + t % 2 + 2, where j = t / 2: the order in which a file's bytes fall apart.
///
/// Invariant of the unsafe memory: where there are several positions there is room for a multiple of
/// eight, and all of it is initialised, for the kernels take that many at a time.
package struct ActivationRows {
  package var positions: Int
  /// The pairs, 64 bytes a block; a position follows the other.
  package var pairs: UnsafeRawPointer
  /// The scale of each block.
  package var scales: UnsafePointer<Float>
  /// The sum of each half block's whole numbers.
  package var halfSums: UnsafePointer<Int32>
  /// The same times the scale.
  package var sums: UnsafePointer<Float>

  package init(
    positions: Int, pairs: UnsafeRawPointer, scales: UnsafePointer<Float>,
    halfSums: UnsafePointer<Int32>, sums: UnsafePointer<Float>
  ) {
    self.positions = positions
    self.pairs = pairs
    self.scales = scales
    self.halfSums = halfSums
    self.sums = sums
  }
}

/// Where activations are written.
package struct MutableActivationRows {
  package var pairs: UnsafeMutableRawPointer
  package var scales: UnsafeMutablePointer<Float>
  package var halfSums: UnsafeMutablePointer<Int32>
  package var sums: UnsafeMutablePointer<Float>

  package init(
    pairs: UnsafeMutableRawPointer, scales: UnsafeMutablePointer<Float>,
    halfSums: UnsafeMutablePointer<Int32>, sums: UnsafeMutablePointer<Float>
  ) {
    self.pairs = pairs
    self.scales = scales
    self.halfSums = halfSums
    self.sums = sums
  }
}

/// Queries of one head of keys and values: those of the heads that share it, position by position.
///
/// Query `i` is head `i % heads` of position `firstPosition + i / heads`.
package struct AttentionQueries {
  package var range: Range<Int>
  package var heads: Int
  package var firstPosition: Int
  /// How many numbers a query has.
  package var size: Int
  /// The first query; those of the next position follow `stride` numbers later.
  package var input: UnsafePointer<Float>
  package var output: UnsafeMutablePointer<Float>
  package var stride: Int
  package var scale: Float
  /// How many positions are seen at most; all where nil.
  package var window: Int?
  /// Scores are kept between plus and minus this number, smoothly; nil for not at all.
  package var softCap: Float?
  /// A score for each head that takes part in no sum; nil for none.
  package var sinks: UnsafePointer<Float>?

  package init(
    range: Range<Int>, heads: Int, firstPosition: Int, size: Int, input: UnsafePointer<Float>,
    output: UnsafeMutablePointer<Float>, stride: Int, scale: Float, window: Int?,
    softCap: Float? = nil, sinks: UnsafePointer<Float>? = nil
  ) {
    self.range = range
    self.heads = heads
    self.firstPosition = firstPosition
    self.size = size
    self.input = input
    self.output = output
    self.stride = stride
    self.scale = scale
    self.window = window
    self.softCap = softCap
    self.sinks = sinks
  }
}

/// The keys and values of one head, in pages of 16 positions.
///
/// A page holds the keys as `size` rows of 16 numbers, one for each position, and the values as 16
/// rows of `size` numbers, rounded up to a multiple of 16.
package struct AttentionMemory {
  package var pages: UnsafePointer<UnsafeMutablePointer<Float>>
  /// Where the keys and the values of the head are in each page.
  package var keys: Int
  package var values: Int
  /// Room for four rows of scores, of `capacity` numbers each, and of four rows of values.
  package var scratch: UnsafeMutablePointer<Float>
  package var capacity: Int

  package init(
    pages: UnsafePointer<UnsafeMutablePointer<Float>>, keys: Int, values: Int,
    scratch: UnsafeMutablePointer<Float>, capacity: Int
  ) {
    self.pages = pages
    self.keys = keys
    self.values = values
    self.scratch = scratch
    self.capacity = capacity
  }
}
