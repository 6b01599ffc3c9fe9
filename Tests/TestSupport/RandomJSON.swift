// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Random JSON texts for property tests: every kind of value, escape, number and white space.
public struct RandomJSON {
  private var generator: SeededGenerator

  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A text of one value, at most `depth` levels deep.
  public mutating func text(depth: Int = 4) -> String {
    space() + value(depth: depth) + space()
  }

  public mutating func string() -> String {
    let pool: [Character] = [
      "a", "Z", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "é", "漢", "🙂", "e\u{301}",
    ]
    return String(
      (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        pool.randomElement(using: &generator) ?? "x"
      })
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &generator) {
    case 0: return "null"
    case 1: return Bool.random(using: &generator) ? "true" : "false"
    case 2, 3: return number()
    case 4, 5: return spelled(string())
    case 6:
      let elements = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        space() + value(depth: depth - 1) + space()
      }
      return "[\(elements.isEmpty ? space() : elements.joined(separator: ","))]"
    default:
      var keys: [String] = []
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        let key = string()
        if !keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) { keys.append(key) }
      }
      let members = keys.map { key in
        space() + spelled(key) + space() + ":" + space() + value(depth: depth - 1) + space()
      }
      return "{\(members.isEmpty ? space() : members.joined(separator: ","))}"
    }
  }

  private mutating func number() -> String {
    var text = Bool.random(using: &generator) ? "-" : ""
    text += String(
      Int.random(in: 0...(Bool.random(using: &generator) ? 9 : .max), using: &generator))
    if Bool.random(using: &generator) { text += ".\(Int.random(in: 0...9999, using: &generator))" }
    if Int.random(in: 0...3, using: &generator) == 0 {
      text += ["e", "E", "e+", "E-"].randomElement(using: &generator) ?? "e"
      text += String(Int.random(in: 0...99, using: &generator))
    }
    return text
  }

  private mutating func space() -> String {
    String(
      (0..<max(0, Int.random(in: -3...2, using: &generator))).map { _ in
        [" ", "\n", "\t", "\r"].randomElement(using: &generator) ?? " "
      } as [Character])
  }

  /// A string of JSON, each character plain or escaped by chance.
  private mutating func spelled(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      let short: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "/": "\\/",
      ]
      if let escape = short[scalar], scalar != "/" || Bool.random(using: &generator) {
        result += escape
      } else if scalar.value < 0x20 || Int.random(in: 0...4, using: &generator) == 0 {
        for unit in String(scalar).utf16 {
          let hex = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
          result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
