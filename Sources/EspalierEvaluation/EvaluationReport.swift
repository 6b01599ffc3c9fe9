// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
public import EspalierCore

/// How many of a model's answers are right, and what they took.
public struct EvaluationReport: Sendable {
  /// One case and what was answered to it.
  public struct Result: Sendable {
    /// The case.
    public var item: EvaluationCase
    /// The answer.
    public var answer: Evaluation.Answer

    /// Creates a result.
    public init(item: EvaluationCase, answer: Evaluation.Answer) {
      self.item = item
      self.answer = answer
    }

    /// Whether the whole value is what was expected.
    public var isRight: Bool { item.expected.accepts(answer.content) }

    /// The fields that are not right.
    package var wrongFields: [ExpectedValue.Field] {
      item.expected.fields(in: answer.content).filter { !$0.isRight }
    }
  }

  /// How often a field was right.
  public struct FieldCount: Sendable, Equatable {
    /// Where the field is: `guest`, `stops[].city`.
    public var path: String
    /// How often it was right.
    public var right: Int
    /// How often it was expected, or was in an answer without being expected.
    public var total: Int
  }

  /// The cases, in their order.
  public let results: [Result]
  /// How many answers are values of the schema.
  public let validCount: Int
  /// The fields, in the order in which they first come.
  public let fields: [FieldCount]

  /// Counts.
  public init(schema: GenerationSchema, results: [Result]) {
    self.results = results
    let grammar = try? Grammar(jsonSchema: schema.jsonSchema(), options: .validation)
    validCount =
      results.filter { result in
        guard let grammar, let content = result.answer.content else { return false }
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        return (try? matcher.accept(bytes: content.jsonString.utf8)) != nil && matcher.canEnd()
      }.count
    var counts: [FieldCount] = []
    var places: [String: Int] = [:]
    for result in results {
      for field in result.item.expected.fields(in: result.answer.content) {
        let place = places[field.path] ?? counts.count
        if place == counts.count {
          places[field.path] = place
          counts.append(FieldCount(path: field.path, right: 0, total: 0))
        }
        counts[place].total += 1
        if field.isRight { counts[place].right += 1 }
      }
    }
    fields = counts
  }

  /// How many fields are right.
  public var rightFieldCount: Int { fields.reduce(0) { $0 + $1.right } }
  /// How many fields there are.
  public var fieldCount: Int { fields.reduce(0) { $0 + $1.total } }
  /// How many values are right from beginning to end.
  public var rightCount: Int { results.filter(\.isRight).count }
  /// The share of fields that are right, from 0 to 1.
  public var fieldAccuracy: Double {
    fieldCount == 0 ? 0 : Double(rightFieldCount) / Double(fieldCount)
  }
  /// How many tokens were written.
  public var tokenCount: Int { results.reduce(0) { $0 + $1.answer.tokenCount } }
  /// The share of tokens for which the model was not asked, from 0 to 1; nil where nobody says.
  public var savedCallShare: Double? {
    let known = results.filter { $0.answer.modelCalls != nil && $0.answer.tokenCount > 0 }
    guard !known.isEmpty else { return nil }
    let calls = known.reduce(0) { $0 + ($1.answer.modelCalls ?? 0) }
    return 1 - Double(calls) / Double(known.reduce(0) { $0 + $1.answer.tokenCount })
  }

  /// The duration that so many of the answers did not exceed.
  ///
  /// - Parameter share: From 0 to 1; 0.5 is the median.
  public func duration(atShare share: Double) -> Duration {
    let sorted = results.map(\.answer.duration).sorted()
    guard !sorted.isEmpty else { return .zero }
    return sorted[min(sorted.count - 1, max(0, Int(share * Double(sorted.count))))]
  }
}
