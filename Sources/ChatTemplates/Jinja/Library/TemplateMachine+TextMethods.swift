// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Methods of texts, as Python's `str` has them.
extension TemplateMachine {
  mutating func textMethod(
    _ method: TemplateMethodName, of text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let name = method.rawValue
    try spend(text.bytes.count / 4)
    switch method {
    case .strip, .lstrip, .rstrip:
      let given = try arguments.bound(to: ["chars"], of: name)
      return .text(
        text.trimmed(
          try optionalText(given[0]), atStart: method != .rstrip, atEnd: method != .lstrip))
    case .split, .rsplit: return try split(method, text, arguments)
    case .splitlines:
      let given = try arguments.bound(to: ["keepends"], of: name)
      let keeps = flag(given[0])
      try spend(2 * text.bytes.count)
      return try list(text.lines(keepingEnds: keeps ?? false).map { .text($0) })
    case .startswith, .endswith: return .bool(try hasAffix(method, text, arguments))
    case .replace:
      let given = try arguments.bound(to: ["old", "new", "count"], of: name)
      guard let old = try optionalText(given[0]), var new = try optionalText(given[1]) else {
        throw problem("'replace' needs two texts.")
      }
      if text.isSafe { new = try escaped(new) }
      return .text(try replacing(text, old, with: new, limit: try integer(given[2]) ?? -1))
    case .join:
      let given = try arguments.bound(to: ["iterable"], of: name)
      guard let value = given[0] else { throw problem("'join' needs what it joins.") }
      var items = try items(of: value)
      for (index, item) in items.enumerated() {
        guard case .text(let item) = item else { throw unusable(item, "'join'") }
        if text.isSafe { items[index] = .text(try escaped(item)) }
      }
      var result = try joined(items, by: text.plain)
      result.isSafe = text.isSafe
      return .text(result)
    case .find, .rfind, .index, .rindex, .count: return try search(method, text, arguments)
    case .upper: return .text(try uppercased(text))
    case .lower, .casefold: return .text(try lowercased(text))
    case .capitalize: return .text(try capitalized(text))
    case .title, .swapcase: return .text(try recased(method, text))
    case .center, .ljust, .rjust:
      let given = try arguments.bound(to: ["width", "fillchar"], of: name)
      guard let width = try integer(given[0]) else { throw problem("'\(name)' needs a width.") }
      let fill = try optionalText(given[1]) ?? TemplateText(" ")
      guard fill.count == 1 else { throw problem("'\(name)' fills with one character.") }
      if method == .center { return .text(try centered(text, width: width, fill: fill)) }
      let filling = try filling(fill, max(0, min(width, 1 << 28) - text.count))
      return .text(method == .ljust ? text + filling : filling + text)
    case .zfill:
      let width = try integer(try arguments.bound(to: ["width"], of: name)[0]) ?? 0
      let filling = try filling(TemplateText("0"), max(0, min(width, 1 << 28) - text.count))
      let hasSign = text.bytes.first.map { "+-".utf8.contains($0) } ?? false
      return .text(
        text[0..<(hasSign ? 1 : 0)] + filling + text[(hasSign ? 1 : 0)..<text.bytes.count])
    case .removeprefix, .removesuffix:
      guard let affix = try optionalText(try arguments.bound(to: ["affix"], of: name)[0]) else {
        throw problem("'\(name)' needs a text.")
      }
      let count = text.bytes.count
      if method == .removeprefix {
        return .text(text.hasPrefix(affix) ? text[affix.bytes.count..<count] : text)
      }
      return .text(text.hasSuffix(affix) ? text[0..<count - affix.bytes.count] : text)
    case .partition, .rpartition: return try partition(method, text, arguments)
    case .format: return .text(try formatted(text, arguments))
    case .formatMap:
      guard case .dictionary(let dictionary)? = arguments.values.first else {
        throw problem("'format_map' needs a dictionary.")
      }
      var named = Arguments()
      for (key, value) in zip(dictionary.keys, dictionary.values) {
        if case .text(let key) = key { named.named.append((key, value)) }
      }
      return .text(try formatted(text, named))
    case .expandtabs: return .text(try withoutTabs(text, arguments))
    default: return .bool(try isKind(method, text))
    }
  }

  // MARK: Parts

  private mutating func split(
    _ method: TemplateMethodName, _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let given = try arguments.bound(to: ["sep", "maxsplit"], of: method.rawValue)
    let limit = try integer(given[1]) ?? -1
    let greatest = limit < 0 ? Int.max : limit
    try spend(4 * text.bytes.count)
    guard let separator = try optionalText(given[0]) else {
      return try list(
        (method == .split
          ? text.splitAtSpaces(limit: greatest) : text.splitAtSpacesFromRight(limit: greatest))
          .map { .text($0) })
    }
    guard !separator.isEmpty else { throw problem("A separator is not empty.") }
    try spend(searching: text, for: separator)
    return try list(
      (method == .split
        ? text.split(by: separator, limit: greatest)
        : text.splitFromRight(by: separator, limit: greatest)).map { .text($0) })
  }

