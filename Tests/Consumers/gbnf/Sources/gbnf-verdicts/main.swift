// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

// Reads lines of `{"grammar": GBNF, "texts": [TEXT]}` and writes for each a line of
// `{"error": MESSAGE OR NULL, "verdicts": ["complete" | "possible" | "refused"]}`.

struct Question: Decodable {
  var grammar: String
  var texts: [String]
}

struct Answer: Encodable {
  var error: String?
  var verdicts: [String] = []
}

func answer(_ question: Question) -> Answer {
  do {
    let grammar = try Grammar(gbnf: question.grammar)
    return Answer(
      verdicts: question.texts.map { text in
        var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
        guard (try? matcher.accept(bytes: text.utf8)) != nil else { return "refused" }
        return matcher.canEnd() ? "complete" : "possible"
      })
  } catch {
    return Answer(error: error.description)
  }
}

while let line = readLine() {
  let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
  print(String(decoding: try JSONEncoder().encode(answer(question)), as: UTF8.self))
}
