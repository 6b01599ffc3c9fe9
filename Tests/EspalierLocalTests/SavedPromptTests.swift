// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
}
