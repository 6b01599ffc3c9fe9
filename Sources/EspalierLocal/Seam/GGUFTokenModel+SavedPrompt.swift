// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore
import Foundation
import GGUFRuntime

extension GuidedLanguageModel where Base == GGUFTokenModel {
  /// Reads the beginning of a conversation for this model's sessions, or takes it back from a file that
  /// has kept it: long instructions are read once, not at each launch.
  ///
  /// ```swift
  /// let session = LanguageModelSession(model: model, instructions: instructions)
  /// try await model.prewarm(session.transcript, savedAt: path)
  /// ```
  ///
  /// The file is taken if it is of the same model, if the model's template makes the same tokens of the
  /// transcript, and if its digest is right. Otherwise the transcript is read, and the file replaced.
  /// It holds what can be told of the transcript: keep it where the conversation may be kept.
  ///
  /// - Parameters:
  ///   - transcript: The conversation so far, such as the instructions of a session. An empty one reads
  ///     and writes nothing.
  ///   - path: Where the file is, or is to be. It is as large as what the model remembers of the
  ///     transcript (``GGUFTokenModel/Requirements/bytesPerToken``).
  /// - Throws: `TokenModelError.contextOverflow` where the transcript is too long, `CancellationError`,
  ///   and what writing the file throws. By then the transcript is read.
  public func prewarm(_ transcript: Transcript, savedAt path: String) async throws {
    try await runtime.threads.run { [self] in
      let tokens = try beginning(of: transcript)
      guard !tokens.isEmpty else { return }
      if let saved = runtime.base.makeContext(reading: tokens, savedAt: path) {
        return runtime.giveBack(saved)
      }
      var context = runtime.takeContext(for: tokens)
      defer { runtime.giveBack(context) }
      try await runtime.read(tokens[context.tokens.count...], into: &context)
      try context.save(to: path)
    }
  }
}

extension GGUFTokenModel {
  /// A sequence that has read some tokens, from a file that ``Context/save(to:)`` has written.
  ///
  /// ```swift
  /// func context(
  ///   reading prompt: [Int], of model: GGUFTokenModel, savedAt path: String
  /// ) throws -> GGUFTokenModel.Context {
  ///   if let saved = model.makeContext(reading: prompt, savedAt: path) { return saved }
  ///   var context = model.makeContext()
  ///   try context.append(prompt)
  ///   try context.save(to: path)
  ///   return context
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - tokens: The tokens, such as those of a system message in the model's template.
  ///   - path: Where the file is.
  /// - Returns: The sequence, with the numbers of one that has read the tokens here; nil where the file is
  ///   not there, of another model, of other tokens, or broken.
  /// - Complexity: Linear in the size of the file, which is as large as what the model remembers of the
  ///   tokens.
  public func makeContext(reading tokens: [Int], savedAt path: String) -> Context? {
    guard tokens.count <= contextSize,
      let saved = SavedPrompt.restore(
        path, tokens: tokens, parameters: transformer.parameters, fingerprint: fingerprint)
    else { return nil }
    var context = makeContext()
    context.resume(tokens, saved.cache, last: saved.last)
    return context
  }
}

extension GGUFTokenModel.Context {
  /// Writes what the model remembers of the tokens read, for
  /// ``GGUFTokenModel/makeContext(reading:savedAt:)``.
  ///
  /// The file is as large as that memory (``GGUFTokenModel/Requirements/bytesPerToken``) and holds what can be
  /// told of the tokens: keep it where the conversation may be kept. It is replaced as a whole.
  ///
  /// - Parameter path: Where the file is to be.
  /// - Throws: `TokenModelError.nothingRead` before the first token and after going back, until the
  ///   next token is read; and what writing the file throws.
  public func save(to path: String) throws {
    guard !tokens.isEmpty, cache.count >= tokens.count else { throw TokenModelError.nothingRead }
    let bytes = SavedPrompt.bytes(
      of: cache, tokens: tokens, last: last, fingerprint: fingerprint)
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
  }
}
