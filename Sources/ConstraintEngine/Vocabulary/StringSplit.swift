// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What the tokens of a vocabulary do inside a string with any content, worked out once.
///
/// In such a string a token either stays inside, or it closes the string with its first quote that
/// no escape hides. The tokens of the first kind are one mask for all strings. A token of the second kind
/// has a *prefix*, which is spelled before the quote, and a *rest* after it, which is up to what comes
/// after the string. There are a few hundred distinct rests, and only these are walked.
///
/// Worked example:
///
/// | token | prefix | rest |
/// |---|---|---|
/// | `cat` | stays inside | |
/// | `cat"` | `cat` | empty |
/// | `s",` | `s` | `,` |
/// | `",` | empty | `,` |
///
/// For a string without a limit on its length, `closingByRest` gives all tokens of the rests that the
/// stack below accepts. Where what was read of the string matters, as under a pattern, the prefixes are
/// read, and `closingByPrefix` gives the tokens of those after which the string may close.
///
/// An object: as a value, copies of it took 1 % of the instructions that masks take, for each counts
/// the references to its arrays.
package final class StringSplit: Sendable {
  // MARK: Tokens that stay inside

  /// The tokens that stay inside.
  let inside: MaskBase
  /// By a number of scalars below the most, the tokens that stay inside and start no more.
  let limited: [MaskBase]
  /// The most scalars of any token.
  let maximumScalars: Int
  /// The most commas of any token, of those side by side one: no JSON has two outside of strings.
  let maximumCommas: Int
  /// The tokens with an escape that stay inside, by their text before it.
  let escapes: [(bytes: Range<Int>, entries: Range<Int>)]
  let escapeBytes: [UInt8]
  let escapedTokens: [(tail: Int32, token: Int32)]
  /// The texts of those tokens from the escape on; a trie's tokens are their indices.
  let tails: TokenTrie
  let tailCount: Int

  // MARK: Tokens that close the string

  struct Closing: Sendable {
    /// How many scalars are before the quote.
    var scalars: Int32
    var token: Int32
    var prefix: Int32
  }

  /// The tokens that close the string, in the order of their rests.
  let closingByRest: [Closing]
  /// For each rest, where its tokens start in `closingByRest`; the last rest is the empty one.
  let restStarts: [Int32]
  /// The same tokens in the order of their prefixes.
  let closingByPrefix: [(rest: Int32, token: Int32)]
  /// For each prefix, where its tokens start in `closingByPrefix`.
  private let closingStarts: [Int32]

  // MARK: Rests

  /// The distinct rests of tokens after a quote that closes a string, whether the token opens that
  /// string or not, and after other values; a trie's tokens are indices of rests.
  let rests: TokenTrie
  /// The indices of the rests.
  let restIndices: [[UInt8]: Int32]
  /// The index of the empty rest.
  let emptyRest: Int
  let restQuotes: QuoteIndex
  let restExits: ExitIndex

  // MARK: Prefixes

  /// The prefixes; a trie's tokens are their indices.
  let prefixes: TokenTrie
  /// Where each prefix starts in `prefixBytes`.
  let prefixStarts: [Int32]
  let prefixBytes: [UInt8]
  /// Whether each prefix has an escape, and what those stand for that have.
  private let isEscaped: [Bool]
  let escapedPrefixes: [(prefix: Int32, text: [UInt8])]
  /// The index of the empty prefix, or -1.
  let emptyPrefix: Int32

  init(trie: TokenTrie, tokenCount: Int, scanner: StringScanner) {
    var found = TokensInString(trie: trie, tokenCount: tokenCount, scanner: scanner)
    inside = MaskBase(words: found.inside, count: found.insideByLength.count)
    limited = Self.limited(
      Self.sorted(found.insideByLength, most: found.maximumScalars), most: found.maximumScalars,
      wordCount: found.inside.count)
    maximumScalars = found.maximumScalars
    maximumCommas = Self.mostCommas(trie)
    (tails, tailCount, escapes, escapeBytes, escapedTokens) = Self.tails(found.escaped)

    prefixStarts = found.prefixStarts
    prefixBytes = found.prefixBytes
    isEscaped = found.areEscaped
    escapedPrefixes = found.escapedPrefixes
    emptyPrefix = found.emptyPrefix
    prefixes = TokenTrie(text: prefixBytes, starts: prefixStarts.map { Int($0) }, special: [])

    // A rest is walked once, wherever tokens have it: after a string that they open too, or after
    // another value.
    for rest in Self.restsOfQuoted(trie, scanner) { found.closing[rest, default: []] += [] }
    for rest in Self.restsOfValues(trie) { found.closing[rest, default: []] += [] }
    var texts: [UInt8] = []
    var starts = [0]
    var indices: [[UInt8]: Int32] = [:]
    var closingByRest: [Closing] = []
    var restStarts: [Int32] = [0]
    var byPrefix = [[(rest: Int32, token: Int32)]](
      repeating: [], count: prefixStarts.count - 1)
    let sortedRests = found.closing.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for rest in sortedRests.filter({ !$0.isEmpty }) + [[]] {
      let index = Int32(starts.count - 1)
      indices[rest] = index
      for entry in found.closing[rest] ?? [] {
        closingByRest.append(entry)
        byPrefix[Int(entry.prefix)].append((index, entry.token))
      }
      restStarts.append(Int32(closingByRest.count))
      if rest.isEmpty { continue }
      texts += rest
      starts.append(texts.count)
    }
    (self.closingByRest, self.restStarts) = (closingByRest, restStarts)
    rests = TokenTrie(text: texts, starts: starts, special: [])
    restIndices = indices
    emptyRest = starts.count - 1
    restExits = ExitIndex(rests, rests: rests)
    restQuotes = QuoteIndex(trie: rests, scanner: scanner, rests: [:])

    var closingStarts: [Int32] = [0]
    var closingByPrefix: [(rest: Int32, token: Int32)] = []
    for entries in byPrefix {
      closingByPrefix += entries
      closingStarts.append(Int32(closingByPrefix.count))
    }
    (self.closingByPrefix, self.closingStarts) = (closingByPrefix, closingStarts)
  }

  /// What a token can read at most.
  package var reach: TokenReach { TokenReach(scalars: maximumScalars, commas: maximumCommas) }

  /// Where the tokens that close the string after a prefix stand in `closingByPrefix`.
  @inline(__always)
  func entries(after prefix: Int32) -> Range<Int> {
    Int(closingStarts[Int(prefix)])..<Int(closingStarts[Int(prefix) + 1])
  }

  /// Where the bytes of a prefix stand in `prefixBytes`.
  @inline(__always)
  func bytes(of prefix: Int32) -> Range<Int> {
    Int(prefixStarts[Int(prefix)])..<Int(prefixStarts[Int(prefix) + 1])
  }

  /// The index of the prefix that is spelled so, if tokens have it.
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

  /// What a prefix stands for.
  func text(of prefix: Int32) -> ArraySlice<UInt8> {
    if !isEscaped[Int(prefix)] { return prefixBytes[bytes(of: prefix)] }
    return escapedPrefixes.first { $0.prefix == prefix }?.text[...] ?? []
  }
}
