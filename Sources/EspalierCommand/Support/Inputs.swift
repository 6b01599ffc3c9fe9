// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import ConstrainedDecoding
import EspalierCore
import Foundation

/// Reads files, pipes, and the standard input in place of `-`.
enum Inputs {
  /// How many bytes are held of an input: a device such as `/dev/zero` never ends.
  static let sizeLimit = 1 << 28

  /// An input that is read piece by piece.
  struct Pieces {
    fileprivate let name: String
    fileprivate let file: FileHandle

    /// The next bytes; nil at the end.
    func next(upTo count: Int = 4096) throws -> [UInt8]? {
      do {
        guard let piece = try file.read(upToCount: count), !piece.isEmpty else { return nil }
        return Array(piece)
      } catch {
        throw Failure.unreadable.report("cannot read \(name): \(error.systemReason)")
      }
    }
  }

  /// Opens a file, a pipe that a shell made (`<(jq …)`), or the standard input.
  static func pieces(of path: String) throws -> Pieces {
    if path == "-" { return Pieces(name: "the input", file: .standardInput) }
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure.unreadable.report("cannot read '\(path)': it is a folder")
    }
    do {
      return Pieces(
        name: "'\(path)'", file: try FileHandle(forReadingFrom: URL(filePath: path)))
    } catch {
      throw Failure.unreadable.report("cannot read '\(path)': \(error.systemReason)")
    }
  }

  static func bytes(of path: String) throws -> [UInt8] {
    let pieces = try pieces(of: path)
    var bytes: [UInt8] = []
    while let piece = try pieces.next(upTo: 1 << 16) {
      bytes += piece
      guard bytes.count <= sizeLimit else {
        throw Failure.unreadable.report(
          "cannot read \(pieces.name): it is longer than the limit of \(sizeLimit) bytes; "
            + "hand it over in parts")
      }
    }
    return bytes
  }

  /// The JSON files of a folder, by their paths in it; of a file the empty path alone.
  static func documents(below path: String) -> [String] {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { return [""] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted()
  }

  static func text(of path: String) throws -> String {
    guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
      throw Failure.unreadable.report("'\(path)' is not UTF-8")
    }
    return text
  }
}

/// The schema that a command works with.
struct SchemaArgument: ParsableArguments {
  @Argument(help: "A JSON Schema file; - for the standard input.", completion: .file())
  var schema: String

  @Option(
    help: ArgumentHelp(
      "A JSON file, or a folder of them, that references may name; may be repeated.",
      discussion: "A document is known by its `$id`, or as URI; one of a folder by the URI and its "
        + "path in the folder.",
      valueName: "[uri=]path"))
  var document: [String] = []

  func text() throws -> String { try Inputs.text(of: schema) }

  /// The documents that references may name, by their URI.
  func documents() throws -> [String: String] {
    var result: [String: String] = [:]
    for argument in document {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      let uri = parts.count == 2 ? parts[0] : nil
      let path = parts.count == 2 ? parts[1] : argument
      for name in Inputs.documents(below: path) {
        let text = try Inputs.text(of: name.isEmpty ? path : "\(path)/\(name)")
        result[uri.map { $0 + name } ?? (name.isEmpty ? path : name)] = text
        let identifier = (try? GeneratedContent(json: text))?.structureValue?["$id"]?.stringValue
        if let identifier { result[identifier] = text }
      }
    }
    return result
  }

  /// The grammar of the schema. What is noticed and is no error goes to the standard error.
  func grammar(
    policy: Policy, whiteSpace: WhiteSpace? = nil, limits: LimitArgument? = nil
  ) throws -> Grammar {
    try Self.grammar(
      of: try text(), policy: policy, whiteSpace: whiteSpace, documents: try documents(),
      limits: limits)
  }

