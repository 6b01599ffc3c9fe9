// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

// How a value is drawn. The matcher says which tokens may come; among them, one is drawn by weight.
// The weights make values look plausible and end soon:
//
//     in a string      one of few texts, where it can be no other (`SchemaSampler+Cases`); else one
//                      that fits the name of the field (`SampleTexts`); where the schema allows none,
//                      words with spaces between them, and the closing quotation mark
//                      grows more likely with every character, until hardly anything else is drawn
//     in a number      the more digits there are, the more likely the end or a fraction; at most 200
//                      digits, and two in an exponent, so that a double holds it
//     elsewhere        what closes an array or an object grows more likely with the whole length
//
// A grammar may want more than that (a long minimum, a rare character): then only what it allows is
// drawn, and beyond a length the shortest way to the end is taken. For some schemas (several `not`
// that have to be met together) no way to the end is known: there the length is a limit, and an error.

/// Draws values of a grammar.
struct SchemaSampler: Sendable {
  /// What strings are held to; plain text where nil.
  var grammar: Grammar?
  var typicalStringLength: Int
  /// Whether strings get a text that suits their field, where one is allowed.
  var drawsFittingTexts = true
  var tokenLimit: Int?

  func start() -> Run { Run(sampler: self) }

  /// One value on its way.
  struct Run {
    private let sampler: SchemaSampler
    private var matcher: Matcher?
    private var tokenCount = 0
    /// What is left of a value that was drawn as a whole.
    private var ready: ArraySlice<[UInt8]>?
    /// How many tokens a shortest completion has, where that is known: it takes long to find out.
    private var completionCount: Int?
    private var byteCount = 0
    private var usualLength = Run.usualLength
    /// How many bytes the string or number that is being written has.
    private var scalarLength = 0
    /// How many digits the exponent of the number that is being written has, if it has one.
    private var exponentLength: Int?
    private var isInString = false
    private var isEscaped = false
    /// Whether a string has just got a letter, after which a word begins with a space.
    private var isInWord = false
    /// Whether the last word was one that joins others, such as `of`.
    private var isJoining = false
    private var depth = 0
    /// The brackets that are open, and the last mark outside strings.
    private var brackets: [UInt8] = []
    private var lastMark: UInt8 = 0
    /// Whether a string that begins here is a key.
    private var isAtKey: Bool {
      brackets.last == UInt8(ascii: "{") && lastMark != UInt8(ascii: ":")
    }
    private var closing: [UInt8]?
    /// The bytes of the string that is being written, or of the last one.
    private var string: [UInt8] = []
    /// The name of the field that is being written.
    private var field = ""
    /// What is left of a text that was chosen, word by word.
    private var chosen: ArraySlice<[UInt8]> = []
    private var used: Set<String> = []
    /// The day of the last time that was written.
    private var day: Int?

    init(sampler: SchemaSampler) {
      self.sampler = sampler
      matcher = sampler.grammar.map {
        Matcher(grammar: $0, vocabulary: SamplingVocabulary.vocabulary)
      }
    }

    /// The bytes of the next token, or of several where one is a part of a character; nil where the
    /// value has ended.
    mutating func next(using generator: inout SplitMix64) throws -> [UInt8]? {
      if tokenCount == 0, ready == nil { ready = valueWithinLimit(generator) }
      if ready != nil { return ready?.popFirst() }
      guard var bytes = try nextToken(using: &generator) else { return nil }
      while bytes.endsInsideCharacter, let more = try nextToken(using: &generator) {
        bytes += more
      }
      return bytes
    }

    /// The pieces of the value that is drawn without a limit, if it has no more tokens than that: then
    /// the limit changes nothing.
    private func valueWithinLimit(_ generator: SplitMix64) -> ArraySlice<[UInt8]>? {
      guard let limit = sampler.tokenLimit, var matcher,
        matcher.completionTokenCount(within: limit) <= limit
      else { return nil }
      var generator = generator
      var unlimited = sampler
      unlimited.tokenLimit = nil
      var run = unlimited.start()
      var pieces: ArraySlice<[UInt8]> = []
      do {
        while let piece = try run.next(using: &generator) {
          try Task.checkCancellation()
          pieces.append(piece)
          if run.tokenCount > limit { return nil }
        }
        return pieces
      } catch {
        // What went wrong is told where the value is drawn within the limit.
        return nil
      }
    }