  private mutating func partition(
    _ method: TemplateMethodName, _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    guard let separator = try optionalText(try arguments.bound(to: ["sep"], of: "partition")[0]),
      !separator.isEmpty
    else { throw problem("'\(method.rawValue)' needs a separator.") }
    try spend(searching: text, for: separator)
    try spend(2 * text.bytes.count)
    let found =
      method == .partition ? text.firstIndex(of: separator) : text.lastIndex(of: separator)
    let empty = TemplateText(utf8: [], isQuoted: false, isSafe: text.isSafe)
    guard let found else {
      return method == .partition
        ? .tupleOf(.text(text), .text(empty), .text(empty))
        : .tupleOf(.text(empty), .text(empty), .text(text))
    }
    let end = found + separator.bytes.count
    return .tupleOf(
      .text(text[0..<found]), .text(text[found..<end]), .text(text[end..<text.bytes.count]))
  }

  private mutating func hasAffix(
    _ method: TemplateMethodName, _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> Bool {
    let given = try arguments.bound(to: ["prefix", "start", "end"], of: method.rawValue)
    let range = try range(of: text, given[1], given[2])
    var affixes: [TemplateValue]
    switch given[0] {
    case .tuple(let tuple)?: affixes = tuple.items
    case let value?: affixes = [value]
    default: throw problem("'\(method.rawValue)' needs a text.")
    }
    guard let range else { return false }
    let part = range == 0..<text.bytes.count ? text : text[range]
    for affix in affixes {
      guard case .text(let affix) = affix else { throw unusable(affix, method.rawValue) }
      try spend(affix.bytes.count)
      if method == .startswith ? part.hasPrefix(affix) : part.hasSuffix(affix) { return true }
    }
    return false
  }

  /// The bytes between two places counted in scalars; nil where the first is behind the last.
  private mutating func range(
    of text: TemplateText, _ start: TemplateValue?, _ end: TemplateValue?
  ) throws(ChatTemplateError) -> Range<Int>? {
    guard start != nil || end != nil else { return 0..<text.bytes.count }
    let (first, last) = (try integer(start), try integer(end))
    if let first, first > text.count { return nil }
    let bounds = Self.bounds(text.count, first, last, 1)
    guard bounds.first <= bounds.last else { return nil }
    if !text.isASCII { try spend(text.bytes.count) }
    return text.byteOffset(ofScalar: bounds.first)..<text.byteOffset(ofScalar: bounds.last)
  }

  private mutating func search(
    _ method: TemplateMethodName, _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateValue {
    let given = try arguments.bound(to: ["sub", "start", "end"], of: method.rawValue)
    guard let part = try optionalText(given[0]) else {
      throw problem("'\(method.rawValue)' needs a text.")
    }
    try spend(searching: text, for: part)
    let range = try range(of: text, given[1], given[2])
    if method == .count {
      return .integer(range.map { text[$0].occurrences(of: part) } ?? 0)
    }
    var found: Int?
    if let range {
      let isFromRight = method == .rfind || method == .rindex
      found =
        isFromRight
        ? text.lastIndex(of: part, from: range.lowerBound, to: range.upperBound)
        : text.firstIndex(of: part, from: range.lowerBound, to: range.upperBound)
    }
    guard let found else {
      guard method == .find || method == .rfind else { throw problem("A text is not found.") }
      return .integer(-1)
    }
    return .integer(text.isASCII ? found : text[0..<found].count)
  }

  mutating func replacing(
    _ text: TemplateText, _ old: TemplateText, with new: TemplateText, limit: Int
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(searching: text, for: old)
    try spend(text.bytes.count)
    let count = min(text.occurrences(of: old), limit < 0 ? .max : limit)
    try spend(text: text.bytes.count + product(count, max(0, new.bytes.count - old.bytes.count)))
    try spend(items: old.isEmpty ? text.count : count)
    return text.replacing(old, with: new, limit: limit < 0 ? .max : limit)
  }

  // MARK: Widths

  private mutating func filling(
    _ fill: TemplateText, _ count: Int
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: product(fill.bytes.count, count))
    return fill.repeated(count)
  }

  mutating func centered(
    _ text: TemplateText, width: Int, fill: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    let missing = min(width, 1 << 28) - text.count
    guard missing > 0 else { return text }
    // Python puts the odd one on the left where the width is odd too.
    let left = missing / 2 + (missing & width & 1)
    return try filling(fill, left) + text + filling(fill, missing - left)
  }

  mutating func centered(
    _ text: TemplateText, width: Int, fill: String
  ) throws(ChatTemplateError) -> TemplateText {
    try centered(text, width: width, fill: TemplateText(fill))
  }

  private mutating func withoutTabs(
    _ text: TemplateText, _ arguments: Arguments
  ) throws(ChatTemplateError) -> TemplateText {
    let given = try arguments.bound(to: ["tabsize"], of: "expandtabs")
    let size = min(max(0, try integer(given[0]) ?? 8), 1 << 28)
    let tabs = text.occurrences(of: TemplateText("\t"))
    try spend(text: text.bytes.count + product(tabs, size))
    var column = 0
    return text.mapped { scalar, bytes in
      switch scalar {
      case "\t":
        let count = size == 0 ? 0 : size - column % size
        bytes += repeatElement(0x20, count: count)
        column += count
      default:
        bytes.append(utf8: scalar)
        column = scalar == "\n" || scalar == "\r" ? 0 : column + 1
      }
    }
  }

  // MARK: Case

  mutating func uppercased(_ text: TemplateText) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 3 * text.bytes.count)
    return text.mapped { scalar, bytes in bytes += scalar.properties.uppercaseMapping.utf8 }
  }

  mutating func lowercased(_ text: TemplateText) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 3 * text.bytes.count)
    return text.mapped { scalar, bytes in bytes += scalar.properties.lowercaseMapping.utf8 }
  }

  mutating func capitalized(_ text: TemplateText) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 3 * text.bytes.count)
    var isFirst = true
    return text.mapped { scalar, bytes in
      let properties = scalar.properties
      bytes += (isFirst ? properties.titlecaseMapping : properties.lowercaseMapping).utf8
      isFirst = false
    }
  }

  private mutating func recased(
    _ method: TemplateMethodName, _ text: TemplateText
  ) throws(ChatTemplateError) -> TemplateText {
    try spend(text: 3 * text.bytes.count)
    var isAfterLetter = false
    return text.mapped { scalar, bytes in
      let properties = scalar.properties
      if method == .swapcase {
        bytes +=
          (properties.isUppercase ? properties.lowercaseMapping : properties.uppercaseMapping).utf8
      } else {
        bytes +=
          (isAfterLetter ? properties.lowercaseMapping : properties.titlecaseMapping).utf8
      }
      isAfterLetter = properties.isCased
    }
  }

  private mutating func isKind(
    _ method: TemplateMethodName, _ text: TemplateText
  ) throws(ChatTemplateError) -> Bool {
    try spend(2 * text.bytes.count)
    let scalars = text.scalars
    func all(_ holds: (Unicode.Scalar) -> Bool) -> Bool {
      !text.isEmpty && scalars.allSatisfy(holds)
    }
    switch method {
    case .isascii: return text.isASCII
    case .isalpha: return all(\.isPythonLetter)
    case .isdecimal: return all { $0.properties.numericType == .decimal }
    case .isdigit:
      return all { $0.properties.numericType == .decimal || $0.properties.numericType == .digit }
    case .isnumeric: return all { $0.properties.numericType != nil }
    case .isalnum: return all { $0.isPythonLetter || $0.properties.numericType != nil }
    case .isspace: return all(\.isPythonSpace)
    case .isprintable: return scalars.allSatisfy(\.isPythonPrintable)
    case .islower: return text.isLowercase
    case .isupper: return text.isUppercase
    case .istitle:
      var (isAfterLetter, hasLetter) = (false, false)
      for scalar in scalars {
        let properties = scalar.properties
        let isUpper = properties.isUppercase || properties.generalCategory == .titlecaseLetter
        if isUpper ? isAfterLetter : properties.isLowercase && !isAfterLetter { return false }
        isAfterLetter = isUpper || properties.isLowercase
        hasLetter = hasLetter || isAfterLetter
      }
      return hasLetter
    case .isidentifier:
      guard let first = scalars.first, first == "_" || first.properties.isXIDStart else {
        return false
      }
      return scalars.dropFirst().allSatisfy(\.properties.isXIDContinue)
    default: throw problem("A text has no method '\(method.rawValue)'.")
    }
  }
}

extension Unicode.Scalar {
  /// What `str.isalpha` asks.
  var isPythonLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }
}

extension TemplateText {
  /// Whether there are letters with case, and all are small.
  var isLowercase: Bool {
    var hasCase = false
    for scalar in scalars {
      let properties = scalar.properties
      if properties.isUppercase || properties.generalCategory == .titlecaseLetter { return false }
      hasCase = hasCase || properties.isLowercase
    }
    return hasCase
  }

  /// Whether there are letters with case, and all are capital.
  var isUppercase: Bool {
    var hasCase = false
    for scalar in scalars {
      let properties = scalar.properties
      if properties.isLowercase || properties.generalCategory == .titlecaseLetter { return false }
      hasCase = hasCase || properties.isUppercase
    }
    return hasCase
  }
}
