// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Foundation

/// Writes a line to the standard output, where live views are drawn too: unbuffered, so that both
/// stay in order.
func say(_ line: String = "") {
  StandardOutput.writeLine(line)
}

/// Lines of text that are drawn anew in place, on a terminal; elsewhere only the last state is
/// printed.
struct LiveView {
  private var drawn = 0
  private let isLive: Bool

  init(isLive: Bool) {
    self.isLive = isLive && isatty(1) == 1
  }

  /// Draws lines over those drawn before.
  mutating func show(_ lines: [String]) {
    guard isLive else { return }
    // The last lines that fit a screen of 24: what has scrolled away cannot be drawn over.
    let visible = lines.suffix(22)
    var text = drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : ""
    for line in visible { text += line.prefix(terminalWidth: 78) + "\n" }
    StandardOutput.write(text)
    drawn = visible.count
  }

  /// Takes away what was drawn.
  mutating func clear() {
    guard drawn > 0 else { return }
    StandardOutput.write("\u{1B}[\(drawn)A\u{1B}[J")
    drawn = 0
  }

  /// Draws all lines, for good.
  mutating func finish(_ lines: [String]) {
    let clearing = drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : ""
    StandardOutput.writeLine(clearing + lines.joined(separator: "\n"))
    drawn = 0
  }
}