    private mutating func nextToken(using generator: inout SplitMix64) throws -> [UInt8]? {
      guard matcher != nil else { return plainText(using: &generator) }
      if closing != nil { return nextClosing() }
      // What neither the weights nor the schema end, the shortest completion does.
      if byteCount > usualLength {
        closing = matcher?.shortestCompletion()
        if closing?.isEmpty == false || matcher?.canEnd() == true { return nextClosing() }
        // A string of 100,000 characters at least has no completion that is looked for yet.
        closing = nil
        usualLength = byteCount + Self.usualLength
        if byteCount > Self.lengthLimit { throw Self.limitReached(Self.lengthLimit, "bytes") }
      }
      if isInString, scalarLength == 0, chosen.isEmpty {
        if let needed = matcher?.neededCharacters(), needed > Self.lengthLimit {
          throw Self.tooLong(needed)
        }
        choose(using: &generator)
      }
      if let word = chosen.popFirst() {
        try matcher?.accept(bytes: word)
        note(word)
        return word
      }
      if let end = stringEnd() {
        chosen = [end]
        return try nextToken(using: &generator)
      }
      guard let token = try draw(using: &generator) else { return nil }
      let vocabulary = SamplingVocabulary.vocabulary
      if token == vocabulary.endOfSequence { return nil }
      try matcher?.accept(token)
      let bytes = vocabulary.bytes(of: token)
      note(bytes)
      isJoining = isInString && SamplingVocabulary.joins[token]
      return bytes
    }

    /// Chooses texts for the field that the schema allows, if there are any.
    private mutating func choose(using generator: inout SplitMix64) {
      // Within a budget each token is looked at.
      guard sampler.tokenLimit == nil else { return }
      if !isAtKey, let matcher, let cases = SchemaSampler.cases(after: matcher),
        let text = SchemaSampler.draw(from: cases, after: matcher, depth: depth, using: &generator)
      {
        chosen = SchemaSampler.pieces(of: text)[...] + [[UInt8(ascii: "\"")]]
        return
      }
      guard sampler.drawsFittingTexts else { return }
      if let keys = matcher?.nextKeys(), keys.takesOthers,
        let key = keys.declared.first(where: \.isPlain)
      {
        chosen = [key + [UInt8(ascii: "\"")]]
        return
      }
      let own = isAtKey ? SampleTexts.keys : SampleTexts.texts(forField: field)
      for texts in [own, SampleTexts.anything] {
        let texts = texts.shuffled(using: &generator)
        if choose(from: texts.filter { !used.contains($0) } + texts.filter { used.contains($0) }) {
          return
        }
      }
      // One by one: a text that may begin with one of them may not go on with another.
      let run = self
      func fits(_ text: String) -> Bool {
        var run = run
        return run.choose(from: [text])
      }
      var fitting = SampleTexts.addresses.filter(fits)
      let takesWords = SamplingVocabulary.words.prefix(8).contains(where: fits)
      if fitting.isEmpty, !takesWords { fitting = SampleTexts.inOtherScripts.filter(fits) }
      // What may be a word is no time, however short it has to be.
      if fitting.isEmpty, !takesWords {
        var drawing = generator
        var later = day ?? SampleTexts.firstDay + Int.random(in: 0..<300, using: &drawing)
        fitting = SampleTexts.drawn(after: &later, using: &drawing).filter(fits)
        if !fitting.isEmpty { (generator, day) = (drawing, later) }
      }
      if let text = fitting.randomElement(using: &generator) { _ = choose(from: [text]) }
    }

    /// Chooses the first text that may stand in the string, and more where it may not end there.
    private mutating func choose(from texts: [String]) -> Bool {
      guard var after = matcher else { return false }
      let typical = min(max(1, sampler.typicalStringLength), 1 << 20)
      var text = ""
      // A text that has to be long says things again.
      for next in (0..<8).flatMap({ _ in texts }) where next.utf8.count <= 2 * typical {
        let more = text.isEmpty ? next : " " + next
        var longer = after
        guard longer.acceptIfAllowed(Array(more.utf8)) else { continue }
        text += more
        after = longer
        guard longer.acceptIfAllowed([UInt8(ascii: "\"")]) else { continue }
        chosen = SchemaSampler.pieces(of: Array(text.utf8))[...] + [[UInt8(ascii: "\"")]]
        used.insert(next)
        return true
      }
      return false
    }

