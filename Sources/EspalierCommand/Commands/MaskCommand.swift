// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal

/// `espalier mask`: what may follow a prefix.
struct MaskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mask",
    abstract: "Say which tokens may follow a prefix of a value, and why not another text.",
    discussion: """
      Without --vocabulary or --model the tokens are the single bytes. Example:

        espalier mask person.json --prefix '{"age":1' --text 7
      """)

  @OptionGroup var input: GrammarArgument
  @Option(help: "What has been written so far.") var prefix = ""
  @Option(help: "A text that might follow: may it, and if not, from where on?") var text: String?
  @OptionGroup var tokens: VocabularyArgument
  @Option(help: "The greatest number of tokens to list.") var limit = 20
  @Option(help: "generation or validation.") var policy = Policy.generation
  @OptionGroup var whiteSpace: WhiteSpaceChoice
  @OptionGroup var limits: LimitArgument
  @Flag(help: "Report as JSON.") var json = false

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit is at least 0; found \(limit)") }
  }

  func run() throws {
    let file = try tokens.model.map { try ModelChoice.file($0) }
    let grammar = try input.grammar(
      policy: policy, whiteSpace: whiteSpace.choice(model: tokens.model, policy: policy),
      limits: limits, tokenOfText: file.map { $0.token(ofText:) })
    let vocabulary = try tokens.tokens(of: file)
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    do {
      try matcher.accept(bytes: prefix.utf8)
    } catch {
      let place = SourcePlace(bytes: Array(prefix.utf8), offset: error.offset)
      let caret = "\n\(place.excerpt)\n\(String(repeating: " ", count: place.caretColumn))^"
      throw Failure.no.report(
        error.problem(of: input.notation) + (error.limit == nil ? caret : ""))
    }
    let question: Question?
    do throws(MatcherError) {
      question = try text.map { text throws(MatcherError) in
        try Question(text: text, after: prefix, grammar: grammar)
      }
      if json { try writeJSON(&matcher, question) } else { try write(&matcher, question) }
    } catch {
      throw Failure.no.report(error.problem(of: input.notation))
    }
    if question?.refusal != nil { throw Failure.no.exit }
  }

  /// Whether a text may follow.
  private struct Question {
    let text: String
    /// How many of its bytes may follow, and what may in place of the next; nil where all may.
    let refusal: (offset: Int, message: String, expected: String)?

    /// - Throws: The limit that leaves it undecided, if one does.
    init(text: String, after prefix: String, grammar: Grammar) throws(MatcherError) {
      self.text = text
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      do {
        try matcher.accept(bytes: prefix.utf8)
        try matcher.accept(bytes: text.utf8)
        refusal = nil
      } catch {
        if error.limit != nil { throw error }
        // The matcher is still where it was before the text.
        try? matcher.accept(bytes: text.utf8.prefix(error.offset))
        refusal = (error.offset, error.message, matcher.expectedBytes)
      }
    }
  }

  private func write(_ matcher: inout Matcher, _ question: Question?) throws(MatcherError) {
    let mask = matcher.allowedTokens()
    let total = matcher.vocabulary.count
    let forced = matcher.forcedBytes().shown()
    let completion = String(decoding: matcher.shortestCompletion(), as: UTF8.self)
    try matcher.checkLimit()
    Terminal.writeLine("\(mask.count) of \(total) tokens may follow.")
    if !forced.isEmpty { Terminal.writeLine("Forced: \(forced)") }
    if matcher.canEnd() { Terminal.writeLine("The value may end here.") }
    if !completion.isEmpty { Terminal.writeLine("Shortest completion: \(completion)") }
    let shown = mask.tokens.prefix(limit).map { matcher.vocabulary.shownText(of: $0) }
    if !shown.isEmpty {
      let rest = mask.count > shown.count ? " … \(mask.count - shown.count) more" : ""
      Terminal.writeLine("Tokens: " + shown.joined(separator: " ") + rest)
    }
    guard let question else { return }
    if let refusal = question.refusal {
      let after = String(decoding: question.text.utf8.prefix(refusal.offset), as: UTF8.self)
      Terminal.writeLine(
        "\(Terminal.styled("Not allowed", .red)): \(question.text)\n"
          + "After `\(prefix)\(after)` comes one of: \(refusal.expected)")
    } else {
      Terminal.writeLine("\(Terminal.styled("Allowed", .green)): \(question.text)")
    }
  }

  private func writeJSON(_ matcher: inout Matcher, _ question: Question?) throws(MatcherError) {
    let mask = matcher.allowedTokens()
    var members: [(String, any ConvertibleToGeneratedContent)] = [
      ("count", mask.count), ("vocabulary", matcher.vocabulary.count),
      ("tokens", Array(mask.tokens.prefix(limit))),
      ("forced", String(decoding: matcher.forcedBytes(), as: UTF8.self)),
      ("canEnd", matcher.canEnd()),
      ("shortestCompletion", String(decoding: matcher.shortestCompletion(), as: UTF8.self)),
    ]
    try matcher.checkLimit()
    if let question {
      members.append(("allowed", question.refusal == nil))
      if let refusal = question.refusal {
        members += [("offset", refusal.offset), ("expected", refusal.expected)]
      }
    }
    let report = GeneratedContent(properties: members, uniquingKeysWith: { $1 })
    Terminal.writeLine(report.jsonString)
  }
}

extension Matcher {
  /// The bytes that may come next, as ranges of characters.
  fileprivate var expectedBytes: String {
    var matcher = self
    var ranges: [ClosedRange<Int>] = []
    for byte in matcher.allowedTokens().tokens where byte < 256 {
      if let last = ranges.last, last.upperBound + 1 == byte {
        ranges[ranges.count - 1] = last.lowerBound...byte
      } else {
        ranges.append(byte...byte)
      }
    }
    func name(_ byte: Int) -> String {
      switch byte {
      case 0x20: "space"
      case 0x21...0x7E: String(UnicodeScalar(UInt8(byte)))
      default: "0x" + String(byte, radix: 16, uppercase: true)
      }
    }
    var names = ranges.map { range in
      range.count > 2
        ? "\(name(range.lowerBound))–\(name(range.upperBound))"
        : range.map(name).joined(separator: " ")
    }
    if matcher.canEnd() { names.append("the end") }
    return names.joined(separator: " ")
  }
}

extension Vocabulary {
  /// A token as a person reads it.
  fileprivate func shownText(of token: Int) -> String {
    if token == endOfSequence { return "<end>" }
    return bytes(of: token).shownInQuotes
  }
}
