// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How much JSON a parser takes. Going beyond a limit is an error that names it.
package struct JSONLimits: Sendable, Hashable {
  /// The greatest depth of containers in containers.
  package var depth: Int

  /// The greatest number of bytes of text, 128 MiB at most.
  package var byteCount: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - depth: The greatest depth of containers in containers, 10,000 at most.
  ///   - byteCount: The greatest number of bytes of text, 128 MiB at most.
  package init(depth: Int = 512, byteCount: Int = 64 << 20) {
    self.depth = min(max(depth, 0), 10_000)
    self.byteCount = min(max(byteCount, 0), JSONTapeWord.maximumLength)
  }
}
