// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// For some nodes of a trie: what the nodes below them do inside a string with any content. Most are
/// quotes, which open the string.
///
/// Of whole tokens the same is listed for the letters of escapes: a token that comes after a backslash
/// ends an escape by its first byte, and goes on in the string. And it is found once for the root, that is
/// for tokens that begin inside a string (``StringSplit``).
///
/// An object: as a value, copies of it count the references to all its arrays.
final class QuoteIndex: Sendable {
  /// A token from a closing quote on, and its rest after it.
  struct Closer: Sendable {
    var rest: Int32
    var token: Int32
  }

  /// For each node the index of its entry, or -1 where it has none.
  let entries: [Int32]
  let insideStarts: [Int32]
  /// The tokens from a quote on that stay inside the string.
  let inside: [UInt32]
  /// How many scalars of the string each of them starts.
  let insideScalars: [UInt16]
  let closingStarts: [Int32]
  /// The nodes of the quotes that close the string.
  let closing: [UInt32]
  /// How many scalars the string has at each of them.
  let closingScalars: [UInt16]
  let contentStarts: [Int32]
  /// The spelling between the two quotes.
  let contents: [UInt8]
  /// For each closing quote, whether its content has an escape, or a rest that may follow a key has
  /// another string.
  let isUnusual: [Bool]
  /// For each closing quote, where its tokens start in `closers`.
  let closerStarts: [Int32]
  /// The tokens from a closing quote on, with their rests after it.
  let closers: [Closer]

  /// - Parameters:
  ///   - starts: The nodes, in ascending order: those after which the string goes on.
  ///   - rests: the indices of the rests after closing quotes; where it is empty, closers are not listed.
  init(
    trie: TokenTrie, below starts: [Int], scanner: StringScanner, rests: [[UInt8]: Int32]
  ) {
    var entries = [Int32](repeating: -1, count: trie.count)
    var (insideStarts, inside, insideScalars) = ([Int32(0)], [UInt32](), [UInt16]())
    var (closingStarts, closing, closingScalars) = ([Int32(0)], [UInt32](), [UInt16]())
    var (contentStarts, contents, isUnusual) = ([Int32(0)], [UInt8](), [Bool]())
    var (closerStarts, closers) = ([Int32(0)], [Closer]())
    var states = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    var scalars = [UInt16](repeating: 0, count: trie.maximumDepth + 1)
    var text = [UInt8](repeating: 0, count: trie.maximumDepth + 1)
    for start in starts {
      var base = 0
      if start != TokenTrie.root {
        entries[start] = Int32(insideStarts.count - 1)
        base = Int(trie.nodes[start].depth)
        states[base] = StringScanner.boundary
        scalars[base] = 0
        trie.forEachToken(of: start) { token in
          inside.append(UInt32(bitPattern: token))
          insideScalars.append(0)
        }
      }
      let below = trie.below(start)
      var node = below.lowerBound
      while node < below.upperBound {
        let depth = Int(trie.nodes[node].depth)
        let next = scanner.next(states[depth - 1], trie.nodes[node].byte)
        text[depth] = trie.nodes[node].byte
        if next == StringScanner.closed {
          closing.append(UInt32(node))
          closingScalars.append(scalars[depth - 1])
          contents += text[(base + 1)..<depth]
          contentStarts.append(Int32(contents.count))
          if !rests.isEmpty { Self.addClosers(trie, node, rests, to: &closers) }
          closerStarts.append(Int32(closers.count))
          let content = contents[Int(contentStarts[contentStarts.count - 2])...]
          let below = trie.nodes[(node + 1)..<Int(trie.nodes[node].end)].lazy.map(\.byte)
          isUnusual.append(
            content.contains(0x5C) || Self.goesOnAfterKey(trie, node) && below.contains(0x22))
        }
        if next >= StringScanner.closed {
          node = Int(trie.nodes[node].end)
          continue
        }
        states[depth] = next
        scalars[depth] =
          scalars[depth - 1] + (states[depth - 1] == StringScanner.boundary ? 1 : 0)
        trie.forEachToken(of: node) { token in
          inside.append(UInt32(bitPattern: token))
          insideScalars.append(scalars[depth])
        }
        node += 1
      }
      insideStarts.append(Int32(inside.count))
      closingStarts.append(Int32(closing.count))
    }
    self.entries = entries
    (self.insideStarts, self.inside, self.insideScalars) = (insideStarts, inside, insideScalars)
    (self.closingStarts, self.closing) = (closingStarts, closing)
    (self.closingScalars, self.isUnusual) = (closingScalars, isUnusual)
    (self.contentStarts, self.contents) = (contentStarts, contents)
    (self.closerStarts, self.closers) = (closerStarts, closers)
  }

  /// The quotes of a trie.
  ///
  /// - Parameter afterEscapes: Whether the letters of escapes are taken too, where tokens start with them.
  static func quotes(of trie: TokenTrie, afterEscapes: Bool = false) -> [Int] {
    trie.nodes.indices.filter { place in
      let node = trie.nodes[place]
      return node.byte == 0x22
        || afterEscapes && node.depth == 1 && Escape.scalar(letter: node.byte) != nil
    }
  }

  /// Whether a colon may follow a quote, or white space before that.
  private static func goesOnAfterKey(_ trie: TokenTrie, _ quote: Int) -> Bool {
    [0x3A, 0x20, 0x09, 0x0A, 0x0D].contains { trie.child($0, of: quote) != nil }
  }

  private static func addClosers(
    _ trie: TokenTrie, _ quote: Int, _ rests: [[UInt8]: Int32],
    to closers: inout [Closer]
  ) {
    var text: [UInt8] = []
    let base = Int(trie.nodes[quote].depth)
    for node in quote..<Int(trie.nodes[quote].end) {
      let depth = Int(trie.nodes[node].depth) - base
      if depth > 0 {
        text.removeSubrange((depth - 1)...)
        text.append(trie.nodes[node].byte)
      }
      guard trie.nodes[node].token >= 0, let rest = rests[text] else { continue }
      trie.forEachToken(of: node) { closers.append(Closer(rest: rest, token: $0)) }
    }
  }
}
