// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import Foundation

/// Whose tokens a command looks at.
struct VocabularyArgument: ParsableArguments {
  @Option(
    help: "A model's tokenizer.json, or a JSON array with the texts of the tokens.",
    completion: .file())
  var vocabulary: String?
  @Option(
    help: """
      The token of a tokenizer.json that ends an answer; without it the file tokenizer_config.json \
      in the same folder says which.
      """)
  var endToken: String?
  @Option(help: "A GGUF model file, whose tokens are taken.", completion: .file())
  var model: String?

  func validate() throws {
    if vocabulary != nil, model != nil {
      throw ValidationError("--vocabulary and --model exclude each other: the tokens come from one")
    }
    if endToken != nil, vocabulary == nil {
      throw ValidationError("--end-token needs --vocabulary with a tokenizer.json")
    }
  }

  /// The tokens of a model file or of a vocabulary; without either the single bytes.
  func tokens(of file: GGUFTokenModel?) throws -> Vocabulary {
    if let file { return file.vocabulary }
    guard let vocabulary else { return .singleBytes }
    do {
      let bytes = try Inputs.bytes(of: vocabulary)
      let first = bytes.first { !" \t\r\n".utf8.contains($0) }
      if first == UInt8(ascii: "{") {
        let file = try TokenizerFile(bytes)
        return try file.vocabulary(endOfSequence: try end(beside: vocabulary))
      }
      let json = String(decoding: bytes, as: UTF8.self)
      guard let texts = try? [String](GeneratedContent(json: json)), !texts.isEmpty else {
        throw Failure.unreadable.report(
          "'\(vocabulary)' is no vocabulary; expected a tokenizer.json, or a JSON array of strings, "
            + "the text of each token")
      }
      return try Vocabulary(
        tokens: texts.map { Array($0.utf8) } + [[]], specialTokens: [texts.count],
        endOfSequence: texts.count)
    } catch let error as VocabularyError {
      throw Failure.unreadable.report("'\(vocabulary)': \(error)")
    }
  }

  /// The text of the token that ends an answer.
  private func end(beside vocabulary: String) throws -> String {
    if let endToken { return endToken }
    let path = URL(filePath: vocabulary).deletingLastPathComponent()
      .appending(path: "tokenizer_config.json").path(percentEncoded: false)
    if let bytes = FileManager.default.contents(atPath: path),
      let content = try? GeneratedContent(json: String(decoding: bytes, as: UTF8.self)),
      let end = try? content.value(GeneratedContent?.self, forProperty: "eos_token")
    {
      if let name = try? end.value(String.self) { return name }
      if let name = try? end.value(String.self, forProperty: "content") { return name }
    }
    throw Failure.unreadable.report(
      "which token ends an answer? No 'eos_token' in '\(path)'; name it with --end-token TEXT")
  }
}
