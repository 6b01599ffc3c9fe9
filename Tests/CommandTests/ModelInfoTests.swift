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
}
