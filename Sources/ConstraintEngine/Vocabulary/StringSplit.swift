// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the tokens of a vocabulary do inside a string with any content, worked out once.
///
/// In such a string a token either stays inside, or it closes the string with its first quote that
/// no escape hides, and its rest is up to what comes after the string. The first kind is one mask
/// for all strings; of the second kind only the few hundred distinct rests are walked. The tokens
/// `cat`, `cat"`, `s",` and `",` give the inside token `cat` and the rests `""` (one token) and
/// `","` (two).
///
/// An object: as a value, copies of it took 1 % of the instructions that masks take, for each counts
/// the references to its arrays.
package final class StringSplit: Sendable {
  /// The tokens that stay inside.
  let inside: MaskBase
  /// By a number of scalars below the most, the tokens that stay inside and start no more.
  let limited: [MaskBase]
  /// The most scalars of any token.
  let maximumScalars: Int
  /// The most commas of any token, of those side by side one: no JSON has two outside of strings.
  let maximumCommas: Int
  /// The distinct rests of tokens after a quote that closes a string, whether the token opens that
  /// string or not; a trie's tokens are indices of rests.
  let rests: TokenTrie
  /// The indices of the rests.
  let restIndices: [[UInt8]: Int32]
  let restQuotes: QuoteIndex
  let restExits: ExitIndex
  /// For each rest, where its tokens start in `closing`; the last rest is the empty one.
  let restStarts: [Int32]
  /// The tokens that close the string, with the scalars before the quote and the spelling there.
  let closing: [Closing]
  /// Where each distinct spelling before a closing quote starts in `prefixBytes`.
  let prefixStarts: [Int32]
  let prefixBytes: [UInt8]
  /// Whether each spelling has an escape, and those that have.
  let isEscaped: [Bool]
  let escapedPrefixes: [(prefix: Int32, text: [UInt8])]
  /// The index of the empty spelling, or -1.
  let emptyPrefix: Int32
  /// The spellings before a closing quote; a trie's tokens are their indices.
  let prefixes: TokenTrie
  /// For each spelling, where its tokens start in `prefixed`.
  let prefixedStarts: [Int32]
  /// The tokens that close the string, with their rests, by the spelling before the quote.
  let prefixed: [(rest: Int32, token: Int32)]

  /// Where the tokens that close the string after a spelling stand in `prefixed`.
  @inline(__always)
  func entries(after prefix: Int32) -> Range<Int> {
    Int(prefixedStarts[Int(prefix)])..<Int(prefixedStarts[Int(prefix) + 1])
  }

  /// Where the bytes of a spelling stand in `prefixBytes`.
  @inline(__always)
  func bytes(of prefix: Int32) -> Range<Int> {
    Int(prefixStarts[Int(prefix)])..<Int(prefixStarts[Int(prefix) + 1])
  }

  /// The index of a spelling, if tokens have it before a closing quote.
  func prefix(of spelling: [UInt8]) -> Int32? {
    if spelling.isEmpty { return emptyPrefix >= 0 ? emptyPrefix : nil }
    var node = TokenTrie.root
    for byte in spelling {
      guard let child = prefixes.child(byte, of: node) else { return nil }
      node = child
    }
    let prefix = prefixes.nodes[node].token
    return prefix >= 0 ? prefix : nil
  }

  /// What a spelling stands for.
  func text(of prefix: Int32) -> ArraySlice<UInt8> {
    if !isEscaped[Int(prefix)] { return prefixBytes[bytes(of: prefix)] }
    return escapedPrefixes.first { $0.prefix == prefix }?.text[...] ?? []
  }

  /// The tokens with an escape that stay inside, by their text before it.
  let escapes: [(bytes: Range<Int>, entries: Range<Int>)]
  let escapeBytes: [UInt8]
  let escapedTokens: [(tail: Int32, token: Int32)]
  /// The texts of those tokens from the escape on; a trie's tokens are their indices.
  let tails: TokenTrie
  let tailCount: Int

  struct Closing: Sendable {
    var scalars: Int32
    var token: Int32
    var prefix: Int32
  }
  /// The index of the empty rest.
  let emptyRest: Int

  init(trie: TokenTrie, tokenCount: Int, scanner: StringScanner) {
    var inside = [UInt32](repeating: 0, count: (tokenCount + 31) / 32)
    var insideCount = 0
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var scalars = [Int32](repeating: 0, count: trie.maximumDepth + 1)
    var text: [UInt8] = []
    var closedAt = Int.max
    var insideByLength: [(scalars: Int32, token: Int32)] = []
    var maximumScalars = 0
    var (prefixStarts, prefixBytes) = ([Int32(0)], [UInt8]())
    var areEscaped: [Bool] = []
    var escapedPrefixes: [(prefix: Int32, text: [UInt8])] = []
    var emptyPrefix: Int32 = -1
    var found: [[UInt8]: [Closing]] = [:]
    var prefixes: [[UInt8]: Int32] = [:]
    var escaped: [[UInt8]: [(tail: [UInt8], token: Int32)]] = [:]
    text = [UInt8](repeating: 0, count: trie.maximumDepth)
    var node = 0
    while node < trie.count {
      let depth = Int(trie.nodes[node].depth)
      let byte = trie.nodes[node].byte
      text[depth - 1] = byte
      if depth <= closedAt { closedAt = .max }
      if closedAt == .max {
        let next = scanner.next(states[depth - 1], byte)
        if next == StringScanner.dead {
          node = Int(trie.nodes[node].end)
          continue
        }
        if next == StringScanner.closed { closedAt = depth }
        states[depth] = next
        scalars[depth] =
          scalars[depth - 1]
          + (Self.startsScalar(byte, in: states[depth - 1]) && next != StringScanner.closed ? 1 : 0)
      }
      var token = trie.nodes[node].token
      while token >= 0 {
        if closedAt == .max {
          inside[Int(token) >> 5] |= 1 << UInt32(token & 31)
          insideCount += 1
          insideByLength.append((scalars[depth], token))
          if let escape = text[..<depth].firstIndex(of: 0x5C) {
            escaped[Array(text[..<escape]), default: []]
              .append((Array(text[escape..<depth]), token))
          }
          maximumScalars = max(maximumScalars, Int(scalars[depth]))
        } else {
          let spelling = Array(text[..<(closedAt - 1)])
          if prefixes[spelling] == nil {
            prefixes[spelling] = Int32(prefixStarts.count - 1)
            prefixBytes += spelling
            prefixStarts.append(Int32(prefixBytes.count))
            let isEscaped = spelling.contains(0x5C)
            areEscaped.append(isEscaped)
            if isEscaped,
              let text = try? JSONDocument(
                parsing: ([0x22] + spelling + [0x22])[...], depthLimit: 1)
            {
              escapedPrefixes.append((Int32(prefixStarts.count - 2), Array(text.text(0))))
            }
            if spelling.isEmpty { emptyPrefix = Int32(prefixStarts.count - 2) }
          }
          found[Array(text[closedAt..<depth]), default: []].append(
            Closing(
              scalars: scalars[closedAt - 1], token: token, prefix: prefixes[spelling] ?? 0))
          maximumScalars = max(maximumScalars, Int(scalars[closedAt - 1]))
        }
        token = trie.duplicates[Int(token)]
      }
      node += 1
    }
    insideByLength = Self.sorted(insideByLength, most: maximumScalars)
    limited = Self.limited(insideByLength, most: maximumScalars, wordCount: inside.count)
    self.inside = MaskBase(words: inside, count: insideCount)
    self.maximumScalars = maximumScalars
    maximumCommas = Self.mostCommas(trie)
    (self.prefixStarts, self.prefixBytes) = (prefixStarts, prefixBytes)
    (isEscaped, self.escapedPrefixes, self.emptyPrefix) = (areEscaped, escapedPrefixes, emptyPrefix)
    (tails, tailCount, escapes, escapeBytes, escapedTokens) = Self.tails(escaped)
    for rest in Self.restsOfQuoted(trie, scanner) where found[rest] == nil { found[rest] = [] }
    for rest in Self.restsOfValues(trie) where found[rest] == nil { found[rest] = [] }
    var texts: [UInt8] = []
    var starts = [0]
    var indices: [[UInt8]: Int32] = [:]
    var restOfToken: [Int32: Int32] = [:]
    var closing: [Closing] = []
    var restStarts: [Int32] = [0]
    for rest in found.keys.filter({ !$0.isEmpty }).sorted(by: { $0.lexicographicallyPrecedes($1) })
      + [[]]
    {
      indices[rest] = Int32(starts.count - 1)
      for entry in found[rest] ?? [] { restOfToken[entry.token] = Int32(starts.count - 1) }
      if !rest.isEmpty {
        texts += rest
        starts.append(texts.count)
      }
      closing += found[rest] ?? []
      restStarts.append(Int32(closing.count))
    }
    emptyRest = starts.count - 1
    restIndices = indices
    (self.closing, self.restStarts) = (closing, restStarts)
    rests = TokenTrie(text: texts, starts: starts, special: [])
    self.prefixes = TokenTrie(text: prefixBytes, starts: prefixStarts.map { Int($0) }, special: [])
    var byPrefix = [[(rest: Int32, token: Int32)]](repeating: [], count: prefixStarts.count - 1)
    for entry in closing {
      byPrefix[Int(entry.prefix)].append((restOfToken[entry.token] ?? 0, entry.token))
    }
    var prefixed: [(rest: Int32, token: Int32)] = []
    var prefixedStarts: [Int32] = [0]
    for entries in byPrefix {
      prefixed += entries
      prefixedStarts.append(Int32(prefixed.count))
    }
    (self.prefixed, self.prefixedStarts) = (prefixed, prefixedStarts)
    restExits = ExitIndex(rests, rests: rests)
    restQuotes = QuoteIndex(trie: rests, scanner: scanner, rests: [:])
  }

  /// What a token can read at most.
  package var reach: TokenReach { TokenReach(scalars: maximumScalars, commas: maximumCommas) }

  private static func mostCommas(_ trie: TokenTrie) -> Int {
    var commas = [Int](repeating: 0, count: trie.maximumDepth + 1)
    var last = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var most = 0
    for node in trie.nodes {
      let depth = Int(node.depth)
      last[depth] = node.byte
      commas[depth] = commas[depth - 1] + (node.byte == 0x2C && last[depth - 1] != 0x2C ? 1 : 0)
      most = max(most, commas[depth])
    }
    return most
  }

  /// Tokens in the order of their lengths, counted out: there are few lengths.
  private static func sorted(
    _ tokens: [(scalars: Int32, token: Int32)], most: Int
  ) -> [(scalars: Int32, token: Int32)] {
    var places = [Int](repeating: 0, count: most + 2)
    for entry in tokens { places[Int(entry.scalars) + 1] += 1 }
    for length in 0...most { places[length + 1] += places[length] }
    var result = tokens
    for entry in tokens {
      result[places[Int(entry.scalars)]] = entry
      places[Int(entry.scalars)] += 1
    }
    return result
  }

  private static func limited(
    _ tokens: [(scalars: Int32, token: Int32)], most: Int, wordCount: Int
  ) -> [MaskBase] {
    var result: [MaskBase] = []
    var words = [UInt32](repeating: 0, count: wordCount)
    var place = 0
    for limit in 0..<max(0, most) {
      let before = place
      while place < tokens.count, tokens[place].scalars <= Int32(limit) {
        words[Int(tokens[place].token) >> 5] |= 1 << UInt32(tokens[place].token & 31)
        place += 1
      }
      if place == before, let last = result.last {
        result.append(last)
      } else {
        result.append(MaskBase(words: words, count: place))
      }
    }
    return result
  }

  /// What tokens go on with after a value that ends in them: white space, a comma or a bracket.
  private static func restsOfValues(_ trie: TokenTrie) -> Set<[UInt8]> {
    let literals = [Array("true".utf8), Array("false".utf8), Array("null".utf8)]
    var result: Set<[UInt8]> = []
    var text = [UInt8](repeating: 0, count: trie.maximumDepth)
    for node in 0..<trie.count {
      let depth = Int(trie.nodes[node].depth)
      text[depth - 1] = trie.nodes[node].byte
      guard depth > 1 else { continue }
      switch trie.nodes[node].byte {
      case 0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x5D, 0x7D: break
      default: continue
      }
      switch text[depth - 2] {
      case 0x22, 0x30...0x39, 0x5D, 0x7D: break
      case 0x65, 0x6C:
        guard literals.contains(where: { text[..<(depth - 1)].suffix($0.count).elementsEqual($0) })
        else { continue }
      default: continue
      }
      var rest: [UInt8] = []
      for below in node..<Int(trie.nodes[node].end) {
        rest.removeSubrange((Int(trie.nodes[below].depth) - depth)...)
        rest.append(trie.nodes[below].byte)
        if trie.nodes[below].token >= 0 { result.insert(rest) }
      }
    }
    return result
  }

  /// The texts from the escape on and how many there are; the texts before it, and the tokens.
  private static func tails(
    _ escaped: [[UInt8]: [(tail: [UInt8], token: Int32)]]
  ) -> (
    TokenTrie, Int, [(bytes: Range<Int>, entries: Range<Int>)], [UInt8],
    [(tail: Int32, token: Int32)]
  ) {
    var escapes: [(bytes: Range<Int>, entries: Range<Int>)] = []
    var bytes: [UInt8] = []
    var tokens: [(tail: Int32, token: Int32)] = []
    var texts: [UInt8] = []
    var starts = [0]
    var indices: [[UInt8]: Int32] = [:]
    for (prefix, entries) in escaped.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      escapes.append(
        (bytes.count..<bytes.count + prefix.count, tokens.count..<tokens.count + entries.count))
      bytes += prefix
      for (tail, token) in entries {
        if indices[tail] == nil {
          indices[tail] = Int32(starts.count - 1)
          texts += tail
          starts.append(texts.count)
        }
        tokens.append((indices[tail] ?? 0, token))
      }
    }
    let trie = TokenTrie(text: texts, starts: starts, special: [])
    return (trie, indices.count, escapes, bytes, tokens)
  }

  /// The rests of the tokens that both open and close a string.
  private static func restsOfQuoted(_ trie: TokenTrie, _ scanner: StringScanner) -> Set<[UInt8]> {
    let quotes = QuoteIndex(trie: trie, scanner: scanner, rests: [:])
    var result: Set<[UInt8]> = []
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    for closing in quotes.closing {
      let base = Int(trie.nodes[Int(closing)].depth)
      for node in Int(closing)..<Int(trie.nodes[Int(closing)].end) {
        let depth = Int(trie.nodes[node].depth)
        text[depth] = trie.nodes[node].byte
        if trie.nodes[node].token >= 0 { result.insert(Array(text[(base + 1)..<(depth + 1)])) }
      }
    }
    return result
  }

  /// Whether a byte counts as a scalar of the content: a lead byte, or the backslash of an escape
  /// that is not the second half of a surrogate pair.
  private static func startsScalar(_ byte: UInt8, in state: UInt8) -> Bool {
    state == StringScanner.boundary
  }
}
