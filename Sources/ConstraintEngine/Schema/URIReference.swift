// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A URI split into the parts that reference resolution needs (RFC 3986, section 5).
struct URIReference: Hashable {
  var scheme: Substring?
  var authority: Substring?
  var path: Substring
  var query: Substring?
  var fragment: Substring?

  init(_ text: some StringProtocol) {
    var rest = Substring(text)
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = rest[rest.utf8.index(after: hash)...]
      rest = rest[..<hash]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[rest.utf8.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")),
      rest[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) }),
      rest.first?.isLetter == true
    {
      scheme = rest[..<colon]
      rest = rest[rest.utf8.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
    path = rest
  }

  /// The URI that a reference means when it is read at a base (RFC 3986, section 5.2.2).
  func resolved(against base: URIReference) -> URIReference {
    var result = self
    if scheme != nil {
      result.path = Substring(Self.removingDots(path))
      return result
    }
    result.scheme = base.scheme
    if authority != nil {
      result.path = Substring(Self.removingDots(path))
      return result
    }
    result.authority = base.authority
    if path.isEmpty {
      result.path = base.path
      if query == nil { result.query = base.query }
    } else if path.hasPrefix("/") {
      result.path = Substring(Self.removingDots(path))
    } else {
      let folder =
        base.path.lastIndex(of: "/").map { base.path[...$0] } ?? (base.authority != nil ? "/" : "")
      result.path = Substring(Self.removingDots(folder + path))
    }
    return result
  }

  private static func removingDots(_ path: some StringProtocol) -> String {
    guard path.contains(".") else { return String(path) }
    var output: [Substring] = []
    let segments = Substring(path).split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { output.append("") }
      case "..":
        if output.count > 1 || (output.count == 1 && output[0] != "") { output.removeLast() }
        if isLast { output.append("") }
      default: output.append(segment)
      }
    }
    return output.joined(separator: "/")
  }

  /// The URI without its fragment.
  var withoutFragment: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    return text
  }

  /// A fragment with its percent escapes decoded.
  static func decodingPercents(_ text: some StringProtocol) -> String {
    if !text.utf8.contains(UInt8(ascii: "%")) { return String(text) }
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var at = 0
    while at < source.count {
      if source[at] == UInt8(ascii: "%"), at + 2 < source.count,
        let high = source[at + 1].hexadecimalValue, let low = source[at + 2].hexadecimalValue
      {
        bytes.append(high << 4 | low)
        at += 3
      } else {
        bytes.append(source[at])
        at += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
