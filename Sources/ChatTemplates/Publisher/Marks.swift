// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Searching and cutting rendered texts, never inside a mark such as `<|im_end|>`.
enum Marks {
  typealias Scalars = [Unicode.Scalar]

  static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    TemplateText(scalars, isQuoted: false).string
  }

  /// Whether a template says a mark, byte for byte. `contains` would compare characters, which takes
  /// twenty times as long.
  static func occurs(_ mark: String, in template: TemplateText) -> Bool {
    template.firstIndex(of: TemplateText(mark)) != nil
  }

  static func firstIndex(of part: Scalars, in text: Scalars, from start: Int = 0) -> Int? {
    guard let first = part.first, text.count >= part.count, start >= 0 else { return nil }
    var index = start
    while index + part.count <= text.count {
      if text[index] == first, text[index..<index + part.count].elementsEqual(part) {
        return index
      }
      index += 1
    }
    return nil
  }

  /// How much two texts share at their start, up to the last place that cuts no mark of either.
  static func sharedStart(_ left: Scalars, _ right: Scalars) -> Int {
    var count = 0
    while count < min(left.count, right.count), left[count] == right[count] { count += 1 }
    let cuts = (inside(left), inside(right))
    while count > 0, cuts.0[count] || cuts.1[count] { count -= 1 }
    return count
  }

  /// How much two texts share at their end.
  static func sharedEnd(_ left: Scalars, _ right: Scalars) -> Int {
    var count = 0
    while count < min(left.count, right.count),
      left[left.count - 1 - count] == right[right.count - 1 - count]
    { count += 1 }
    let cuts = (inside(left), inside(right))
    while count > 0, cuts.0[left.count - count] || cuts.1[right.count - count] { count -= 1 }
    return count
  }

  /// For each place whether a cut there would cut a mark: `<…>` without white space, or `[NAME]`.
  private static func inside(_ text: Scalars) -> [Bool] {
    var result = [Bool](repeating: false, count: text.count + 1)
    var index = 0
    while index < text.count {
      if let end = end(ofMarkAt: index, in: text) {
        for place in index + 1..<end { result[place] = true }
        index = end
      } else {
        index += 1
      }
    }
    return result
  }

  private static func end(ofMarkAt start: Int, in text: Scalars) -> Int? {
    let closing: Unicode.Scalar
    switch text[start] {
    case "<": closing = ">"
    case "[": closing = "]"
    default: return nil
    }
    var index = start + 1
    while index < min(text.count, start + 64) {
      let scalar = text[index]
      if scalar == closing { return index > start + 1 ? index + 1 : nil }
      if closing == "]" {
        guard ("A"..."Z").contains(scalar) || scalar == "_" || scalar == "/" else { return nil }
      } else if scalar == "<" || scalar == "{" || scalar == "\"" || scalar.isPythonSpace {
        return nil
      }
      index += 1
    }
    return nil
  }
}
