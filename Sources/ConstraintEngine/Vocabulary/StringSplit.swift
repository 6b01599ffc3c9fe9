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
  /// The tokens with an escape that stay inside: a hundred or two.
  let escaped: TokenTrie

  // MARK: Tokens that close the string

  /// The tokens that close the string, in the order of their rests, with the scalars before the quote.
  let closingByRest: [(scalars: Int32, token: Int32)]
  /// For each rest, where its tokens start in `closingByRest`; the last rest is the empty one.
  let restStarts: [Int32]
  /// The same tokens in the order of their prefixes.
  let closingByPrefix: [QuoteIndex.Closer]
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
  /// What the prefixes with an escape stand for.
  let escapedPrefixes: [(prefix: Int32, text: [UInt8])]
  /// The index of the empty prefix, or -1.
  let emptyPrefix: Int32

  /// - Parameters:
  ///   - text: The bytes of all tokens.
  ///   - starts: Where those of each token start, and the last ones end.
  init(text: [UInt8], starts: [Int], trie: TokenTrie, scanner: StringScanner) {
    // A rest is walked once, wherever tokens have it: after a string that they begin in or open, or after
    // another value.
    let all = Self.restsOfValues(trie).union(Self.restsOfStrings(trie, scanner))
    let sorted = all.subtracting([[]]).sorted { $0.lexicographicallyPrecedes($1) }
    rests = TokenTrie(sorted)
    restIndices = Dictionary(
      uniqueKeysWithValues: zip(sorted + [[]], (0...Int32(sorted.count))))
    emptyRest = sorted.count
    restExits = ExitIndex(rests, rests: rests)
    restQuotes = QuoteIndex(
      trie: rests, below: QuoteIndex.quotes(of: rests), scanner: scanner, rests: [:])

    let found = QuoteIndex(
      trie: trie, below: [TokenTrie.root], scanner: scanner, rests: restIndices)
    let most = max(found.insideScalars.max() ?? 0, found.closingScalars.max() ?? 0)
    maximumScalars = Int(most)
    maximumCommas = Self.mostCommas(trie)
    limited = Self.limited(found, most: maximumScalars, wordCount: (starts.count + 30) / 32)
    inside = MaskBase(tokens: found.inside, wordCount: (starts.count + 30) / 32)
    let escapedTokens = found.inside.map { Int($0) }
      .filter { text[starts[$0]..<starts[$0 + 1]].contains(0x5C) }
    escaped = TokenTrie(
      escapedTokens.map { Array(text[starts[$0]..<starts[$0 + 1]]) },
      tokens: escapedTokens.map { Int32($0) })

    (closingByPrefix, closingStarts) = (found.closers, found.closerStarts)
    (prefixStarts, prefixBytes) = (found.contentStarts, found.contents)
    prefixes = TokenTrie(text: prefixBytes, starts: prefixStarts.map { Int($0) }, special: [])
    var byRest = [[(scalars: Int32, token: Int32)]](repeating: [], count: emptyRest + 1)
    var escapedPrefixes: [(prefix: Int32, text: [UInt8])] = []
    var emptyPrefix: Int32 = -1
    for prefix in found.closing.indices {
      for closer in found.closers[
        Int(found.closerStarts[prefix])..<Int(found.closerStarts[prefix + 1])]
      {
        byRest[Int(closer.rest)].append((Int32(found.closingScalars[prefix]), closer.token))
      }
      let spelling = found.contents[
        Int(found.contentStarts[prefix])..<Int(found.contentStarts[prefix + 1])]
      if spelling.isEmpty { emptyPrefix = Int32(prefix) }
      if spelling.contains(0x5C),
        let content = try? JSONDocument(parsing: ([0x22] + spelling + [0x22])[...], depthLimit: 1)
      {
        escapedPrefixes.append((Int32(prefix), Array(content.text(0))))
      }
    }
    (self.escapedPrefixes, self.emptyPrefix) = (escapedPrefixes, emptyPrefix)
    closingByRest = Array(byRest.joined())
    restStarts = byRest.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int32($1.count)) }
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

  /// What a prefix stands for.
  func text(of prefix: Int32) -> ArraySlice<UInt8> {
    let spelling = prefixBytes[bytes(of: prefix)]
    if !spelling.contains(0x5C) { return spelling }
    return escapedPrefixes.first { $0.prefix == prefix }?.text[...] ?? []
  }
}
