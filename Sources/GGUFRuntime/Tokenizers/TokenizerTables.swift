// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a model file says about its tokens.
package struct TokenizerTables {
  /// What a token is, as `tokenizer.ggml.token_type` counts.
  enum Kind: Int {
    case normal = 1
    case unknown, control, userDefined, unused, byte
  }

  let model: String
  let preTokenizer: String
  let tokens: ByteStrings
  let kinds: [Kind]
  let scores: [Float]
  let merges: ByteStrings
  package let beginning: Int?
  package let end: Int
  let unknown: Int?
  package let addsBeginning: Bool
  let addsSpacePrefix: Bool
  let removesExtraSpaces: Bool
  /// Whether WordPiece takes letters as small ones without accents.
  let lowercases: Bool
  package let endTokens: Set<Int>
  /// Whether white space after a special token belongs to it: so with Phi-3, whose files say it by
  /// their name alone.
  let stripsAfterSpecialTokens: Bool

  package init(metadata: [String: GGUFValue]) throws(GGUFError) {
    func key(_ name: String) -> String { "tokenizer.ggml.\(name)" }
    guard case .strings(let tokens)? = metadata[key("tokens")], !tokens.isEmpty else {
      throw GGUFError(field: key("tokens"), message: "expected an array of texts, found none.")
    }
    self.tokens = tokens
    let model = metadata[key("model")]?.string ?? ""
    self.model = model
    preTokenizer = metadata[key("pre")]?.string ?? "default"
    let name = metadata["general.name"]?.string?.lowercased() ?? ""
    stripsAfterSpecialTokens = name.contains("phi-3") || name.contains("phi3")
    func id(_ name: String, default fallback: Int? = nil) throws(GGUFError) -> Int? {
      guard let id = metadata[key(name)]?.integer ?? fallback else { return nil }
      guard tokens.indices.contains(id) else {
        // 0xFFFFFFFF stands for none.
        if id == 0xFFFF_FFFF || id == -1 { return nil }
        throw GGUFError(
          field: key(name), message: "token \(id) is not one of the \(tokens.count) tokens.")
      }
      return id
    }
    // What these are where the file does not say, by the kind of tokenizer.
    let defaults: (beginning: Int?, end: Int, unknown: Int?) =
      switch model {
      case "gpt2": (nil, 0, nil)
      case "t5": (nil, 1, 2)
      case "bert": (101, metadata[key("seperator_token_id")]?.integer ?? 102, 100)
      default: (1, 2, 0)
      }
    func among(_ id: Int?) -> Int? { id.map { min($0, tokens.count - 1) } }
    beginning = try id("bos_token_id", default: among(defaults.beginning))
    guard let end = try id("eos_token_id", default: among(defaults.end)) else {
      throw GGUFError(field: key("eos_token_id"), message: "expected a token, found none.")
    }
    self.end = end
    unknown = try id("unknown_token_id", default: among(defaults.unknown))
    var kinds: [Kind]
    switch metadata[key("token_type")] {
    case .integers(let codes)?:
      guard codes.count == tokens.count else {
        throw GGUFError(
          field: key("token_type"), message: "expected \(tokens.count), found \(codes.count).")
      }
      kinds = codes.map { Kind(rawValue: $0) ?? .normal }
    default: kinds = Array(repeating: .normal, count: tokens.count)
    }
    switch metadata[key("scores")] {
    case .numbers(let numbers)?:
      guard numbers.count == tokens.count else {
        throw GGUFError(
          field: key("scores"), message: "expected \(tokens.count), found \(numbers.count).")
      }
      scores = numbers.map { Float($0) }
    default: scores = Array(repeating: 0, count: tokens.count)
    }
    if case .strings(let merges)? = metadata[key("merges")] {
      self.merges = merges
    } else {
      merges = ByteStrings()
    }
    addsSpacePrefix = metadata[key("add_space_prefix")]?.boolean ?? (model == "llama")
    removesExtraSpaces = metadata[key("remove_extra_whitespaces")]?.boolean ?? false
    lowercases = metadata[key("normalizer.lowercase")]?.boolean ?? true
    let beginsByDefault =
      ["llama", "bert", "gemma4"].contains(model) || PreTokenizer.llama3Names.contains(preTokenizer)
    addsBeginning = metadata[key("add_bos_token")]?.boolean ?? beginsByDefault
    var ends: Set<Int> = [end]
    for name in ["eot_token_id", "eom_token_id"] {
      if let token = try id(name) { ends.insert(token) }
    }
    // Tokens of these names end a turn, and are for control, whatever the file says.
    let names = [
      "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<end_of_turn>", "<|end_of_text|>", "<|end|>",
      "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "</s>", "<eos>", "<|return|>", "<|call|>",
      "<|flush|>", "<|calls|>", "<end_of_utterance>", "<turn|>",
      "<|tool_response>",
    ].map { Array($0.utf8) }
    for index in tokens.indices {
      let token = tokens[index]
      guard let first = token.first, first == 0x3C || first == 0x5B || first == 0x5F,
        token.count <= 20, names.contains(where: { $0.elementsEqual(token) })
      else { continue }
      ends.insert(index)
      kinds[index] = .control
    }
    self.kinds = kinds
    endTokens = ends
  }

  /// How many tokens there are.
  package var tokenCount: Int { tokens.count }

  /// The bytes that each token stands for, and the tokens that stand for none.
  package func texts() -> (bytes: [[UInt8]], special: Set<Int>) {
    var bytes: [[UInt8]] = []
    bytes.reserveCapacity(tokens.count)
    var special: Set<Int> = []
    for index in tokens.indices {
      switch kinds[index] {
      case .control, .unknown, .unused: special.insert(index)
      default: break
      }
      bytes.append(text(of: index))
    }
    return (bytes, special.union(endTokens))
  }

  private func text(of index: Int) -> [UInt8] {
    let token = tokens[index]
    switch kinds[index] {
    case .control, .unknown, .unused: return []
    case .userDefined: return Array(token)
    case .byte:
      // <0x0A>
      let digits = token.dropFirst(3).dropLast()
      guard let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
        return Array(token)
      }
      return [byte]
    case .normal:
      return model == "gpt2" ? ByteAlphabet.bytes(of: token) : SentencePieceText.plain(token)
    }
  }
}

/// How SentencePiece writes spaces: as U+2581.
enum SentencePieceText {
  static let space: [UInt8] = [0xE2, 0x96, 0x81]

  /// The tokens that stand for single bytes, `<0x0A>` for one.
  static func byteTokens(_ table: ByteStringTable) -> [Int?] {
    (0..<256).map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return table.index(of: Array("<0x\(byte < 16 ? "0" : "")\(digits)>".utf8))
        ?? table.index(of: [UInt8(byte)])
    }
  }

  /// A token's text with spaces as spaces.
  static func plain(_ token: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(token.count)
    var index = token.startIndex
    while index < token.endIndex {
      if token[index...].starts(with: space) {
        result.append(0x20)
        index += 3
      } else {
        result.append(token[index])
        index += 1
      }
    }
    return result
  }

  /// A text with spaces as U+2581.
  static func escaped(_ text: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in text {
      if byte == 0x20 { result += space } else { result.append(byte) }
    }
    return result
  }
}
