// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Cuts a text into words before pairs are merged; no token crosses the end of a word.
///
/// The families' regular expressions, by hand. With `L` for letters and `N` for numbers:
///
/// - gpt2: `'s|'t|'re|'ve|'m|'ll|'d| ?L+| ?N+| ?[^\sLN]+|\s+(?!\S)`; smollm cuts each `N` off first.
/// - llama3: `(?i:'s|…)|[^\r\nLN]?L+|N{1,3}| ?[^\sLN]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
///   qwen2 takes one `N` at a time; qwen35 does, too, and counts marks as letters; of seedCoder, too,
///   whose symbols take no breaks of lines.
/// - cased, of gpt-4o: a word ends where a small letter is followed by a capital one; see
///   `PreTokenizer+Cased.swift`. tekken takes one `N` at a time and cuts no `'s` off.
/// - unnamed: runs of punctuation first; gpt2 on what is between; numbers off; three digits at a
///   time. falcon leaves numbers with the space before them, but for whole threes of digits.
struct PreTokenizer: Sendable {
  enum Style: Sendable {
    case gpt2, smollm, llama3, qwen2, qwen35, seedCoder, cased, tekken, unnamed, falcon
  }

  let style: Style

  /// Those of Llama 3 and its kin: words that are tokens are not cut, and a text has a beginning.
  static let llama3Names: Set<String> = [
    "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
  ]

  /// - Parameter name: The value of `tokenizer.ggml.pre`.
  init(name: String) throws(GGUFError) {
    switch name {
    case _ where Self.llama3Names.contains(name): style = .llama3
    case "gpt-2", "gpt2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de",
      "gigachat", "a.x-4.0", "mellum", "modern-bert", "roberta-bpe", "exaone4", "olmo",
      "jais", "trillion", "granite-docling":
      style = .gpt2
    case "smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b",
      "mellum2":
      style = .smollm
    case "dbrx", "smaug-bpe", "glm4", "chatglm-bpe": style = .llama3
    case "qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "kormo", "megrez", "solar-open",
      "grok-2":
      style = .qwen2
    case "qwen35": style = .qwen35
    case "seed-coder": style = .seedCoder
    case "gpt-4o", "llama4", "kanana2", "minimax-m2": style = .cased
    case "tekken": style = .tekken
    case "default": style = .unnamed
    case "falcon": style = .falcon
    default:
      throw GGUFError(
        .unsupported, field: "tokenizer.ggml.pre",
        message: "the pre-tokenizer '\(name)' is not known, so that texts cannot be cut as the "
          + "model needs them. Take a file of another model.")
    }
  }

  /// The words of a text, one after the other.
  func words(of bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
    let text = ScannedText(bytes, marksAreLetters: style == .qwen35)
    switch style {
    case .gpt2: gpt2Words(text, 0..<text.count) { body(text.bytes(of: $0)) }
    case .smollm:
      var start = 0
      for index in 0..<text.count where text.isNumber(index) {
        gpt2Words(text, start..<index) { body(text.bytes(of: $0)) }
        body(text.bytes(of: index..<(index + 1)))
        start = index + 1
      }
      gpt2Words(text, start..<text.count) { body(text.bytes(of: $0)) }
    case .llama3: llama3Words(text, digits: 3) { body(text.bytes(of: $0)) }
    case .qwen2, .qwen35, .seedCoder: llama3Words(text, digits: 1) { body(text.bytes(of: $0)) }
    case .cased: casedWords(text, digits: 3) { body(text.bytes(of: $0)) }
    case .tekken: casedWords(text, digits: 1) { body(text.bytes(of: $0)) }
    case .unnamed, .falcon: unnamedWords(text) { body(text.bytes(of: $0)) }
    }
  }

  private func unnamedWords(_ text: ScannedText, _ body: (Range<Int>) -> Void) {
    let isMark = { text.isPunctuation($0, includingBacktick: style == .falcon) }
    forEachRun(0..<text.count, by: isMark) { run in
      gpt2Words(text, run) { word in
        if style == .falcon { return threesOfDigits(text, word, body) }
        forEachRun(word, by: text.isNumber) { threesOfDigits(text, $0, body) }
      }
    }
  }

