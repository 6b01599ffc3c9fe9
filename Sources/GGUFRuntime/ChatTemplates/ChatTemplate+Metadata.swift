// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import ChatTemplates

extension ChatTemplate {
  /// Recognises the template of a model file by its markup; one that is not known is followed as it
  /// is written. A file may have a template of its own for conversations with tools.
  public init(metadata: [String: GGUFValue]) {
    let forTools = metadata["tokenizer.chat_template.tool_use"]?.string ?? ""
    self.init(
      recognising: metadata["tokenizer.chat_template"]?.string ?? forTools, forTools: forTools,
      beginningOfSequence: Self.token(named: "tokenizer.ggml.bos_token_id", in: metadata),
      endOfSequence: Self.token(named: "tokenizer.ggml.eos_token_id", in: metadata))
  }

  /// The text of a token that the file names by its number.
  private static func token(named key: String, in metadata: [String: GGUFValue]) -> String {
    guard let number = metadata[key]?.integer,
      case .strings(let tokens)? = metadata["tokenizer.ggml.tokens"],
      tokens.indices.contains(number)
    else { return "" }
    return String(decoding: tokens[number], as: UTF8.self)
  }
}
