#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What a transformer does beside products of matrices, on rows of numbers.
///
/// Invariant: every pointer has room for the count that is passed with it.
enum VectorMath {
  typealias Row = UnsafeMutablePointer<Float>

  /// Scales a row to a root mean square of one, then by weights.
  static func normalize(
    _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ count: Int,
    epsilon: Float, into output: Row
  ) {
    var sum: Double = 0
    for i in 0..<count { sum += Double(input[i] * input[i]) }
    let scale = 1 / (Float(sum / Double(count)) + epsilon).squareRoot()
    for i in 0..<count { output[i] = input[i] * scale * weights[i] }
  }

  static func add(_ input: UnsafePointer<Float>, _ count: Int, to output: Row) {
    for i in 0..<count { output[i] += input[i] }
  }

  /// `silu(gate) · up`, in place of the gate.
  static func swiGLU(_ gate: Row, _ up: UnsafePointer<Float>, _ count: Int) {
    for i in 0..<count { gate[i] = gate[i] / (1 + expf(-gate[i])) * up[i] }
  }

  /// `gelu(gate) · up` by the tanh formula, in place of the gate.
  static func geGLU(_ gate: Row, _ up: UnsafePointer<Float>, _ count: Int) {
    for i in 0..<count {
      let x = gate[i]
      let inner = 0.797_884_56 * x * (1 + 0.044715 * x * x)
      gate[i] = 0.5 * x * (1 + tanhf(inner)) * up[i]
    }
  }

  /// Turns scores into weights that add up to one.
  static func softmax(_ scores: Row, _ count: Int) {
    var greatest = -Float.infinity
    for i in 0..<count { greatest = max(greatest, scores[i]) }
    var sum: Float = 0
    for i in 0..<count {
      scores[i] = expf(scores[i] - greatest)
      sum += scores[i]
    }
    let inverse = 1 / sum
    for i in 0..<count { scores[i] *= inverse }
  }
}
