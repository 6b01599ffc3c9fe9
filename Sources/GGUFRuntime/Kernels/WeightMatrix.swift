/// A matrix of weights in the layout that the kernels read.
///
/// Every quantised form of a file is one of three here. A row is cut into blocks of 32 numbers, and
/// a number is `scale · (code + offset) + minimum`, with the scale and the minimum of its block:
///
/// - `nibbles`: codes −8…7. Q4_0 (offset 0), Q4_1 and Q4_K (offset 8).
/// - `bytes`: codes 0…255. Q5_0 (−16), Q5_1 and Q5_K (0), Q8_0 (−128).
/// - `bytesOf16`: the same with a scale for every 16 numbers. Q6_K (−32).
/// - `floats`: F32, F16, BF16, the latter two expanded; row by row.
///
/// Rows stand in groups of eight, and the codes of a group are interleaved: column pair by column
/// pair, in the order of ``ActivationBlocks``, the codes of the eight rows. Of nibbles, 32 bits of
/// a file, which are the columns 4q…4q+3 and 4q+16…4q+19 of a block, stay together: their 16-bit
/// halves hold four numbers each, of which the kernels take one at a time.
///
/// Example, Q4_1: a block with d = 0.5, m = −4 and codes 0, 8, 15, … stands for −4, 0, 3.5, …; its
/// codes are kept as −8, 0, 7, ….
///
/// Scales are expanded to 32 bits, which makes a Q4_1 block 24 bytes in place of 20 and saves the
/// kernels a conversion. Nothing of the file is kept.
///
/// Invariants of the unsafe memory: the buffers are allocated and written in `init` only, have the
/// lengths that `groups` and `columns` say, and live as long as the object, so that sharing it
/// between threads is sound.
final class WeightMatrix: Sendable {
  enum Form: Sendable { case nibbles, bytes, bytesOf16, floats }

  let form: Form
  let rows: Int
  let columns: Int
  let offset: Int32
  let hasMinimums: Bool
  nonisolated(unsafe) let codes: UnsafeMutableRawPointer
  nonisolated(unsafe) let scales: UnsafeMutablePointer<Float>
  nonisolated(unsafe) let minimums: UnsafeMutablePointer<Float>

  /// How many groups of eight rows there are; the last may be filled up with zeros.
  var groups: Int { (rows + 7) / 8 }

  /// How many scales a group has: eight for each block.
  var scalesPerGroup: Int { form == .bytesOf16 ? columns / 2 : columns / 4 }

  /// How many bytes of codes a group has.
  var groupBytes: Int { form == .nibbles ? columns * 4 : columns * 8 }

  /// The rows where the form is `floats`.
  var floats: UnsafeMutablePointer<Float> { codes.assumingMemoryBound(to: Float.self) }

  /// - Throws: `GGUFError` where the tensor cannot be read.
  init(_ tensor: GGUFTensor, in file: GGUFFile) throws(GGUFError) {
    let stored = try file.bytes(of: tensor)
    columns = tensor.dimensions[0]
    rows = tensor.count / columns
    (form, offset, hasMinimums) =
      switch tensor.type {
      case .f32, .f16, .bf16: (.floats, 0, false)
      case .q4_0: (.nibbles, 0, false)
      case .q4_1, .q4_K: (.nibbles, 8, true)
      case .q5_0: (.bytes, -16, false)
      case .q5_1, .q5_K: (.bytes, 0, true)
      case .q8_0: (.bytes, -128, false)
      case .q6_K: (.bytesOf16, -32, false)
      }
    let groups = (rows + 7) / 8
    let codeBytes =
      switch form {
      case .nibbles: groups * columns * 4
      case .bytes, .bytesOf16: groups * columns * 8
      case .floats: rows * columns * 4
      }
    codes = .allocate(byteCount: codeBytes, alignment: 64)
    let scaleCount =
      switch form {
      case .floats: 0
      case .bytesOf16: groups * columns / 2
      case .nibbles, .bytes: groups * columns / 4
      }
    scales = Self.numbers(scaleCount)
    minimums = Self.numbers(hasMinimums ? scaleCount : 0)
    if rows % 8 != 0, form != .floats {
      (codes + (groups - 1) * codeBytes / groups).initializeMemory(
        as: UInt8.self, repeating: 0, count: codeBytes / groups)
      scales.initialize(repeating: 0, count: scaleCount)
      minimums.initialize(repeating: 0, count: hasMinimums ? scaleCount : 0)
    }
    stored.withUnsafeBytes { unpack($0, type: tensor.type) }
  }

  /// Numbers aligned as vectors are.
  private static func numbers(_ count: Int) -> UnsafeMutablePointer<Float> {
    UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
      .bindMemory(to: Float.self, capacity: count)
  }

  deinit {
    codes.deallocate()
    scales.deallocate()
    minimums.deallocate()
  }

  /// Writes a row as numbers.
  func copyRow(_ row: Int, to output: UnsafeMutablePointer<Float>) {
    if form == .floats {
      output.update(from: floats + row * columns, count: columns)
      return
    }
    let group = codes + row / 8 * groupBytes
    let scaleBase = row / 8 * scalesPerGroup + row % 8
    for column in 0..<columns {
      // Pair t holds the columns 4j + t % 2 and two more; j = t / 2.
      let inBlock = column % 32
      let pair = inBlock / 4 * 2 + inBlock % 2
      let second = inBlock / 2 % 2
      let code: Int32
      if form == .nibbles {
        let word = group + (column / 32 * 128 + inBlock % 16 / 4 * 32 + row % 8 * 4 + second * 2)
        let shift = UInt16(inBlock % 2 * 8 + inBlock / 16 * 4)
        let nibble = UInt16(littleEndian: word.load(as: UInt16.self)) >> shift & 15
        code = Int32(nibble ^ 8) - 8
      } else {
        let place = column / 32 * 256 + pair * 16 + row % 8 * 2 + second
        code = Int32((group + place).load(as: UInt8.self))
      }
      let block = form == .bytesOf16 ? column / 16 : column / 32
      let scale = scaleBase + block * 8
      output[column] = scales[scale] * Float(code + offset) + (hasMinimums ? minimums[scale] : 0)
    }
  }
}
