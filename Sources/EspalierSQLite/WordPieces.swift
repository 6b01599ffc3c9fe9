// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import GRDB

  // Languages that put no spaces between words are searched by pairs of neighbouring characters, as
  // Lucene's analyser for Chinese, Japanese and Korean does. "京都駅" is stored as "京都", "都駅" and "駅": the
  // last character stands alone, so that every character begins some piece, and a question of one
  // character is a question for what begins with it. A question of several is one for its pairs.

  /// What a word is searched by.
  enum WordPiece: Equatable {
    /// A whole word, or a pair of characters.
    case whole(String)
    /// Everything that begins with a character.
    case beginning(String)

    /// The piece as FTS5 takes it. In quotes, so that nothing in it is an operator.
    var expression: String {
      switch self {
      case .whole(let text): "\"\(text)\""
      case .beginning(let text): "\"\(text)\" *"
      }
    }

    /// The pieces of a word of a question.
    static func pieces(of word: String) -> [WordPiece] {
      runs(of: word).flatMap { run -> [WordPiece] in
        guard run.isUnspaced else { return [.whole(String(run.text))] }
        let pairs = pairs(of: run.text)
        return pairs.isEmpty ? [.beginning(String(run.text))] : pairs.map { .whole($0) }
      }
    }

    /// The parts of a word that are, or are not, of a script without spaces.
    fileprivate static func runs(of word: String) -> [(text: Substring, isUnspaced: Bool)] {
      // These scripts have three bytes a character, or more.
      guard word.utf8.contains(where: { $0 >= 0xE0 }) else { return [(word[...], false)] }
      var runs: [(text: Substring, isUnspaced: Bool)] = []
      var rest = word[...]
      while let first = rest.first {
        let isUnspaced = first.isUnspaced
        let text = rest.prefix { $0.isUnspaced == isUnspaced }
        runs.append((text, isUnspaced))
        rest = rest[text.endIndex...]
      }
      return runs
    }

    fileprivate static func pairs(of text: Substring) -> [String] {
      zip(text, text.dropFirst()).map { "\($0)\($1)" }
    }
  }

  extension Character {
    /// Whether a character is of a script that puts no spaces between words: those of Chinese, Japanese,
    /// Thai, Lao, Burmese and Khmer.
    fileprivate var isUnspaced: Bool {
      guard let first = unicodeScalars.first else { return false }
      return switch first.value {
      case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
      // Hiragana, Katakana, Bopomofo, and what repeats or lengthens a character.
      case 0x3005...0x3007, 0x3031...0x3035, 0x303B, 0x3040...0x312F, 0x31F0...0x31FF: true
      case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F: true
      case 0x1B000...0x1B16F, 0x20000...0x3FFFF: true
      default: false
      }
    }
  }

  /// The words of FTS5's English, which all languages with spaces share, and pieces of the other ones.
  ///
  /// Vowel signs are parts of words: Hindi would fall into single consonants.
  final class WordPieceTokenizer: FTS5WrapperTokenizer {
    static let name = "espalier_words"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
      wrappedTokenizer = try db.makeTokenizer(
        FTS5TokenizerDescriptor(components: [
          "porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc",
        ]))
    }

    func accept(
      token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
      tokenCallback: FTS5WrapperTokenCallback
    ) throws {
      for run in WordPiece.runs(of: token) {
        guard run.isUnspaced else {
          try tokenCallback(String(run.text), flags)
          continue
        }
        let pairs = WordPiece.pairs(of: run.text)
        for pair in pairs { try tokenCallback(pair, flags) }
        // A question asks for its pairs alone.
        if pairs.isEmpty || !tokenization.contains(.query), let last = run.text.last {
          try tokenCallback(String(last), flags)
        }
      }
    }
  }
#endif
