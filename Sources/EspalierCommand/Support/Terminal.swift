// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Foundation

/// What a command writes. Colours are for people at a terminal alone.
enum Terminal {
  enum Style: String {
    case bold = "1"
    case red = "31"
    case green = "32"
    case dim = "2"
  }

  /// Whether the standard output is a terminal: somebody reads along.
  static let isOutputShown = isatty(1) == 1

  /// Whether the standard output is a terminal that shows colours.
  static let showsColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isOutputShown && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
  }()

  /// Whether progress is shown: where the standard error is a terminal.
  static let showsProgress = isatty(2) == 1

  static func styled(_ text: String, _ style: Style) -> String {
    showsColors ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  static func write(_ text: String) { StandardOutput.write(text) }

  static func writeLine(_ text: String) { write(text + "\n") }

  static func writeError(_ text: String) { StandardError.write(text) }
}