  private func forEachRun(
    _ range: Range<Int>, by isOne: (Int) -> Bool, _ body: (Range<Int>) -> Void
  ) {
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      while end < range.upperBound, isOne(end) == isOne(start) { end += 1 }
      body(start..<end)
      start = end
    }
  }

  private func threesOfDigits(
    _ text: ScannedText, _ range: Range<Int>, _ body: (Range<Int>) -> Void
  ) {
    var start = range.lowerBound
    var next = start
    while next + 3 <= range.upperBound {
      guard (next..<(next + 3)).allSatisfy({ (0x30...0x39).contains(text[$0]) }) else {
        next += 1
        continue
      }
      if start < next { body(start..<next) }
      body(next..<(next + 3))
      next += 3
      start = next
    }
    if start < range.upperBound { body(start..<range.upperBound) }
  }

  private func gpt2Words(
    _ text: ScannedText, _ range: Range<Int>, _ body: (Range<Int>) -> Void
  ) {
    let end = range.upperBound
    var start = range.lowerBound
    while start < end {
      if let length = text.contraction(at: start, end, ignoresCase: false) {
        body(start..<(start + length))
        start += length
        continue
      }
      let first = text[start] == 0x20 && start + 1 < end ? start + 1 : start
      var next = first
      if text.isLetter(first) {
        while next < end, text.isLetter(next) { next += 1 }
      } else if text.isNumber(first) {
        while next < end, text.isNumber(next) { next += 1 }
      } else if !text.isSpace(first) {
        while next < end, text.isSymbol(next) { next += 1 }
      } else {
        next = start
        while next < end, text.isSpace(next) { next += 1 }
        // The last space goes with the word that follows.
        if next < end, next - start > 1 { next -= 1 }
      }
      body(start..<next)
      start = next
    }
  }

  private func llama3Words(_ text: ScannedText, digits: Int, _ body: (Range<Int>) -> Void) {
    let end = text.count
    var start = 0
    while start < end {
      let next = llama3End(text, from: start, digits: digits)
      body(start..<next)
      start = next
    }
  }

  private func llama3End(_ text: ScannedText, from start: Int, digits: Int) -> Int {
    let end = text.count
    if let length = text.contraction(at: start, end, ignoresCase: true) { return start + length }
    let isBreak = text[start] == 0x0D || text[start] == 0x0A
    if !isBreak && !text.isNumber(start) {
      var next = text.isLetter(start) ? start : start + 1
      if next < end, text.isLetter(next) {
        while next < end, text.isLetter(next) { next += 1 }
        return next
      }
    }
    return endOfOther(
      text, from: start, digits: digits, symbolsTake: style == .seedCoder ? [] : [0x0D, 0x0A])
  }

  /// The end of numbers, symbols or spaces:
  /// `N{1,3}| ?[^\sLN]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
  ///
  /// - Parameter endings: What may follow symbols: `[\r\n]` above.
  func endOfOther(
    _ text: ScannedText, from start: Int, digits: Int, symbolsTake endings: [UInt32]
  ) -> Int {
    let end = text.count
    if text.isNumber(start) {
      var next = start
      while next < end, next - start < digits, text.isNumber(next) { next += 1 }
      return next
    }
    let first = text[start] == 0x20 && start + 1 < end ? start + 1 : start
    if text.isSymbol(first) {
      var next = first
      while next < end, text.isSymbol(next) { next += 1 }
      while next < end, endings.contains(text[next]) { next += 1 }
      return next
    }
    var next = start
    var afterBreak: Int?
    while next < end, text.isSpace(next) {
      if text[next] == 0x0D || text[next] == 0x0A { afterBreak = next + 1 }
      next += 1
    }
    if let afterBreak { return afterBreak }
    if next < end, next - start > 1 { return next - 1 }
    return max(next, start + 1)
  }
}
