// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

/// How sure a model behind a server is of enumerations and booleans, from the likeliest tokens that the
/// server names beside each token of its answer.
///
/// Example: `"high"` was written as the tokens `"`, `high`, `"`. Beside `high` (0.6) the server named
/// `low` (0.2) and `the` (0.2). No case begins with `the`, so that `high` has 0.75 and `low` 0.25. Beside
/// the other two tokens no case goes another way.
struct CaseProbabilities {
  /// A token that was written, or could have been.
  private struct Candidate {
    var bytes: [UInt8]
    var probability: Double

    init?(_ content: GeneratedContent) {
      guard let text = content["token"]?.asText, let logarithm = content["logprob"]?.asNumber else {
        return nil
      }
      let bytes = content["bytes"]?.asList?.compactMap {
        $0.asInteger.flatMap(UInt8.init(exactly:))
      }
      self.bytes = bytes.flatMap { $0.isEmpty ? nil : $0 } ?? Array(text.utf8)
      probability = exp(logarithm)
    }
  }

  /// The tokens that were written, each with those that could have been in its place.
  private let steps: [(token: Candidate, rivals: [Candidate])]

  /// - Parameter tokens: `logprobs.content` of Chat Completions, of the whole answer.
  init(_ tokens: [GeneratedContent]) {
    steps = tokens.compactMap { content in
      Candidate(content).map { token in
        let rivals = (content["top_logprobs"]?.asList ?? []).compactMap(Candidate.init)
        return (token, rivals.filter { $0.bytes != token.bytes })
      }
    }
  }

  /// The measures of a value's enumerations and booleans, in their order; none where the tokens are not
  /// those of the value.
  ///
  /// - Parameters:
  ///   - value: The value as JSON, as it stands in the answer.
  ///   - schema: Its JSON Schema.
  func measures(of value: [UInt8], schema: GeneratedContent) -> [ValueProbability] {
    let written = steps.flatMap(\.token.bytes)
    guard !value.isEmpty, let start = Self.lastPlace(of: value, in: written) else { return [] }
    var first = 0
    var end = 0
    return ValueCases(value, schema: schema).leaves.filter { $0.cases.count > 1 }.map { leaf in
      // The token that has the first byte of the value.
      while first < steps.count,
        end + steps[first].token.bytes.count <= start + leaf.range.lowerBound
      {
        end += steps[first].token.bytes.count
        first += 1
      }
      let before = written[end..<(start + leaf.range.lowerBound)]
      return measure(of: leaf, texts: leaf.cases.map { before + Array($0.utf8) }, from: first)
    }
  }

  /// - Parameter texts: The cases, each with what the first token has before the value.
  private func measure(
    of leaf: ValueCases.Leaf, texts: [[UInt8]], from first: Int
  ) -> ValueProbability {
    var shares = Array(repeating: 0.0, count: texts.count)
    var alive = Array(texts.indices)
    var mass = 1.0
    var entropy = 0.0
    var written: [UInt8] = []
    for step in steps[first...] where alive.count > 1 {
      let options = ([step.token] + step.rivals).map { candidate in
        let text = written + candidate.bytes
        return (candidate, alive.filter { Self.canBe(texts[$0], text) })
      }.filter { !$0.1.isEmpty }
      let sum = options.reduce(0) { $0 + $1.0.probability }
      guard let chosen = options.first, sum > 0 else { break }
      if options.count > 1, entropy == 0 {
        entropy = options.reduce(0) { bits, option in
          let share = option.0.probability / sum
          return share > 0 ? bits - share * log2(share) : bits
        }
      }
      // How the others would have gone on is not known where several cases begin so.
      for (rival, cases) in options.dropFirst() {
        for index in cases {
          shares[index] += mass * rival.probability / sum / Double(cases.count)
        }
      }
      mass *= chosen.0.probability / sum
      alive = chosen.1
      written += step.token.bytes
    }
    for index in alive { shares[index] += mass / Double(alive.count) }
    let cases = zip(leaf.cases, shares).compactMap { json, share in
      (try? GeneratedContent(json: json)).map {
        ValueProbability.Case(value: $0, probability: share)
      }
    }
    let text = leaf.value.jsonString
    return ValueProbability(
      path: leaf.path, value: leaf.value,
      probability: cases.first { $0.value.jsonString == text }?.probability ?? 0,
      entropy: entropy, cases: cases.sorted { $0.probability > $1.probability })
  }

  /// Whether a text that was begun can become a case, or is one with what follows it.
  private static func canBe(_ text: [UInt8], _ begun: [UInt8]) -> Bool {
    begun.count < text.count ? text.starts(with: begun) : begun.starts(with: text)
  }

  private static func lastPlace(of part: [UInt8], in whole: [UInt8]) -> Int? {
    guard part.count <= whole.count else { return nil }
    return (0...(whole.count - part.count)).reversed().first { whole[$0...].starts(with: part) }
  }
}
