// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import Foundation

extension GuidedResponse {
  /// How sure the model is of each value that it has just written.
  mutating func probabilities(
    of schema: GenerationSchema, _ grammar: Grammar
  ) throws -> [ValueProbability] {
    let vocabulary = runtime.base.vocabulary
    let (tokens, steps) = generation.lastPart
    let bytes = tokens.flatMap { vocabulary.bytes(of: $0) }
    let leaves = ValueCases(bytes, schema: try schema.jsonContent(dialect: .draft2020)).leaves
    let read = generation.sequence
    let start = read.count - tokens.count
    var context = generation.context
    var measures: [ValueProbability] = []
    var index = 0
    var end = 0
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    for leaf in leaves {
      // The token that has the first byte of the value, or is the whole of what comes before it.
      while index < tokens.count,
        end + vocabulary.bytes(of: tokens[index]).count <= leaf.range.lowerBound
      {
        end += vocabulary.bytes(of: tokens[index]).count
        try matcher.accept(tokens[index])
        index += 1
      }
      var measure = ValueProbability(
        path: leaf.path, value: leaf.value, probability: 1, entropy: 0)
      var place = end
      var hadChoice = false
      for (offset, token) in tokens[index...].enumerated() where place < leaf.range.upperBound {
        if let step = steps[index + offset] {
          measure.probability *= step.probability
          if !hadChoice { measure.entropy = step.entropy }
          hadChoice = true
        }
        place += vocabulary.bytes(of: token).count
      }
      if leaf.cases.count > 1 {
        context.rollback(to: min(context.tokens.count, start + index - 1))
        try context.append(Array(read[context.tokens.count..<(start + index)]))
        let before = bytes[end..<leaf.range.lowerBound]
        var probe = try CaseProbe(
          context: context, matcher: matcher, vocabulary: vocabulary,
          endTokens: runtime.base.endTokens, texts: leaf.cases.map { before + Array($0.utf8) })
        let weights = try probe.probabilities()
        measure.cases = zip(leaf.cases, weights).compactMap { json, weight in
          (try? GeneratedContent(json: json)).map { .init(value: $0, probability: weight) }
        }.sorted { $0.probability > $1.probability }
        measure.probability =
          measure.cases.first { $0.value.jsonString == leaf.value.jsonString }?.probability
          ?? measure.probability
      }
      measures.append(measure)
    }
    return measures
  }
}
