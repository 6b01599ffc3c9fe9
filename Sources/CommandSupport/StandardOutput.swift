// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a command writes, unbuffered: what is written later comes later.
///
/// Where nothing can be written any more (the device is full, the reader has gone), the command ends
/// at once and without another word, with ``failureCode``.
package enum StandardOutput {
  /// The exit code where the output cannot be written: `EX_IOERR` of `sysexits.h`.
  package static let failureCode: Int32 = 74

  /// A reader that has gone is an error of `write` like any other, and ends no process.
  private static let ignoresClosedPipes: Void = {
    #if !os(Windows)
      signal(SIGPIPE, SIG_IGN)
    #endif
  }()

  package static func write(_ text: String) {
    _ = ignoresClosedPipes
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      exit(failureCode)
    }
  }

  package static func writeLine(_ text: String = "") { write(text + "\n") }
}

/// What a command says beside its output. What cannot be said is left unsaid.
package enum StandardError {
  package static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
