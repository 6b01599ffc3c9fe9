// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EspalierCore
import EspalierLocal
import Foundation

extension ModelCommand {
  /// `espalier model info`
  struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether a GGUF file runs here, in how much memory, and what it holds.")

    @Argument(help: "A GGUF file.", completion: .file()) var file: String
    @OptionGroup var cache: CacheChoice
    @Flag(help: "Report as JSON.") var json = false

    func run() throws {
      let path = ModelFolder().path(named: file)
      let gguf: GGUFFile
      do {
        gguf = try GGUFFile(path: path)
      } catch {
        throw Failure.unreadable.report("\(error)")
      }
      let verdict = Verdict(path: path, cache.precision)
      let values =
        [("version", .integer(gguf.version)), ("tensors", .integer(gguf.tensors.count))]
        + gguf.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      guard !json else {
        let members = verdict.members + values.map { ($0.0, Self.summary(of: $0.1)) }
        return Terminal.writeLine(
          GeneratedContent(properties: members, uniquingKeysWith: { first, _ in first }).jsonString)
      }
      for line in verdict.lines { Terminal.writeLine(line) }
      for (name, value) in values {
        // A file may hold any text: what would steer a terminal is escaped.
        let name = GeneratedContent(name).jsonString.dropFirst().dropLast()
        let summary = Self.summary(of: value)
        let text =
          if case .string = value { summary.generatedContent.jsonString } else { "\(summary)" }
        Terminal.writeLine("\(Terminal.styled(String(name), .bold)): \(text)")
      }
    }

    /// Whether the model runs here, and in how much memory.
    private struct Verdict {
      /// Why the file cannot be run; nil where it can.
      var reason: String?
      var needed: GGUFTokenModel.Requirements?
      let precision: CachePrecision
      let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)

      init(path: String, _ precision: CachePrecision) {
        self.precision = precision
        do {
          needed = try GGUFTokenModel.Requirements(path: path, cachePrecision: precision)
        } catch {
          reason = "\(error)"
        }
      }

      /// For how many tokens memory is counted.
      private func tokens(_ needed: GGUFTokenModel.Requirements) -> Int {
        min(4096, needed.contextSize)
      }

      private func fits(_ needed: GGUFTokenModel.Requirements) -> Bool {
        needed.bytes(forTokens: tokens(needed)) < machine
      }

      var members: [(String, any ConvertibleToGeneratedContent)] {
        guard let needed else { return [("runs", false), ("reason", reason ?? "")] }
        return [
          ("runs", fits(needed)), ("weightBytes", needed.weightBytes),
          ("bytesPerToken", needed.bytesPerToken),
          ("bytesPerSequence", needed.bytesPerSequence), ("cacheBits", precision.rawValue),
          ("contextSize", needed.contextSize),
          ("neededTokens", tokens(needed)),
          ("neededBytes", needed.bytes(forTokens: tokens(needed))), ("machineBytes", machine),
        ]
      }

      /// What people read: whether it runs, and what a sequence takes.
      var lines: [String] {
        guard let needed else {
          let escaped = GeneratedContent(reason ?? "").jsonString.dropFirst().dropLast()
          return [Terminal.styled("does not run here", .bold) + ": \(escaped)"]
        }
        let tokens = tokens(needed)
        let bytes = needed.bytes(forTokens: tokens)
        let verdict = Terminal.styled(fits(needed) ? "runs here" : "needs more memory", .bold)
        let sequence = Terminal.styled("a sequence", .bold)
        return [
          "\(verdict): \(Self.size(bytes)) for a sequence of \(tokens) tokens, "
            + "\(Self.size(needed.weightBytes)) of them weights; this machine has "
            + Self.size(machine),
          "\(sequence): at most \(needed.contextSize) tokens, \(needed.bytesPerToken) bytes each "
            + "with keys and values in \(precision.rawValue) bits (--cache-bits)",
        ]
      }

      private static func size(_ bytes: Int) -> String {
        let megabytes = max(1, (Double(bytes) / 1e6).rounded())
        return megabytes < 10_000
          ? "\(Int(megabytes)) MB" : "\((megabytes / 100).rounded() / 10) GB"
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
}
