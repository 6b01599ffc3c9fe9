// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

// Reads lines of `{"pattern": PATTERN, "texts": [JSON STRING AS TEXT]}` and writes for each a line of
// `{"error": MESSAGE OR NULL, "verdicts": [BOOL]}`: whether the string, in this spelling, has a match.

struct Question: Decodable {
  var pattern: String
  var texts: [String]
}

struct Answer: Encodable {
  var error: String?
  var verdicts: [Bool] = []
}

func answer(_ question: Question) -> Answer {
  do {
    let schema = try JSONSerialization.data(
      withJSONObject: ["type": "string", "pattern": question.pattern])
    let grammar = try Grammar(
      jsonSchema: String(decoding: schema, as: UTF8.self), options: .validation)
    return Answer(
      verdicts: question.texts.map { text in
        var validator = StreamValidator(grammar: grammar)
        validator.append(text)
        return validator.finish() == .complete
      })
  } catch let error as GrammarError {
    return Answer(error: error.description)
  } catch {
    return Answer(error: "\(error)")
  }
}

while let line = readLine() {
  let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
  print(String(decoding: try JSONEncoder().encode(answer(question)), as: UTF8.self))
}
