// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Makes text that a person typed, or that an app found somewhere, fit for a prompt.
///
/// ```swift
/// let clean = InputHygiene().clean(message.text)
/// try await session.respond {
///   "Summarise this message:"
///   clean.text
/// }
/// ```
///
/// Instructions are the app's alone; data belongs into prompts. A chat template marks who speaks by
/// special tokens: text that spells one must not become one. Models of this package never read
/// special tokens out of text; for others, ``clean(_:)`` breaks the spelling up.
public struct InputHygiene: Sendable {
  /// The greatest number of characters; no limit where nil.
  public var maximumLength: Int?
  /// Texts that models take for something else than text.
  public var specialTexts: [String]

  /// Texts that mark turns and tool calls in the chat templates of well-known models.
  public static let commonSpecialTexts = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>",
    "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>",
    "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<s>", "</s>", "[INST]", "[/INST]",
    "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "<<SYS>>", "<</SYS>>", "<tool_call>", "</tool_call>", "<tool_response>",
    "</tool_response>", "<think>", "</think>", "<|user|>", "<|assistant|>", "<|system|>",
    "<|end|>",
  ]

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - maximumLength: The greatest number of characters; no limit where nil.
  ///   - specialTexts: Texts that models take for something else than text.
  public init(
    maximumLength: Int? = nil, specialTexts: [String] = InputHygiene.commonSpecialTexts
  ) {
    self.maximumLength = maximumLength
    self.specialTexts = specialTexts
  }

  /// Text after cleaning, and what was done to it.
  public struct Result: Sendable, Hashable {
    /// The text.
    public var text: String
    /// How many characters were taken out: controls, and marks that turn the direction of text.
    public var removedCharacterCount = 0
    /// Which special texts were broken up.
    public var defusedTexts: [String] = []
    /// Whether the text was too long.
    public var isTruncated = false

    /// Creates the result of text that needed nothing.
    public init(text: String) { self.text = text }
  }

  /// Takes control characters out, breaks special texts up, and cuts what is too long.
  ///
  /// A special text is broken up by a word joiner after its first character: a person reads the
  /// same, a tokenizer does not. Upper and lower case are the same.
  ///
  /// - Complexity: Linear in the length of the text times the number of special texts.
  public func clean(_ text: String) -> Result {
    var result = Result(text: "")
    for scalar in text.unicodeScalars {
      if scalar.isUnwelcome {
        result.removedCharacterCount += 1
      } else {
        result.text.unicodeScalars.append(scalar)
      }
    }
    if let maximumLength, result.text.count > maximumLength {
      result.text = String(result.text.prefix(max(0, maximumLength)))
      result.isTruncated = true
    }
    for special in specialTexts { defuse(special, in: &result) }
    return result
  }

  private func defuse(_ special: String, in result: inout Result) {
    let needle = Array(special.utf8.map(\.lowercased))
    let bytes = Array(result.text.utf8)
    guard !needle.isEmpty, bytes.count >= needle.count else { return }
    var output: [UInt8] = []
    var index = 0
    var found = false
    while index < bytes.count {
      output.append(bytes[index])
      if bytes[index].lowercased == needle[0], index + needle.count <= bytes.count,
        zip(bytes[index...], needle).allSatisfy({ $0.lowercased == $1 })
      {
        output += Array("\u{2060}".utf8)
        found = true
      }
      index += 1
    }
    guard found else { return }
    result.text = String(decoding: output, as: UTF8.self)
    result.defusedTexts.append(special)
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

extension Unicode.Scalar {
  /// Controls other than tab and line break, marks that turn the direction of text, tags that show
  /// nothing, and a byte order mark.
  fileprivate var isUnwelcome: Bool {
    switch value {
    case 0x09, 0x0A: false
    case 0x0D: true
    case ..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xE0000...0xE007F: true
    default: false
    }
  }
}
