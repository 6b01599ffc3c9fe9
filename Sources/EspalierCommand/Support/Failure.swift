// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// How a command ends where it does not succeed; see the exit codes in the help.
enum Failure: Int32 {
  case no = 1
  case unreadable = 2
  case model = 3

  /// The error that ends the command without another word.
  var exit: ExitCode { ExitCode(rawValue) }

  /// Says what went wrong, and ends the command.
  func report(_ message: String) -> ExitCode {
    Terminal.writeError("error: \(message)\n")
    return exit
  }
}
