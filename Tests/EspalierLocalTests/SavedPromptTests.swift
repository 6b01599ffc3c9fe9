// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@testable import EspalierLocal

/// What reading a prompt left goes to disk and comes back, or is not taken at all.
@Suite struct SavedPromptTests {
  private static let tokens = (0..<150).map { ($0 * 7) % 250 }

  private func logits(_ context: GGUFTokenModel.Context) -> [Float] {
    var context = context
    var logits: [Float] = []
    context.nextLogits(into: &logits)
    return logits
  }

  private func withSavedPrompt(
    _ architecture: String = "llama", _ body: (GGUFTokenModel, String) throws -> Void
  ) throws {
    let writer = TinyModel.writer(architecture: architecture, shape: .showing(architecture))
    try withTemporaryFile(writer.file()) { path in
      let model = try GGUFTokenModel(path: path)
      var context = model.makeContext()
      try context.append(Self.tokens)
      let saved = path + ".prompt"
      defer { try? FileManager.default.removeItem(atPath: saved) }
      try context.save(to: saved)
      try body(model, saved)
    }
  }

  @Test(arguments: [
    "llama", "gemma3", "gemma4", "lfm2", "qwen35", "granitehybrid", "nemotron_h", "deepseek2",
  ])
  func aRestoredSequenceGoesOnAlike(architecture: String) throws {
    try withSavedPrompt(architecture) { model, path in
      var restored = try #require(model.makeContext(reading: Self.tokens, savedAt: path))
      var alone = model.makeContext()
      try alone.append(Self.tokens)
      #expect(restored.tokens == Self.tokens)
      #expect(logits(restored) == logits(alone))
      for token in [3, 5, 7] {
        try restored.append([token])
        try alone.append([token])
        #expect(logits(restored) == logits(alone))
      }
      restored.rollback(to: 140)
      alone.rollback(to: 140)
      try restored.append([9])
      try alone.append([9])
      #expect(logits(restored) == logits(alone))
    }
  }

