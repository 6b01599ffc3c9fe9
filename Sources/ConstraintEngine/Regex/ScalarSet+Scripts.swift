// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Scripts (UAX #24), read from the tables when one is first named.
extension ScalarSet {
  /// The characters of a script: those that are used with it alone, or mostly.
  static func script(_ name: String) -> ScalarSet? { Scripts.all.sets[name] }

  /// The characters that are used with a script, also those that others use.
  static func scriptWithExtensions(_ name: String) -> ScalarSet? {
    guard let own = script(name), let short = Scripts.all.shortNames[name] else { return nil }
    return Scripts.all.extensions.reduce(own.subtracting(Scripts.all.extended)) { set, shared in
      shared.scripts.contains(short) ? set.union(shared.set) : set
    }
  }

  /// What the tables say.
  private struct Scripts {
    /// By each of its names.
    var sets: [String: ScalarSet] = [:]
    var shortNames: [String: Substring] = [:]
    /// The characters that have several scripts, or another than their own.
    var extensions: [(scripts: Set<Substring>, set: ScalarSet)] = []
    var extended = ScalarSet()

    static let all = Scripts()

    private init() {
      for entry in Self.entries(of: UnicodeScripts.scripts) {
        let set = Self.ranges(entry.dropFirst())
        let names = entry[0].split(separator: ",")
        for name in names {
          sets[String(name)] = set
          shortNames[String(name)] = names[0]
        }
      }
      for entry in Self.entries(of: UnicodeScripts.extensions) {
        extensions.append((Set(entry[0].split(separator: ",")), Self.ranges(entry.dropFirst())))
      }
      extended = ScalarSet(extensions.flatMap(\.set.ranges))
    }

    /// The words of each paragraph.
    private static func entries(of table: String) -> [[Substring]] {
      table.split(separator: ";").map { entry in
        entry.split { $0 == " " || $0 == "\n" }
      }.filter { !$0.isEmpty }
    }

    private static func ranges(_ words: some Sequence<Substring>) -> ScalarSet {
      var result: [ClosedRange<UInt32>] = []
      var end: UInt32 = 0
      for word in words {
        let numbers = word.split(separator: ".").compactMap { UInt32($0, radix: 16) }
        guard let distance = numbers.first else { continue }
        let start = end + distance
        end = start + (numbers.count > 1 ? numbers[1] : 0)
        result.append(start...end)
      }
      return ScalarSet(result)
    }
  }
}

/// Case folding, as the flag `i` of ECMA-262 uses it beside `u`.
extension ScalarSet {
  /// The characters that fold to what a character of the set folds to: of `[k]` the letters `k` and
  /// `K`, and the sign of the kelvin.
  var ignoringCase: ScalarSet {
    var folded = ranges
    for (scalar, target) in Self.foldings where contains(scalar) { folded.append(target...target) }
    let targets = ScalarSet(folded)
    let others = Self.foldings.filter { targets.contains($0.target) }.map { $0.scalar...$0.scalar }
    return ScalarSet(folded + others)
  }

  /// What scalar values fold to, where that is another one.
  private static let foldings: [(scalar: UInt32, target: UInt32)] = {
    var result: [(scalar: UInt32, target: UInt32)] = []
    for run in CaseFoldings.runs.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let numbers = run.split(separator: ".").compactMap { Int64($0, radix: 16) }
      guard numbers.count == 4 else { continue }
      for place in 0...max(numbers[1], 0) {
        let scalar = numbers[0] + place * numbers[2]
        if let from = UInt32(exactly: scalar), let to = UInt32(exactly: scalar + numbers[3]) {
          result.append((from, to))
        }
      }
    }
    return result
  }()
}
