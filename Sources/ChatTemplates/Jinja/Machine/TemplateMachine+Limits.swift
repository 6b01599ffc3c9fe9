// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What texts, lists and values cost, and how large they may be.
extension TemplateMachine {
  /// Pays for elements of a list.
  mutating func spend(items: Int) throws(ChatTemplateError) {
    guard items <= Int.max / 64 else { return try spend(Int.max) }
    try spend(items * 32)
  }

  /// Pays for a text that is about to be made, of a number of bytes.
  mutating func spend(text: Int) throws(ChatTemplateError) {
    guard text <= limits.textBytes else {
      throw limitReached("A text would be longer than the limit of \(limits.textBytes) bytes.")
    }
    try spend(text)
  }

  /// The product of two sizes; the greatest number where it is beyond.
  func product(_ left: Int, _ right: Int) -> Int {
    let (result, overflows) = max(0, left).multipliedReportingOverflow(by: max(0, right))
    return overflows ? .max : result
  }

  func checked(_ value: TemplateValue) throws(ChatTemplateError) -> TemplateValue {
    guard value.depth <= limits.depth else {
      throw limitReached("A value nests deeper than \(limits.depth) levels.")
    }
    return value
  }

  mutating func list(_ items: [TemplateValue]) throws(ChatTemplateError) -> TemplateValue {
    try spend(items: items.count)
    return try checked(.items(items))
  }

  mutating func generator(_ items: [TemplateValue]) throws(ChatTemplateError) -> TemplateValue {
    _ = try list(items)
    generators.append(Generator(items: items))
    return .generator(generators.count - 1)
  }
}
