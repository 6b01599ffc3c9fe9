// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What a command wrote, and how it ended.
struct CommandRun {
  let output: String
  let errors: String
  let exitCode: Int32

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs a product of this package as a shell would: with no terminal.
  ///
  /// - Parameters:
  ///   - product: The name of the executable.
  ///   - arguments: Its arguments.
  ///   - input: What it reads from its standard input.
  ///   - outputFile: Where its output goes; nil to be kept.
  static func run(
    _ product: String, _ arguments: [String], input: String = "",
    environment: [String: String] = [:], outputFile: FileHandle? = nil
  ) async throws -> CommandRun {
    await turns.take()
    do {
      let run = try await start(
        product, arguments, input: input, environment: environment, outputFile: outputFile)
      await turns.giveBack()
      return run
    } catch {
      await turns.giveBack()
      throw error
    }
  }

  /// Tests begin all at once, and each process has several descriptors. `Process.run()` reads past
  /// its buffer, and may crash, when some 1,365 of them are open.
  private static let turns = Turns(8)

  private static func start(
    _ product: String, _ arguments: [String], input: String, environment: [String: String],
    outputFile: FileHandle?
  ) async throws -> CommandRun {
    let process = Process()
    process.executableURL = productsFolder.appending(path: product)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (outputPipe, errorPipe) = (Pipe(), Pipe())
    // A file, not a pipe: a command may end before it has read everything, and a signal for the
    // closed pipe would end the tests.
    let folder = try TemporaryFolder()
    let inputFile = try FileHandle(forReadingAtPath: folder.file("input", input))
    process.standardInput = inputFile ?? FileHandle.nullDevice
    if let outputFile {
      process.standardOutput = outputFile
    } else {
      process.standardOutput = outputPipe
    }
    process.standardError = errorPipe
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        do {
          try process.run()
          let errors = Mutex(Data())
          let reading = DispatchGroup()
          DispatchQueue.global().async(group: reading) {
            let data = errorPipe.fileHandleForReading.readDataToEndOfFile()
            errors.withLock { $0 = data }
          }
          if outputFile != nil { try? outputPipe.fileHandleForWriting.close() }
          let output = outputPipe.fileHandleForReading.readDataToEndOfFile()
          reading.wait()
          process.waitUntilExit()
          continuation.resume(
            returning: CommandRun(
              output: String(decoding: output, as: UTF8.self),
              errors: String(decoding: errors.withLock { $0 }, as: UTF8.self),
              exitCode: process.terminationStatus))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Where the products are: beside the tests.
  static var productsFolder: URL {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    return Bundle.main.bundleURL
  }
}

/// Lets a number of tasks go on at once.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func giveBack() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

/// A folder of its own for the files of a test.
struct TemporaryFolder: ~Copyable {
  let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a new file.
  func file(_ name: String, _ text: String) throws -> String {
    let file = url.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