  /// - Parameter limits: What the command was told of limits; nil where it has no option for them.
  static func grammar(
    of text: String, policy: Policy, whiteSpace: WhiteSpace? = nil, documents: [String: String],
    limits: LimitArgument? = nil
  ) throws -> Grammar {
    var options = policy.options
    limits?.apply(to: &options.limits)
    if let whiteSpace { options.whitespace = whiteSpace.whitespace }
    options.documents = documents
    options.warnsOfMisspellings = true
    do {
      let grammar = try Grammar(jsonSchema: text, options: options)
      warn(grammar.warnings)
      return grammar
    } catch {
      throw Failure.no.report(
        "the schema cannot be honoured:\n\(error)\(documentHint(error.diagnostics) ?? "")"
          + (limits == nil ? "" : LimitArgument.hint(error.diagnostics) ?? ""))
    }
  }

  private static func warn(_ warnings: [GrammarError.Diagnostic]) {
    for warning in warnings {
      Terminal.writeError("\(Terminal.styled("warning", .bold)): \(warning)\n")
    }
    if let hint = documentHint(warnings) { Terminal.writeError("\(hint.dropFirst())\n") }
  }

  /// A line on how a command is given a document that a reference names: the engine's advice is for
  /// code.
  static func documentHint(_ diagnostics: [GrammarError.Diagnostic]) -> String? {
    diagnostics.contains { $0.message.contains("register the schema") } ? documentHint : nil
  }

  private static let documentHint =
    "\nThe file of a schema is registered with --document FILE, or --document URI=FILE."

  /// The schema for a model. What is noticed and is no error goes to the standard error.
  ///
  /// - Parameter text: The schema; what the argument names where it is nil.
  func generationSchema(of text: String? = nil) throws -> GenerationSchema {
    let (text, documents) = (try text ?? self.text(), try documents())
    let schema = try Self.generationSchema(of: text, documents: documents)
    var options = CompilationOptions.generation
    options.documents = documents
    options.warnsOfMisspellings = true
    // What is wrong is told where values are made of the schema.
    if let grammar = try? Grammar(jsonSchema: text, options: options) {
      Self.warn(grammar.warnings)
    }
    return schema
  }

  static func generationSchema(
    of text: String, documents: [String: String] = [:]
  ) throws -> GenerationSchema {
    do {
      return try GenerationSchema(jsonSchema: text, documents: documents)
    } catch let error as GeneratedContent.ParsingError {
      throw Failure.unreadable.report(error.problemDescription)
    } catch let error as SchemaImportError {
      let problem = error.problemDescription
      // A reference within the schema needs no other file.
      let namesFile = problem.contains("leads nowhere") && !problem.hasPrefix("'#")
      throw Failure.no.report(problem + (namesFile ? documentHint : ""))
    }
  }
}

/// How a schema becomes a grammar.
enum Policy: String, ExpressibleByArgument, CaseIterable {
  case generation, validation

  var options: CompilationOptions { self == .generation ? .generation : .validation }
}

/// Which white space values may have.
enum WhiteSpace: String, ExpressibleByArgument, CaseIterable {
  case compact, spaced, free

  var whitespace: CompilationOptions.Whitespace {
    switch self {
    case .compact: .compact
    case .spaced: .spaced
    case .free: .bounded(1)
    }
  }
}

/// Which white space is looked at, of a model or without one.
struct WhiteSpaceChoice: ParsableArguments {
  @Option(
    name: .customLong("white-space"),
    help: ArgumentHelp(
      "White space within values: compact, spaced, or free for one character in any place.",
      discussion: "Where it is not given, that of the policy; with --model what the model is held "
        + "to, which is spaced."))
  var whitespace: WhiteSpace?

  /// The choice; nil where the policy decides.
  func choice(model: String?, policy: Policy) -> WhiteSpace? {
    whitespace ?? (model != nil && policy == .generation ? .spaced : nil)
  }
}

extension GeneratedContent {
  /// An object of a command's report.
  static func report(
    _ members: KeyValuePairs<String, any ConvertibleToGeneratedContent>
  ) -> GeneratedContent {
    GeneratedContent(properties: members)
  }
}