    /// The shortest end of a string that has become longer than texts are, where it is a short one: of
    /// a pattern such as `\d+\.\d+` the draw rarely meets the character that leads on.
    private mutating func stringEnd() -> [UInt8]? {
      let typical = min(max(8, sampler.typicalStringLength), 1 << 20)
      guard isInString, !isEscaped, scalarLength > 2 * typical, sampler.tokenLimit == nil,
        let completion = matcher?.shortestCompletion(),
        let quote = completion.firstIndex(of: UInt8(ascii: "\"")), quote <= typical,
        !completion[..<quote].contains(UInt8(ascii: "\\"))
      else { return nil }
      return Array(completion[...quote])
    }

    /// The next byte of the shortest completion.
    private mutating func nextClosing() -> [UInt8]? {
      guard let first = closing?.first else { return nil }
      closing?.removeFirst()
      return [first]
    }

    private mutating func draw(using generator: inout SplitMix64) throws -> Int? {
      guard let limit = sampler.tokenLimit.map({ max(0, $0) }) else {
        return try draw(from: matcher?.allowedTokens(), using: &generator)
      }
      let remaining = max(0, limit - tokenCount)
      let needed = completionCount ?? matcher?.completionTokenCount(within: remaining) ?? 0
      completionCount = nil
      // As a model does: an error before the first byte, never half a value or more than was asked for.
      if needed > remaining, tokenCount == 0, needed < .max {
        throw Self.tooShort(limit, needed: needed)
      }
      if remaining == 0, needed == .max { throw Self.limitReached(limit, "tokens") }
      // To look at what each token leads to takes long: only the one that is drawn is looked at,
      // until little room is left or one does not fit.
      let before = generator
      if needed < remaining - 2 || needed == .max,
        let token = try draw(from: matcher?.allowedTokens(), using: &generator)
      {
        guard token != SamplingVocabulary.vocabulary.endOfSequence, needed < .max else {
          return token
        }
        var after = matcher
        try after?.accept(token)
        completionCount = after?.completionTokenCount(within: remaining - 1)
        if completionCount ?? 0 < remaining { return token }
        completionCount = nil
        generator = before
      }
      return try draw(from: matcher?.allowedTokens(within: remaining), using: &generator)
    }

    /// After so many bytes a value is brought to its end, where one is known.
    private static var usualLength: Int { 8_000 }
    static var lengthLimit: Int { 1_000_000 }

    private mutating func draw(
      from mask: TokenMask?, using generator: inout SplitMix64
    ) throws -> Int? {
      if let limit = matcher?.reachedLimit { throw GrammarError(diagnostics: [limit]) }
      guard let mask, mask.count > 0 else { return nil }
      var tokens: [Int] = []
      var bounds: [UInt64] = []
      var total: UInt64 = 0
      let declaring = mask.tokens.filter { !leadsToUndeclaredKey($0) }
      for token in declaring.isEmpty ? Array(mask.tokens) : declaring {
        total += weight(of: token)
        tokens.append(token)
        bounds.append(total)
      }
      guard total > 0 else { return tokens.randomElement(using: &generator) }
      let target = UInt64.random(in: 0..<total, using: &generator)
      return bounds.firstIndex { $0 > target }.map { tokens[$0] }
    }

    /// Whether a key has to come after a token that its object does not declare. An open object allows
    /// any, and whoever looks at a sample of it wants to see those that it speaks of.
    private func leadsToUndeclaredKey(_ token: Int) -> Bool {
      guard sampler.drawsFittingTexts, sampler.tokenLimit == nil,
        SamplingVocabulary.leadsToKeys[token]
          || SamplingVocabulary.kinds[token] == .quotationMark && !isInString
      else { return false }
      var after = matcher
      guard (try? after?.accept(token)) != nil, let keys = after?.nextKeys() else { return false }
      return keys.declared.isEmpty
    }

