// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// llama.cpp as a reference, where it is there: `ESPALIER_REFERENCE_PYTHON` names a Python that has
/// the packages `xllamacpp` and `gguf`.
enum Reference {
  static var python: String? { ProcessInfo.processInfo.environment["ESPALIER_REFERENCE_PYTHON"] }
  static var isThere: Bool { python != nil }

  /// A real model: `ESPALIER_MODEL` names the file of SmolLM2-135M-Instruct.
  static var model: String? { ProcessInfo.processInfo.environment["ESPALIER_MODEL"] }

  /// Vocabulary-only files: `ESPALIER_VOCABULARIES` names a folder of `ggml-vocab-*.gguf`.
  static var vocabularies: [String] {
    guard let folder = ProcessInfo.processInfo.environment["ESPALIER_VOCABULARIES"] else {
      return []
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".gguf") }.sorted().map { "\(folder)/\($0)" }
  }

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Runs the script beside the tests and decodes what it prints.
  static func run<Value: Decodable>(_ arguments: [String], as type: Value.Type) throws -> Value {
    guard let python else { throw Failure(description: "no Python") }
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "References/reference.py")
    let output = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [script.path] + arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(arguments): exit code \(process.terminationStatus)")
    }
    return try JSONDecoder().decode(type, from: Data(contentsOf: output))
  }
}
