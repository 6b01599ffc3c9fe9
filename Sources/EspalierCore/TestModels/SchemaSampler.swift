import ConstrainedDecoding

// How a value is drawn. The matcher says which tokens may come; among them, one is drawn by weight.
// The weights make values look plausible and end soon:
//
//     in a string      whole words first, with spaces between them; the closing quotation mark
//                      grows more likely with every character, until hardly anything else is drawn
//     in a number      the more digits there are, the more likely the end
//     elsewhere        what closes an array or an object grows more likely with the whole length
//
// A grammar may want more than that (a long minimum, a rare character): then only what it allows is
// drawn, and beyond a length the shortest way to the end is taken.

/// Draws values of a grammar.
struct SchemaSampler: Sendable {
  /// What strings are held to; plain text where nil.
  var grammar: Grammar?
  var typicalStringLength: Int
  var tokenLimit: Int?

  func start() -> Run { Run(sampler: self) }

  /// One value on its way.
  struct Run {
    private let sampler: SchemaSampler
    private var matcher: Matcher?
    private var tokenCount = 0
    private var byteCount = 0
    /// How many bytes the string or number that is being written has.
    private var scalarLength = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether a string has just got a letter, after which a word begins with a space.
    private var isInWord = false
    private var depth = 0
    private var closing: [UInt8]?

    init(sampler: SchemaSampler) {
      self.sampler = sampler
      matcher = sampler.grammar.map {
        Matcher(grammar: $0, vocabulary: SamplingVocabulary.vocabulary)
      }
    }

    /// The bytes of the next token, or of several where one is a part of a character; nil where the
    /// value has ended.
    mutating func next(using generator: inout SplitMix64) throws -> [UInt8]? {
      guard var bytes = try nextToken(using: &generator) else { return nil }
      while bytes.endsInsideCharacter, let more = try nextToken(using: &generator) {
        bytes += more
      }
      return bytes
    }

    private mutating func nextToken(using generator: inout SplitMix64) throws -> [UInt8]? {
      guard matcher != nil else { return plainText(using: &generator) }
      if closing != nil { return nextClosing() }
      // What neither the weights nor the schema end, the shortest completion does.
      if byteCount > 8_000 {
        closing = matcher?.shortestCompletion()
        return nextClosing()
      }
      guard let token = try draw(using: &generator) else { return nil }
      let vocabulary = SamplingVocabulary.vocabulary
      if token == vocabulary.endOfSequence { return nil }
      try matcher?.accept(token)
      let bytes = vocabulary.bytes(of: token)
      note(bytes)
      return bytes
    }

    /// The next byte of the shortest completion.
    private mutating func nextClosing() -> [UInt8]? {
      guard let first = closing?.first else { return nil }
      closing?.removeFirst()
      return [first]
    }

    private mutating func draw(using generator: inout SplitMix64) throws -> Int? {
      let mask: TokenMask?
      if let limit = sampler.tokenLimit.map({ max(0, $0) }) {
        mask = matcher?.allowedTokens(within: max(0, limit - tokenCount))
      } else {
        mask = matcher?.allowedTokens()
      }
      if let limit = matcher?.reachedLimit { throw GrammarError(diagnostics: [limit]) }
      guard let mask, mask.count > 0 else { return nil }
      var tokens: [Int] = []
      var bounds: [UInt64] = []
      var total: UInt64 = 0
      for token in mask.tokens {
        total += weight(of: token)
        tokens.append(token)
        bounds.append(total)
      }
      guard total > 0 else { return tokens.randomElement(using: &generator) }
      let target = UInt64.random(in: 0..<total, using: &generator)
      return bounds.firstIndex { $0 > target }.map { tokens[$0] }
    }

    private func weight(of token: Int) -> UInt64 {
      let kind = SamplingVocabulary.kinds[token]
      // Squared below; nothing is longer than the shortest way to an end leaves it.
      let typical = min(max(1, sampler.typicalStringLength), 1 << 20)
      // Types that contain themselves must not grow faster than they end.
      let hurry = UInt64(1 + byteCount / 100) << UInt64(min(depth, 12))
      if isInString {
        let pressure = UInt64(min(scalarLength * scalarLength * 40 / (typical * typical), 100_000))
        return switch kind {
        case .quotationMark, .stringEnd: 1 + pressure * 100
        case .word: isInWord ? 2 : 60
        case .spacedWord: isInWord ? 60 : 2
        case .letter: 8
        case .space: 12
        case .digit: 3
        case .punctuation: 1
        case .structure, .closing, .end: 1
        case .rare, .byte: 0
        }
      }
      return switch kind {
      case .end, .closing: 40 * hurry * UInt64(1 + min(scalarLength, 8))
      case .structure: 40 * UInt64(1 + min(scalarLength, 8))
      case .digit: 12
      case .quotationMark: 60
      case .letter, .word: 20
      case .punctuation: 4
      case .stringEnd, .spacedWord: 1
      case .space, .byte, .rare: 0
      }
    }

    private mutating func note(_ bytes: [UInt8]) {
      tokenCount += 1
      byteCount += bytes.count
      for byte in bytes {
        if isInString {
          scalarLength += 1
          isInWord = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
            scalarLength = 0
          }
        } else if byte == UInt8(ascii: "\"") {
          isInString = true
          isInWord = false
          scalarLength = 0
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          depth += 1
          scalarLength = 0
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          depth -= 1
          scalarLength = 0
        } else if byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
          scalarLength += 1
        } else if byte != UInt8(ascii: ".") {
          scalarLength = 0
        }
      }
    }

    /// Words, where there is no schema.
    private mutating func plainText(using generator: inout SplitMix64) -> [UInt8]? {
      let limit = min(sampler.tokenLimit ?? .max, 12 + Int(generator.next() % 24))
      guard tokenCount < limit else { return nil }
      let words = SamplingVocabulary.words
      let word = words[Int(generator.next() % UInt64(words.count))]
      defer { tokenCount += 1 }
      return Array((tokenCount == 0 ? word.capitalizedFirst : " " + word).utf8)
    }
  }
}

extension [UInt8] {
  /// Whether the bytes end in the middle of a character of UTF-8.
  fileprivate var endsInsideCharacter: Bool {
    for (index, byte) in reversed().prefix(4).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return index + 1 < length
    }
    return false
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
