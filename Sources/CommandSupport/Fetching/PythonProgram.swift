// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux) || os(Windows)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A run of the user's Python.
  struct PythonProgram {
    let python: String
    let arguments: [String]
    let environment: [String: String]

    struct Outcome {
      var status: Int32
      var isMissing: Bool
      /// The last line that it wrote about what went wrong.
      var lastWords: String
    }

    /// Runs the program, and calls a closure now and then while it does.
    ///
    /// - Throws: `CancellationError` where the task is cancelled; the program is ended then.
    func run(_ whileRunning: () -> Void) async throws -> Outcome {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [python] + arguments
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      let words = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).log")
      try Data().write(to: words)
      defer { try? FileManager.default.removeItem(at: words) }
      let output = try FileHandle(forWritingTo: words)
      defer { try? output.close() }
      // A file and no pipe: nobody reads along, and a full pipe would stop the program.
      process.standardError = output
      process.standardOutput = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.run()
      do {
        while process.isRunning {
          whileRunning()
          try await Task.sleep(for: .milliseconds(50))
        }
      } catch {
        #if os(Windows)
          process.terminate()
        #else
          // A thread of Swift's pool blocks signals, and what it starts does so too: this one ends
          // it all the same.
          kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
        throw error
      }
      whileRunning()
      let said = (try? String(contentsOf: words, encoding: .utf8)) ?? ""
      let lines = said.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      let isMissing =
        process.terminationStatus == 127 || said.contains("No module named pip")
      return Outcome(
        status: process.terminationStatus, isMissing: isMissing,
        lastWords: lines.last { $0.hasPrefix("ERROR") } ?? lines.last { !$0.isEmpty }
          ?? "it ended with status \(process.terminationStatus)")
    }
  }

  /// A lock on a folder that the system lifts when its holder ends, however it ends.
  struct FolderLock {
    private let descriptor: Int32

    /// Waits until nobody else has the lock.
    init(_ path: String) async throws {
      #if os(Windows)
        descriptor = -1
      #else
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
          do {
            try await Task.sleep(for: .milliseconds(200))
          } catch {
            close(descriptor)
            throw error
          }
        }
      #endif
    }

    func release() {
      #if !os(Windows)
        close(descriptor)
      #endif
    }
  }
#endif