  @Test func whatIsKeptOtherwiseIsNotTaken() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let saved = path + ".prompt"
      defer { try? FileManager.default.removeItem(atPath: saved) }
      for precision in CachePrecision.allCases {
        let model = try GGUFTokenModel(path: path, options: .init(cachePrecision: precision))
        var context = model.makeContext()
        try context.append(Self.tokens)
        try context.save(to: saved)
        for other in CachePrecision.allCases {
          let reader = try GGUFTokenModel(path: path, options: .init(cachePrecision: other))
          let restored = reader.makeContext(reading: Self.tokens, savedAt: saved)
          #expect((restored != nil) == (other == precision))
          if let restored { #expect(logits(restored) == logits(context)) }
        }
      }
      let need = try CachePrecision.allCases.map {
        try GGUFTokenModel.Requirements(path: path, cachePrecision: $0).bytesPerToken
      }
      #expect(need[1] < need[0] && need[2] < need[1])
    }
  }

  @Test func otherTokensAndOtherModelsAreNotTaken() throws {
    try withSavedPrompt { model, path in
      #expect(model.makeContext(reading: Self.tokens.dropLast() + [1], savedAt: path) == nil)
      #expect(model.makeContext(reading: Array(Self.tokens.dropLast()), savedAt: path) == nil)
      #expect(model.makeContext(reading: [], savedAt: path) == nil)
      #expect(model.makeContext(reading: Self.tokens, savedAt: path + ".none") == nil)
      // The same shape with other weights.
      try withTemporaryFile(TinyModel.writer(seed: 2).file()) { other in
        let other = try GGUFTokenModel(path: other)
        #expect(other.makeContext(reading: Self.tokens, savedAt: path) == nil)
      }
    }
  }

  @Test func brokenFilesAreNotTaken() throws {
    try withSavedPrompt { model, path in
      let whole = try Data(contentsOf: URL(filePath: path))
      for place in stride(from: 0, to: whole.count, by: 997) {
        var broken = whole
        broken[place] ^= 1
        try broken.write(to: URL(filePath: path))
        #expect(model.makeContext(reading: Self.tokens, savedAt: path) == nil, "byte \(place)")
      }
      for length in [0, 7, 100, whole.count - 1] {
        try whole.prefix(length).write(to: URL(filePath: path))
        #expect(model.makeContext(reading: Self.tokens, savedAt: path) == nil)
      }
      try (whole + [0]).write(to: URL(filePath: path))
      #expect(model.makeContext(reading: Self.tokens, savedAt: path) == nil)
      try whole.write(to: URL(filePath: path))
      #expect(model.makeContext(reading: Self.tokens, savedAt: path) != nil)
    }
  }

  @Test func nothingReadCannotBeSaved() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let context = try GGUFTokenModel(path: path).makeContext()
      #expect(throws: TokenModelError.nothingRead) { try context.save(to: path + ".prompt") }
    }
  }

  /// What sessions read is kept in the same way; whatever is no file of the transcript is replaced.
  @Test(.timeLimit(.minutes(30)), arguments: ["llama", "qwen35"])
  func sessionsFindWhatWasRead(architecture: String) async throws {
    let writer = TinyModel.writer(architecture: architecture, shape: .showing(architecture))
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tiny.gguf")
    try Data(writer.file()).write(to: file)
    let saved = folder.appending(path: "instructions").path
    func node() throws -> UInt64? {
      try FileManager.default.attributesOfItem(atPath: saved)[.systemFileNumber] as? UInt64
    }
    /// What a new process does: how many tokens of the prompt were known, and the answer.
    func launch(_ instructions: String) async throws -> (known: Int, answer: String) {
      let base = try GGUFTokenModel(path: file.path)
      let model = GuidedLanguageModel(base, sampling: .greedy)
      let session = LanguageModelSession(model: model, instructions: instructions)
      try await model.prewarm(session.transcript, savedAt: saved)
      let response = try await session.respond(
        to: "Go", options: GenerationOptions(maximumResponseTokens: 8))
      return (response.usage.input.cachedTokenCount, response.content)
    }
    let first = try await launch("Speak like a pirate.")
    let whole = try Data(contentsOf: URL(filePath: saved))
    let written = try node()
    let second = try await launch("Speak like a pirate.")
    #expect(second == first && first.known > 20)
    #expect(try node() == written)
    for broken in [Data(), whole.dropLast(), whole.dropLast() + [0, 0]] {
      try broken.write(to: URL(filePath: saved))
      #expect(try await launch("Speak like a pirate.") == first)
      #expect(try Data(contentsOf: URL(filePath: saved)) == whole)
    }
    _ = try await launch("Speak like a sailor.")
    #expect(try Data(contentsOf: URL(filePath: saved)) != whole)
  }

  /// There is nothing to read, too much of it, or no place for the file.
  @Test(.timeLimit(.minutes(30))) func whatCannotBeKept() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tiny.gguf")
    try Data(TinyModel.writer().file()).write(to: file)
    let model = GuidedLanguageModel(
      try GGUFTokenModel(path: file.path, options: .init(contextSize: 64)))
    let saved = folder.appending(path: "instructions").path
    try await model.prewarm(Transcript(), savedAt: saved)
    #expect(!FileManager.default.fileExists(atPath: saved))
    func prewarm(_ instructions: String, _ path: String) async throws {
      let session = LanguageModelSession(model: model, instructions: instructions)
      try await model.prewarm(session.transcript, savedAt: path)
    }
    await #expect(throws: TokenModelError.self) {
      try await prewarm(String(repeating: "a", count: 100), saved)
    }
    #expect(!FileManager.default.fileExists(atPath: saved))
    await #expect(throws: (any Error).self) {
      try await prewarm("Hi", folder.appending(path: "none/x").path)
    }
  }
}
