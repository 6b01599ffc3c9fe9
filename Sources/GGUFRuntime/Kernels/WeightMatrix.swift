// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// A matrix of weights in the layout that the kernels read.
///
/// Every form of a file is one of four here. A row is cut into blocks of 32 numbers, and
/// a number is `scale · (code + offset) + minimum`, with the scale and the minimum of its block:
///
/// - `nibbles`: codes −8…7. Q4_0 (offset 0), Q4_1 and Q4_K (offset 8).
/// - `bytes`: codes −128…127. Q8_0, IQ4_NL, IQ4_XS and MXFP4 (offset 0), Q5_0 (112), Q5_1 and Q5_K (128).
/// - `bytesOf16`: the same with a scale for every 16 numbers. Q2_K (128), Q3_K (124), Q6_K (96).
/// - `floats`: F32, F16, BF16, the latter two expanded; row by row.
///
/// Rows stand in groups of 16, and the codes of a group are interleaved: 32 bits of each row, row by
/// row, then the next 32 bits of each. Of bytes these are the columns 4j…4j+3 of a block, of nibbles
/// the columns 4q…4q+3 and 4q+16…4q+19. Their 16-bit halves hold two or four codes, of which the
/// kernels take one at a time: a pair of columns, in the order of `ActivationRows`.
///
/// Example, Q4_1: a block with d = 0.5, m = −4 and codes 0, 8, 15, … stands for −4, 0, 3.5, …; its
/// codes are kept as −8, 0, 7, ….
///
/// Scales are expanded to 32 bits, which makes a Q4_1 block 24 bytes in place of 20 and saves the
/// kernels a conversion. Nothing of the file is kept.
///
/// Invariants of the unsafe memory: the numbers are written in `init` only, have the length that `groups` and
/// `columns` say, and live as long as `memory`, so that sharing them between threads is sound.
final class WeightMatrix: Sendable {
  enum Form: Sendable { case nibbles, bytes, bytesOf16, floats }

  let form: Form
  let rows: Int
  let columns: Int
  let offset: Int32
  /// What a block consists of where the form is not `floats`.
  let layout: BlockLayout
  private let memory: WeightMemory
  nonisolated(unsafe) let codes: UnsafeMutableRawPointer

  /// How many groups of 16 rows there are; the last may be filled up with zeros.
  var groups: Int { (rows + 15) / 16 }

  /// How many bytes a group has; not for `floats`.
  var groupBytes: Int { columns / 32 * layout.bytes }

  /// The rows where the form is `floats`.
  var floats: UnsafeMutablePointer<Float> { codes.assumingMemoryBound(to: Float.self) }

  /// - Parameters:
  ///   - stored: The rows as the file has them, each in whole blocks.
  ///   - columns: How many numbers a row has.
  ///   - type: How the numbers are stored.
  ///   - shared: Where there may be room; the matrices of a model share it.
  init(
    _ stored: [UInt8], columns: Int, type: GGUFTensorType, memory shared: inout WeightMemory?
  ) {
    self.columns = columns
    rows = stored.count / (columns / type.blockSize * type.blockBytes)
    let kernelForm = KernelForm(type)
    (form, offset, layout) = (kernelForm.form, kernelForm.offset, kernelForm.layout)
    (memory, codes) = WeightMemory.allocate(
      byteCount: kernelForm.byteCount(rows: rows, columns: columns), in: &shared)
    if rows % 16 != 0, form != .floats {
      let groupBytes = columns / 32 * layout.bytes
      (codes + rows / 16 * groupBytes).initializeMemory(
        as: UInt8.self, repeating: 0, count: groupBytes)
    }
    stored.withUnsafeBytes { unpack($0, type: type) }
  }

  /// How many bytes a matrix takes.
  static func byteCount(rows: Int, columns: Int, type: GGUFTensorType) -> Int {
    KernelForm(type).byteCount(rows: rows, columns: columns)
  }

  /// What a form of the file becomes.
  private struct KernelForm {
    let form: Form
    let offset: Int32
    let layout: BlockLayout

    init(_ type: GGUFTensorType) {
      let hasMinimums: Bool
      (form, offset, hasMinimums) =
        switch type {
        case .f32, .f16, .bf16: (.floats, 0, false)
        case .q4_0: (.nibbles, 0, false)
        case .q4_1, .q4_K: (.nibbles, 8, true)
        case .q5_0: (.bytes, 112, false)
        case .q5_1, .q5_K: (.bytes, 128, true)
        case .q8_0, .iq4_NL, .iq4_XS, .mxfp4: (.bytes, 0, false)
        case .q2_K: (.bytesOf16, 128, true)
        case .q3_K: (.bytesOf16, 124, false)
        case .q6_K: (.bytesOf16, 96, false)
        }
      layout = BlockLayout(
        codes: form == .nibbles ? .nibbles : .bytes, scales: form == .bytesOf16 ? 2 : 1,
        hasMinimums: hasMinimums)
    }

    func byteCount(rows: Int, columns: Int) -> Int {
      form == .floats
        ? rows * columns * 4 : (rows + 15) / 16 * (columns / 32 * layout.bytes)
    }
  }

  /// Writes a row as numbers.
  func copyRow(_ row: Int, to output: UnsafeMutablePointer<Float>) {
    if form == .floats {
      output.update(from: floats + row * columns, count: columns)
      return
    }
    for column in 0..<columns {
      let block = codes + row / 16 * groupBytes + column / 32 * layout.bytes
      let inBlock = column % 32
      let code: Int32
      if form == .nibbles {
        // A half of 16 bits holds the columns 4q and 4q + 16 in its low byte, the next in the other.
        let word = block + (inBlock % 16 / 4 * 64 + row % 16 * 4 + inBlock / 2 % 2 * 2)
        let shift = UInt16(inBlock % 2 * 8 + inBlock / 16 * 4)
        let nibble = UInt16(littleEndian: word.load(as: UInt16.self)) >> shift & 15
        code = Int32(nibble ^ 8) - 8
      } else {
        let byte = block + (inBlock / 4 * 64 + row % 16 * 4 + inBlock % 4)
        code = Int32(byte.load(as: Int8.self))
      }
      let scales = block + (layout.codeBytes + (form == .bytesOf16 ? inBlock / 16 * 64 : 0))
      let scale = (scales + row % 16 * 4).load(as: Float.self)
      let minimum =
        layout.hasMinimums
        ? (scales + (64 * layout.scales + row % 16 * 4)).load(as: Float.self) : 0
      output[column] = scale * Float(code + offset) + minimum
    }
  }
}
