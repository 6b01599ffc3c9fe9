// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(ucrt)
  import ucrt
#else
  #error("Where are the sine and the cosine on this platform?")
#endif

/// The turns of rotary position embeddings: a cosine and a sine for each pair of numbers of a head,
/// for each row of a pass.
///
/// Pair i of position p is turned by p · base^(−2i / d), where d is how many numbers are turned.
/// Files made for longer sequences than the model was trained on change that angle: `linear` divides
/// it by a factor; Llama 3.1's files have a divisor for each pair; `yarn` divides the slow pairs,
/// leaves the fast ones, blends those between, and makes all a little longer.
///
/// Source: Su et al. 2021; Peng et al. 2023 (YaRN).
struct Rotations {
  /// How positions are changed.
  struct Scaling: Sendable, Equatable {
    var factor: Float = 1
    /// The pairs between which YaRN blends; nil for linear scaling.
    var blend: (first: Float, last: Float)?
    /// What turned numbers are multiplied with.
    var length: Float = 1

    static func == (a: Scaling, b: Scaling) -> Bool {
      a.factor == b.factor && a.length == b.length && a.blend?.first == b.blend?.first
        && a.blend?.last == b.blend?.last
    }

    /// What scores are multiplied with where they grow with the length of sequences, not what is turned.
    func growthOfScores(_ share: Float) -> Float {
      let growth = 1 + share * logf(factor)
      return growth * growth
    }

    /// YaRN for a model that was trained on `trainedContext` positions.
    ///
    /// - Parameter lengthShare: How much of the greater length the model takes back, from 0 to 1.
    static func yarn(
      factor: Float, base: Float, size: Int, trainedContext: Int, fast: Float, slow: Float,
      lengthShare: Float
    ) -> Scaling {
      // The pair that turns so many times over the trained positions.
      func pair(_ turns: Float) -> Float {
        Float(size) * logf(Float(trainedContext) / (turns * 2 * .pi)) / (2 * logf(base))
      }
      return Scaling(
        factor: factor,
        blend: (max(0, pair(fast).rounded(.down)), min(Float(size - 1), pair(slow).rounded(.up))),
        length: (1 + 0.1 * logf(factor)) / (1 + 0.1 * lengthShare * max(0, logf(factor))))
    }
  }

  /// What is turned, and how fast.
  struct Shape: Sendable, Equatable {
    var base: Float
    /// How many numbers of a head are turned.
    var size: Int
    var scaling = Scaling()
  }

  private let cosines: [Float]
  private let sines: [Float]
  private let pairs: Int
  private let rotatesNeighbours: Bool

  init(
    _ shape: Shape, divisors: [Float]?, rotatesNeighbours: Bool, positions: [Int]
  ) {
    let scaling = shape.scaling
    pairs = shape.size / 2
    self.rotatesNeighbours = rotatesNeighbours
    let step = powf(shape.base, -2 / Float(shape.size))
    var (cosines, sines): ([Float], [Float]) = ([], [])
    cosines.reserveCapacity(pairs * positions.count)
    sines.reserveCapacity(pairs * positions.count)
    for position in positions {
      var angle = Float(position)
      for pair in 0..<pairs {
        let plain = angle / (divisors?[pair] ?? 1)
        var turn = plain / scaling.factor
        if let (first, last) = scaling.blend {
          let place = (Float(pair) - first) / max(0.001, last - first)
          let share = 1 - min(1, max(0, place))
          turn = turn * (1 - share) + plain * share
        }
        cosines.append(cosf(turn) * scaling.length)
        sines.append(sinf(turn) * scaling.length)
        angle *= step
      }
    }
    (self.cosines, self.sines) = (cosines, sines)
  }

  /// Turns heads of one row of a pass.
  func turn(
    _ heads: UnsafeMutablePointer<Float>, count: Int, headSize: Int, row: Int,
    _ kernels: any KernelSet.Type
  ) {
    cosines.withUnsafeBufferPointer { cosines in
      sines.withUnsafeBufferPointer { sines in
        guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
        for index in 0..<count {
          kernels.turn(
            heads + index * headSize, pairs: pairs, areNeighbours: rotatesNeighbours,
            cosines: cosines + row * pairs, sines: sines + row * pairs)
        }
      }
    }
  }
}

/// What queries far behind the beginning are multiplied with, so that they choose as sharply among
/// more positions: `1 + scale · ln(1 + ⌊position / period⌋)`.
struct QueryTemperature: Sendable, Equatable {
  var scale: Float
  /// How many positions have the same factor.
  var period: Int

  func factor(at position: Int) -> Float { 1 + scale * logf(Float(position / period + 1)) }
}
