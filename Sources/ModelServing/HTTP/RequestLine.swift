// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Synchronization

/// How an answer ended, once it has, for the log.
final class AnswerRecord: Sendable {
  private let stored = Mutex<(end: ServedEnd?, problem: ServeProblem?)>((nil, nil))

  var end: ServedEnd? {
    get { stored.withLock { $0.end } }
    set { stored.withLock { $0.end = newValue } }
  }

  /// What went wrong after the head was sent.
  var problem: ServeProblem? {
    get { stored.withLock { $0.problem } }
    set { stored.withLock { $0.problem = newValue } }
  }
}

/// A line for each request, of words and values that can be searched for. Nothing of what was said is
/// in it.
struct RequestLine: CustomStringConvertible {
  var client: String
  /// The head; nil where it could not be read.
  var head: RequestHead?
  var status: Int
  var duration: Duration
  var problem: ServeProblem?
  var end: ServedEnd?
  var description: String {
    var parts = [
      "client=\(client)", "method=\(Self.word(head?.method ?? "-"))",
      "path=\(Self.word(head?.path ?? "-"))", "status=\(status)",
      "seconds=\(Self.seconds(duration))",
    ]
    if let end {
      parts += [
        "input_tokens=\(end.input)", "cached_tokens=\(end.cachedInput)",
        "output_tokens=\(end.output)", "finish=\(end.reason.rawValue)",
      ]
    }
    if let problem {
      if let code = problem.code { parts.append("code=\(Self.word(code))") }
      if let place = problem.place, !place.isEmpty { parts.append("param=\(Self.word(place))") }
      // What a model or the system says, not what was asked.
      if problem.status >= 500 {
        parts.append("error=\(String(problem.message.prefix(400)).generatedContent.jsonString)")
      }
    }
    return parts.joined(separator: " ")
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let thousandths = String(attoseconds / 1_000_000_000_000_000)
    return
      "\(seconds).\(String(repeating: "0", count: max(0, 3 - thousandths.count)))\(thousandths)"
  }

  /// A text from outside, as one word of a line.
  private static func word(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(200) {
      // Whoever asks decides about the bytes, and is not to write lines of their own.
      result.append((0x21...0x7E).contains(scalar.value) ? scalar : "?")
    }
    return String(result)
  }
}
