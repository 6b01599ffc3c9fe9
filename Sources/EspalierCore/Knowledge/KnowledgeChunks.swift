// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How documents are cut into the passages that are searched.
public struct KnowledgeChunks: Sendable, Hashable {
  /// How many tokens of the embedding model a passage has at most, without those of the title.
  public var size: Int
  /// About how many tokens two passages that follow each other have in common.
  public var overlap: Int

  /// Creates a way to cut documents.
  ///
  /// - Parameters:
  ///   - size: How many tokens a passage has at most; at least one.
  ///   - overlap: How many tokens of a passage the next one repeats, in whole sentences; at most half
  ///     of the size.
  public init(size: Int = 200, overlap: Int = 40) {
    self.size = max(1, size)
    self.overlap = min(max(0, overlap), self.size / 2)
  }

  /// The passages of a text, in their order.
  ///
  /// Sentences stay whole where they fit, and words where they fit. Together the passages hold all of
  /// the text but the white space at their ends. A passage can have a few tokens more than ``size`` where
  /// a tokenizer makes more of sentences together than of each alone.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - tokenCount: The number of tokens of a text.
  /// - Complexity: Linear in the length of the text, where counting is.
  public func passages(of text: String, tokenCount: (String) -> Int) -> [String] {
    // What a tokenizer adds to every text, such as tokens for its ends.
    let constant = tokenCount("")
    func count(_ part: Substring) -> Int { max(0, tokenCount(String(part)) - constant) }
    let parts = sentences(of: text[...]).flatMap { pieces(of: $0, count) }
    var passages: [String] = []
    var first = 0
    while first < parts.count {
      var (end, tokens) = (first, 0)
      while end < parts.count, end == first || tokens + parts[end].tokens <= size {
        tokens += parts[end].tokens
        end += 1
      }
      let passage = text[parts[first].text.startIndex..<parts[end - 1].text.endIndex]
      passages.append(passage.trimmed)
      guard end < parts.count else { break }
      // The next passage begins with the last sentences of this one, and goes on beyond it.
      var (next, repeated) = (end, 0)
      while next > first + 1, repeated + parts[next - 1].tokens <= overlap,
        repeated + parts[next - 1].tokens + parts[end].tokens <= size
      {
        next -= 1
        repeated += parts[next].tokens
      }
      first = next
    }
    return passages
  }

  private typealias Part = (text: Substring, tokens: Int)

  /// The sentences of a text with the white space after each: a sentence ends with a line, or with a
  /// mark before white space. The marks of Chinese and Japanese end one without white space, too.
  private func sentences(of text: Substring) -> [Substring] {
    var sentences: [Substring] = []
    var (start, index) = (text.startIndex, text.startIndex)
    var (isOver, isInSpace, endsWithoutSpace) = (false, false, false)
    while index < text.endIndex {
      let character = text[index]
      if character.isWhitespace {
        isInSpace = true
        if character.isNewline { isOver = true }
      } else {
        let isClosing = ")]\"'”’»）」』】".contains(character)
        if isOver, isInSpace || endsWithoutSpace && !isClosing {
          if text[start..<index].contains(where: { !$0.isWhitespace }) {
            sentences.append(text[start..<index])
          }
          start = index
          isOver = false
        } else if isInSpace || !isClosing {
          isOver = false
        }
        isInSpace = false
        if ".!?…。！？｡．؟۔।॥".contains(character) {
          isOver = true
          endsWithoutSpace = "。！？｡".contains(character)
        }
      }
      index = text.index(after: index)
    }
    if text[start...].contains(where: { !$0.isWhitespace }) { sentences.append(text[start...]) }
    return sentences
  }

  /// A part of a text, or its halves where it is too long, cut between words where there are any.
  private func pieces(of part: Substring, _ count: (Substring) -> Int) -> [Part] {
    let tokens = count(part)
    guard tokens > size, part.count > 1 else { return [(part, tokens)] }
    let middle = part.index(part.startIndex, offsetBy: part.count / 2)
    var cut = middle
    if let space = part[..<middle].lastIndex(where: \.isWhitespace) {
      cut = part.index(after: space)
    } else if let space = part[middle...].firstIndex(where: \.isWhitespace) {
      cut = part.index(after: space)
    }
    if cut == part.startIndex || cut == part.endIndex { cut = middle }
    return [part[..<cut], part[cut...]]
      .filter { $0.contains { !$0.isWhitespace } }
      .flatMap { pieces(of: $0, count) }
  }
}

extension Substring {
  /// Without white space at either end.
  fileprivate var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
