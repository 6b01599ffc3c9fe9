import ArgumentParser
import ConstrainedDecoding
import EspalierCore
import Foundation

/// Reads files, and the standard input in place of `-`.
enum Inputs {
  static func bytes(of path: String) throws -> [UInt8] {
    if path == "-" {
      var bytes: [UInt8] = []
      do {
        while let piece = try FileHandle.standardInput.read(upToCount: 1 << 16), !piece.isEmpty {
          bytes += piece
        }
      } catch {
        throw Failure.unreadable.report("cannot read the input: \(error.localizedDescription)")
      }
      return bytes
    }
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure.unreadable.report("cannot read '\(path)': it is a folder")
    }
    do {
      return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw Failure.unreadable.report("cannot read '\(path)': \(error.localizedDescription)")
    }
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

  func text() throws -> String { try Inputs.text(of: schema) }
}

/// How a schema becomes a grammar.
enum Policy: String, ExpressibleByArgument, CaseIterable {
  case generation, validation

  var options: CompilationOptions { self == .generation ? .generation : .validation }
}

extension Grammar {
  /// The grammar of a schema; what keeps it from being one is reported.
  static func compiled(_ schema: String, policy: Policy) throws -> Grammar {
    do {
      return try Grammar(jsonSchema: schema, options: policy.options)
    } catch {
      throw Failure.no.report("the schema cannot be honoured:\n\(error)")
    }
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
