/// A matrix of weights in the layout that the kernels read.
///
/// Every quantised form of a file is one of three here. A row is cut into blocks of 32 numbers, and
/// a number is `scale · code + minimum`, with the scale and the minimum of its block:
///
/// - `nibbles`: codes 0…15, two a byte: byte i of a block holds number i in its low half and
///   number i + 16 in its high half. Q4_0, Q4_1, Q4_K.
/// - `bytes`: codes −128…127. Q5_0, Q5_1, Q8_0, Q5_K; and with a scale for every 16 numbers, Q6_K.
/// - `floats`: F32, F16, BF16, the latter two expanded.
///
/// Example, Q4_1: a block with d = 0.5, m = −4 and codes 0, 8, 15, … stands for −4, 0, 3.5, ….
///
/// Scales are expanded to 32 bits, which makes a Q4_1 block 24 bytes in place of 20 and saves the
/// kernels a conversion; the file's pages are given back once the matrix is made.
///
/// Invariants of the unsafe memory: the buffers are allocated and written in `init` only, have the
/// lengths that `rows` and `columns` say, and live as long as the object, so that sharing it
/// between threads is sound.
final class WeightMatrix: Sendable {
  enum Form: Sendable { case nibbles, bytes, bytesOf16, floats }

  let form: Form
  let rows: Int
  let columns: Int
  let hasMinimums: Bool
  nonisolated(unsafe) let codes: UnsafeMutableRawPointer
  nonisolated(unsafe) let scales: UnsafeMutablePointer<Float>
  nonisolated(unsafe) let minimums: UnsafeMutablePointer<Float>

  /// How many scales a row has.
  var scalesPerRow: Int { form == .bytesOf16 ? columns / 16 : columns / 32 }

  /// How many bytes of codes a row has.
  var rowBytes: Int {
    switch form {
    case .nibbles: columns / 2
    case .bytes, .bytesOf16: columns
    case .floats: columns * 4
    }
  }

  init(_ tensor: GGUFTensor, in file: GGUFFile) {
    columns = tensor.dimensions[0]
    rows = tensor.count / columns
    (form, hasMinimums) =
      switch tensor.type {
      case .f32, .f16, .bf16: (.floats, false)
      case .q4_0, .q4_1, .q4_K: (.nibbles, true)
      case .q5_1, .q5_K: (.bytes, true)
      case .q5_0, .q8_0: (.bytes, false)
      case .q6_K: (.bytesOf16, false)
      }
    let perNumber = form == .floats ? 4 : 1
    let codeBytes = form == .nibbles ? rows * columns / 2 : rows * columns * perNumber
    codes = .allocate(byteCount: codeBytes, alignment: 64)
    let scaleCount =
      form == .floats ? 0 : rows * (form == .bytesOf16 ? columns / 16 : columns / 32)
    scales = .allocate(capacity: scaleCount)
    minimums = .allocate(capacity: hasMinimums ? scaleCount : 0)
    file.withBytes(of: tensor) { unpack($0, type: tensor.type) }
  }

  deinit {
    codes.deallocate()
    scales.deallocate()
    minimums.deallocate()
  }

  /// Writes a row as numbers.
  func copyRow(_ row: Int, to output: UnsafeMutablePointer<Float>) {
    let bytes = codes + row * rowBytes
    if form == .floats {
      output.update(from: bytes.assumingMemoryBound(to: Float.self), count: columns)
      return
    }
    let size = form == .bytesOf16 ? 16 : 32
    for column in 0..<columns {
      let code: Float
      if form == .nibbles {
        let place = column % 32
        let byte = (bytes + column / 32 * 16 + place % 16).load(as: UInt8.self)
        code = Float(place < 16 ? byte & 15 : byte >> 4)
      } else {
        code = Float((bytes + column).load(as: Int8.self))
      }
      let block = row * scalesPerRow + column / size
      output[column] = scales[block] * code + (hasMinimums ? minimums[block] : 0)
    }
  }
}
