// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz target of command lines. An input is the arguments, a line each; `schema`, `broken`,
// `value`, `grammar` and `model` are files. Commands that touch no network and wait for nobody run, and
// end with a code that the help names.

import ArgumentParser
import Foundation

@testable import EspalierCommand

private let files: [String: String] = {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "espalier-fuzz-arguments-\(ProcessInfo.processInfo.processIdentifier)")
  let texts = [
    "schema": #"{"type":"object","properties":{"a":{"type":"integer"},"b":{"maxLength":3}}}"#,
    "broken": #"{"type":"obj"#, "value": #"{"a":1}"#, "grammar": "root ::= \"a\" | root \"b\"",
    "model": "GGUF\u{3}",
  ]
  var files: [String: String] = [:]
  for (name, text) in texts {
    let file = folder.appending(path: name)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    } catch {
      fatalError("no temporary file: \(error)")
    }
    files[name] = file.path
  }
  return files
}()

/// The commands that are run: they read files and compute.
private let commands: Set<String> = ["schema", "grammar", "validate", "mask", "sample", "bench"]
/// Arguments that ask for more than a second of work, or for the standard input.
private func isModest(_ arguments: [String]) -> Bool {
  for (index, argument) in arguments.enumerated() {
    if argument == "-" || argument.hasPrefix("/") { return false }
    for option in ["--count", "--values"] where argument.hasPrefix(option) {
      let value =
        argument.split(separator: "=").dropFirst().first.map(String.init)
        ?? arguments.dropFirst(index + 1).first
      if let number = value.flatMap(Int.init), number > 3 { return false }
    }
  }
  return true
}

func fuzzArguments(_ bytes: UnsafeBufferPointer<UInt8>) {
  let arguments = String(decoding: bytes, as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).prefix(24)
    .map { files[String($0)] ?? String($0) }
  // What has no file to read would wait for the standard input.
  let names = Set(files.values)
  guard isModest(arguments.map { names.contains($0) ? "file" : $0 }) else { return }
  do {
    var command = try EspalierCommand.parseAsRoot(arguments)
    guard let name = arguments.first, commands.contains(name),
      name != "validate" || arguments.filter(names.contains).count > 1
    else { return }
    if command is any AsyncParsableCommand {
      let outcome = waitForResult {
        // Parsed where it runs: a command cannot be handed to another task.
        var command = try EspalierCommand.parseAsRoot(arguments) as? any AsyncParsableCommand
        try await command?.run()
      }
      if case .failure(let error) = outcome { check(error, arguments) }
    } else {
      try command.run()
    }
  } catch {
    check(error, arguments)
  }
}

private func check(_ error: any Error, _ arguments: [String]) {
  let code = EspalierCommand.exitCode(for: error).rawValue
  precondition([0, 1, 2, 3, 64].contains(code), "\(arguments) ended with \(code): \(error)")
}