    private func weight(of token: Int) -> UInt64 {
      let kind = SamplingVocabulary.kinds[token]
      // Squared below; nothing is longer than the shortest way to an end leaves it.
      let typical = min(max(1, sampler.typicalStringLength), 1 << 20)
      // Types that contain themselves must not grow faster than they end.
      let hurry = UInt64(1 + byteCount / 300) << UInt64(max(min(depth, 1), min(depth, 14) - 2))
      if isInString {
        let pressure = UInt64(min(scalarLength * scalarLength * 40 / (typical * typical), 100_000))
        let joins = SamplingVocabulary.joins[token]
        return switch kind {
        case .quotationMark, .stringEnd: isJoining ? 1 : 1 + pressure * 100
        case .capitalizedWord: scalarLength == 0 && !joins ? 20_000 : 0
        case .word: isInWord ? 0 : scalarLength == 0 && joins ? 10 : 1000
        case .spacedWord: !isInWord ? 0 : joins ? (isJoining ? 40 : 1000) : isJoining ? 1000 : 400
        case .fullStop: isJoining ? 0 : isInWord ? pressure * 10 : 6
        // Drawn where the schema wants more than words, and rarely elsewhere.
        case .letter, .space, .digit, .punctuation: isInWord ? 0 : 1
        case .structure, .closing, .end, .literal, .rare, .byte: 0
        }
      }
      if scalarLength > 0, exponentLength == nil {
        // A fraction for some of the numbers that may have one, an exponent where nothing else will do.
        switch SamplingVocabulary.byte(of: token) {
        case UInt8(ascii: "."): return 60 * UInt64(1 + min(scalarLength, 8))
        case UInt8(ascii: "e"), UInt8(ascii: "E"): return 0
        default: break
        }
      }
      return switch kind {
      case .end, .closing: 40 * hurry * UInt64(1 + min(scalarLength, 8))
      case .structure: 40 * UInt64(1 + min(scalarLength, 8))
      // Whatever has no bounds is still a number that a double holds.
      case .digit where exponentLength ?? 0 >= 2 || scalarLength >= 200: 0
      case .digit: 12
      case .quotationMark: 60
      case .letter, .word, .literal: 20
      case .punctuation, .fullStop: 4
      case .spacedWord, .capitalizedWord: 1
      case .space, .stringEnd, .byte, .rare: 0
      }
    }

    private mutating func note(_ bytes: [UInt8]) {
      tokenCount += 1
      byteCount += bytes.count
      for byte in bytes {
        if isInString {
          scalarLength += 1
          isInWord = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
            scalarLength = 0
            continue
          }
          string.append(byte)
        } else if byte == UInt8(ascii: "\"") {
          isInString = true
          isInWord = false
          scalarLength = 0
          string.removeAll(keepingCapacity: true)
        } else if byte == UInt8(ascii: ":") {
          field = String(decoding: string, as: UTF8.self)
          lastMark = byte
          scalarLength = 0
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          depth += 1
          brackets.append(byte)
          lastMark = byte
          scalarLength = 0
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          depth -= 1
          brackets.removeLast(min(1, brackets.count))
          lastMark = byte
          scalarLength = 0
        } else if byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
          scalarLength += 1
          exponentLength = exponentLength.map { $0 + 1 }
        } else if byte | 0x20 == UInt8(ascii: "e"), scalarLength > 0 {
          exponentLength = 0
        } else if byte != UInt8(ascii: "."), byte != UInt8(ascii: "+"), byte != UInt8(ascii: "-") {
          lastMark = byte
          scalarLength = 0
          exponentLength = nil
        }
      }
    }

    /// A sentence or two, where there is no schema.
    private mutating func plainText(using generator: inout SplitMix64) -> [UInt8]? {
      if tokenCount == 0 {
        let sentences = SampleTexts.texts(forField: "").shuffled(using: &generator)
        let count = 1 + Int(generator.next() % 2)
        let text = sentences.prefix(count).joined(separator: " ")
        chosen = SchemaSampler.pieces(of: Array(text.utf8))[...]
      }
      guard tokenCount < sampler.tokenLimit ?? .max, let word = chosen.popFirst() else {
        return nil
      }
      tokenCount += 1
      return word
    }
  }
}

extension [UInt8] {
  /// Whether the text needs no escapes in JSON.
  fileprivate var isPlain: Bool {
    allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// Whether the bytes end in the middle of a character of UTF-8.
  fileprivate var endsInsideCharacter: Bool {
    for (index, byte) in reversed().prefix(4).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return index + 1 < length
    }
    return false
  }
}
