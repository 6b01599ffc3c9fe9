// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct ModelInfoTests {
  /// A model file without tensors.
  private func file() -> Data {
    var bytes: [UInt8] = []
    func put<T: FixedWidthInteger>(_ value: T) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    func text(_ text: String) {
      put(UInt64(text.utf8.count))
      bytes += text.utf8
    }
    bytes += "GGUF".utf8
    put(UInt32(3))
    put(UInt64(0))
    put(UInt64(5))
    text("general.architecture")
    put(UInt32(8))
    text("llama")
    text("general.name")
    put(UInt32(8))
    text("Evil\u{1B}[2J")
    text("some.list")
    put(UInt32(9))
    put(UInt32(8))
    put(UInt64(6))
    for word in ["a", "b", "c", "d", "e", "f"] { text(word) }
    text("some.number")
    put(UInt32(6))
    put(Float.nan.bitPattern)
    text("some.size")
    put(UInt32(4))
    put(UInt32(2048))
    return Data(bytes)
  }

  @Test func textsAreText() async throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "model.gguf")
    try file().write(to: url)
    let run = try await CommandRun.run("espalier", ["model", "info", url.path])
    #expect(
      run.lines == [
        "does not run here: GGUF: llama.block_count: expected a whole number, found none.",
        "version: 3", "tensors: 0", #"general.architecture: "llama""#,
        #"general.name: "Evil\u001b[2J""#,
        #"some.list: ["a", "b", "c", "d", …] (6 elements)"#, "some.number: nan",
        "some.size: 2048",
      ])
    let json = try await CommandRun.run("espalier", ["model", "info", url.path, "--json"])
    #expect(json.output.hasPrefix(#"{"runs":false,"reason":"GGUF: llama.block_count: "#))
    #expect(json.output.contains(#""general.architecture":"llama""#))
    #expect(json.output.contains(#""some.size":2048"#))
  }

  private static let realModel = ProcessInfo.processInfo.environment["ESPALIER_MODEL"]

  /// Fewer bits take less memory, and what is said of it is what the answers then cost.
  @Test(.enabled(if: realModel != nil), arguments: [(32, 46_080), (16, 23_760), (8, 12_240)])
  func memoryIsThatOfTheBits(bits: Int, bytesPerToken: Int) async throws {
    let info = ["model", "info", Self.realModel ?? "", "--cache-bits", "\(bits)"]
    let run = try await CommandRun.run("espalier", info)
    let expected = Double(111_474_000 + 4096 * bytesPerToken) / 1e6
    let words = try #require(run.lines.first).split(separator: " ")
    #expect(words.starts(with: ["runs", "here:"]) && words[3...].starts(with: ["MB", "for", "a"]))
    #expect(abs(try #require(Double(words[2])) - expected) < 1)
    #expect(
      run.lines[1] == "a sequence: at most 8192 tokens, \(bytesPerToken) bytes each with keys and "
        + "values in \(bits) bits (--cache-bits)")
    let json = try await CommandRun.run("espalier", info + ["--json"])
    #expect(json.output.contains(#""bytesPerToken":\#(bytesPerToken),"#))
    #expect(json.output.contains(#""cacheBits":\#(bits),"contextSize":8192,"#))
  }

  @Test(.enabled(if: realModel != nil), arguments: [32, 16, 8])
  func commandsTakeTheBits(bits: Int) async throws {
    let run = try await CommandRun.run(
      "espalier",
      [
        "generate", "-", "How many legs has a dog?", "--model", Self.realModel ?? "",
        "--cache-bits", "\(bits)", "--maximum-tokens", "8",
      ], input: #"{"type":"integer","minimum":0,"maximum":9}"#)
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].contains(run.lines.last))
  }

  @Test func bitsThatAreNone() async throws {
    let run = try await CommandRun.run(
      "espalier", ["model", "info", "none.gguf", "--cache-bits", "4"])
    #expect(run.exitCode == 64)
    #expect(run.errors.contains("expected 32, 16 or 8"))
  }
}
