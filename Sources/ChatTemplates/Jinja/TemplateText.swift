/// A text in a template whose scalars know whether a message said them.
///
/// What a message says never counts as markup: `<|im_end|>` that a user wrote stays text, however
/// the template cuts and joins it.
struct TemplateText: Hashable, Sendable {
  struct Element: Hashable, Sendable {
    var scalar: Unicode.Scalar
    var isQuoted: Bool
  }

  var elements: [Element]

  init(_ elements: some Sequence<Element>) { self.elements = Array(elements) }

  init(_ text: String, isQuoted: Bool = false) {
    elements = text.unicodeScalars.map { Element(scalar: $0, isQuoted: isQuoted) }
  }

  var string: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: elements.lazy.map(\.scalar))
    return String(scalars)
  }

  /// The text as pieces of a prompt.
  var pieces: [ChatTemplate.Piece] {
    var result: [ChatTemplate.Piece] = []
    var start = 0
    while start < elements.count {
      let isQuoted = elements[start].isQuoted
      var end = start
      while end < elements.count, elements[end].isQuoted == isQuoted { end += 1 }
      let text = TemplateText(elements[start..<end]).string
      result.append(isQuoted ? .text(text) : .markup(text))
      start = end
    }
    return result
  }

  static func == (left: TemplateText, right: TemplateText) -> Bool {
    left.elements.elementsEqual(right.elements) { $0.scalar == $1.scalar }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension TemplateText {
  /// Where another text stands, from an index on.
  func firstIndex(of other: TemplateText, from start: Int = 0) -> Int? {
    let (all, wanted) = (elements, other.elements)
    guard !wanted.isEmpty, all.count >= wanted.count else { return nil }
    var index = start
    while index + wanted.count <= all.count {
      var length = 0
      while length < wanted.count, all[index + length].scalar == wanted[length].scalar {
        length += 1
      }
      if length == wanted.count { return index }
      index += 1
    }
    return nil
  }

  func hasPrefix(_ other: TemplateText) -> Bool {
    elements.starts(with: other.elements) { $0.scalar == $1.scalar }
  }

  func hasSuffix(_ other: TemplateText) -> Bool {
    elements.reversed().starts(with: other.elements.reversed()) { $0.scalar == $1.scalar }
  }

  func split(by separator: TemplateText) -> [TemplateText] {
    var parts: [TemplateText] = []
    var start = 0
    while let index = firstIndex(of: separator, from: start) {
      parts.append(TemplateText(elements[start..<index]))
      start = index + separator.elements.count
    }
    return parts + [TemplateText(elements[start...])]
  }

  func splitAtWhiteSpace() -> [TemplateText] {
    elements.split { $0.scalar.properties.isWhitespace }.map { TemplateText($0) }
  }

  func replacing(_ old: TemplateText, with new: TemplateText) -> TemplateText {
    guard !old.elements.isEmpty else { return self }
    return Self.joined(split(by: old), separator: new)
  }

  static func joined(_ parts: [TemplateText], separator: TemplateText) -> TemplateText {
    var result = TemplateText("")
    for (index, part) in parts.enumerated() {
      if index > 0 { result.elements += separator.elements }
      result.elements += part.elements
    }
    return result
  }

  /// The text without what stands at its ends: white space, or the scalars given.
  func trimmed(_ set: TemplateText? = nil, atStart: Bool = true, atEnd: Bool = true)
    -> TemplateText
  {
    let scalars = set.map { Set($0.elements.map(\.scalar)) }
    func isTrimmed(_ element: Element) -> Bool {
      scalars?.contains(element.scalar) ?? element.scalar.properties.isWhitespace
    }
    var slice = elements[...]
    if atStart { slice = slice.drop(while: isTrimmed) }
    if atEnd { while let last = slice.last, isTrimmed(last) { slice.removeLast() } }
    return TemplateText(slice)
  }

  func mapped(_ change: (String) -> String) -> TemplateText {
    TemplateText(
      elements.flatMap { element in
        change(String(element.scalar)).unicodeScalars.map {
          Element(scalar: $0, isQuoted: element.isQuoted)
        }
      })
  }
}
