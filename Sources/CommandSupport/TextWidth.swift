// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// How wide the help of a command is.
package enum TextWidth {
  /// The parser of command lines sets descriptions in a column that begins at 26; what is narrower than
  /// that ends the process, or leaves the descriptions out.
  static let least = 48

  /// Sees to it that help has room, on however narrow a terminal: called before a command line is read.
  package static func widen() {
    #if !os(Windows)
      if let width, width < least { setenv("COLUMNS", String(least), 1) }
    #endif
  }

  #if !os(Windows)
    /// The width that the parser would take; nil where it is not known.
    private static var width: Int? {
      if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap({ Int($0) }) {
        return columns
      }
      var size = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
      return Int(size.ws_col)
    }
  #endif
}
