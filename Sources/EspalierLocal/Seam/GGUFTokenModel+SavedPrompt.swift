// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import GGUFRuntime

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
