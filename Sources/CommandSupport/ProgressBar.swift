// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How far fetching a model has come, in one line that is drawn over itself.
package enum ProgressBar {
  /// Draws the line with each call; does nothing where it is not shown.
  package static func show(isShown: Bool) -> @Sendable (FetchProgress) -> Void {
    { progress in
      guard isShown, progress.total > 0 else { return }
      let share = min(1, Double(progress.completed) / Double(progress.total))
      write("\r\(bar(share)) \(progress.stage)\u{1B}[K")
    }
  }

  /// Forty blocks and a percentage.
  package static func bar(_ share: Double) -> String {
    let filled = Int(share * 40)
    return String(repeating: "█", count: filled) + String(repeating: "░", count: 40 - filled)
      + " \(Int(share * 100)) %"
  }

  /// Takes the line away.
  package static func clear() { write("\r\u{1B}[K") }

  static func write(_ text: String) { StandardError.write(text) }
}
