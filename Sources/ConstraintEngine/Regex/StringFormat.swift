// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The formats of JSON Schema (validation, section 7.3), each as a regular language.
///
/// The grammars are those of the RFCs that the specification names, written as patterns over the
/// whole string.
package enum StringFormat: String, Hashable, Sendable, CaseIterable {
  case dateTime = "date-time"
  case date
  case time
  case duration
  case email
  case idnEmail = "idn-email"
  case hostname
  case idnHostname = "idn-hostname"
  case ipv4
  case ipv6
  case uri
  case uriReference = "uri-reference"
  case iri
  case iriReference = "iri-reference"
  case uriTemplate = "uri-template"
  case uuid
  case jsonPointer = "json-pointer"
  case relativeJSONPointer = "relative-json-pointer"
  case regex

  /// The most scalars that a string of the format has, where the format says so.
  package var maxLength: Int? {
    switch self {
    case .hostname, .idnHostname: 253
    default: nil
    }
  }

  /// The pattern that the whole string matches.
  package var pattern: String {
    switch self {
    case .dateTime: Self.fullDate + "[Tt]" + Self.fullTime
    case .date: Self.fullDate
    case .time: Self.fullTime
    case .duration: Self.isoDuration
    case .email: Self.mailbox(atom: Self.atom, quoted: "", domain: Self.asciiHost)
    case .idnEmail:
      Self.mailbox(atom: Self.wideAtom, quoted: "\\u0080-\\u{10FFFF}", domain: Self.wideHost)
    case .hostname: Self.plainHostname
    case .idnHostname: Self.internationalHostname
    case .ipv4: Self.ipv4Address
    case .ipv6: Self.ipv6Address
    case .uri: Self.uri(Self.uriCharacters, relative: false)
    case .uriReference: Self.uri(Self.uriCharacters, relative: true)
    case .iri: Self.uri(Self.iriCharacters, relative: false)
    case .iriReference: Self.uri(Self.iriCharacters, relative: true)
    case .uriTemplate: Self.template
    case .uuid: "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
    case .jsonPointer: Self.pointer
    case .relativeJSONPointer: "(?:0|[1-9][0-9]*)(?:#|\(Self.pointer))"
    case .regex: Self.regularExpression(depth: 6)
    }
  }

  // RFC 3339, section 5.6, with the days that the months of the Gregorian calendar have.
  private static let fullDate: String = {
    let months =
      "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    let leapYear =
      "(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    return "(?:[0-9]{4}-(?:\(months)|02-(?:0[1-9]|1[0-9]|2[0-8]))|\(leapYear)-02-29)"
  }()

  // A leap second is 23:59:60 in UTC. Offsets from UTC are taken at whole and half hours there, as
  // every zone has had them since leap seconds exist.
  private static let fullTime: String = {
    let offset = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
    let fraction = "(?:\\.[0-9]+)?"
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    var leaps: [String] = []
    for hour in 0..<24 {
      let (ahead, behind) = (two((hour + 1) % 24), two(23 - hour))
      let utc = hour == 23 ? "|[Zz]" : ""
      leaps.append(
        "\(two(hour)):(?:59:60\(fraction)(?:\\+\(ahead):00|-\(behind):00\(utc))"
          + "|29:60\(fraction)(?:\\+\(two(hour)):30|-\(behind):30))")
    }
    let common = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\(fraction)\(offset)"
    return "(?:\(common)|\(leaps.joined(separator: "|")))"
  }()

  // RFC 3339, appendix A.
  private static let isoDuration: String = {
    let time = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
    let date = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
    return "P(?:[0-9]+W|\(date)(?:\(time))?|\(time))"
  }()

  // RFC 5321, section 4.1.2; RFC 6531 widens the atoms.
  private static let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
  private static let wideAtom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10FFFF}-]"

  private static func mailbox(atom: String, quoted wide: String, domain: String) -> String {
    let quoted = "\"(?:[ !#-\\[\\]-~\(wide)]|\\\\[ -~])*\""
    let literal = "\\[(?:\(ipv4Address)|IPv6:\(ipv6Address))\\]"
    return "(?:\(atom)+(?:\\.\(atom)+)*|\(quoted))@(?:\(domain)|\(literal))"
  }

  // RFC 1123, section 2.1; RFC 5890 for the wide form.
  private static let asciiHost: String = {
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    return "\(label)(?:\\.\(label))*"
  }()

  private static let wideHost: String = {
    let character =
      "[A-Za-z0-9\\p{L}\\p{M}\\p{Nd}\\u00B7\\u0375\\u05F3\\u05F4\\u200C\\u200D\\u30FB]"
    let first = "[A-Za-z0-9\\p{L}\\p{Nd}]"
    let label = "\(first)(?:(?:\(character)|-){0,61}\(character))?"
    return "\(label)(?:[.\\u3002\\uFF0E\\uFF61]\(label))*"
  }()

  // RFC 2673, section 3.2.
  static let ipv4Address: String = {
    let byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
    return "\(byte)(?:\\.\(byte)){3}"
  }()

  // RFC 4291, section 2.2, in the shape of RFC 3986's `IPv6address`.
  private static let ipv6Address: String = {
    let h = "[0-9A-Fa-f]{1,4}"
    let last = "(?:\(h):\(h)|\(ipv4Address))"
    return "(?:"
      + [
        "(?:\(h):){6}\(last)",
        "::(?:\(h):){5}\(last)",
        "(?:\(h))?::(?:\(h):){4}\(last)",
        "(?:(?:\(h):){0,1}\(h))?::(?:\(h):){3}\(last)",
        "(?:(?:\(h):){0,2}\(h))?::(?:\(h):){2}\(last)",
        "(?:(?:\(h):){0,3}\(h))?::\(h):\(last)",
        "(?:(?:\(h):){0,4}\(h))?::\(last)",
        "(?:(?:\(h):){0,5}\(h))?::\(h)",
        "(?:(?:\(h):){0,6}\(h))?::",
      ].joined(separator: "|") + ")"
  }()

  // RFC 3986, appendix A; RFC 3987, section 2.2.
  private static let uriCharacters = ""
  private static let iriCharacters: String = {
    var ranges = "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
    for plane in 1...14 {
      let high = String(plane, radix: 16)
      ranges += "\\u{\(high)0000}-\\u{\(high)FFFD}"
    }
    return ranges
  }()

  private static func uri(_ wide: String, relative: Bool) -> String {
    let escape = "%[0-9A-Fa-f]{2}"
    let plain = "A-Za-z0-9._~!$&'()*+,;=\(wide)-"
    let pchar = "(?:[:@\(plain)]|\(escape))"
    let user = "(?:(?:[:\(plain)]|\(escape))*@)?"
    let future = "[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
    let host = "(?:\\[(?:\(ipv6Address)|\(future))\\]|(?:[\(plain)]|\(escape))*)"
    let authority = "//\(user)\(host)(?::[0-9]*)?"
    let absolute = "(?:\(authority)(?:/\(pchar)*)*|/(?:\(pchar)+(?:/\(pchar)*)*)?"
    let privateUse =
      wide.isEmpty ? "" : "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}"
    let query =
      "(?:\\?(?:[/?:@\(plain)\(privateUse)]|\(escape))*)?(?:#(?:[/?:@\(plain)]|\(escape))*)?"
    let full = "[A-Za-z][A-Za-z0-9+.-]*:\(absolute)|\(pchar)+(?:/\(pchar)*)*|)\(query)"
    guard relative else { return full }
    let segment = "(?:[@\(plain)]|\(escape))+"
    return "(?:\(full)|\(absolute)|\(segment)(?:/\(pchar)*)*|)\(query))"
  }

  // RFC 6570, section 2.
  private static let template: String = {
    let literal =
      "[\\u0021\\u0023\\u0024\\u0026-\\u003B\\u003D\\u003F-\\u005B\\u005D\\u005F"
      + "\\u0061-\\u007A\\u007E\\u00A0-\\uD7FF\\uE000-\\u{10FFFD}]"
    let escape = "%[0-9A-Fa-f]{2}"
    let character = "(?:[A-Za-z0-9_]|\(escape))"
    let variable = "\(character)(?:\\.?\(character))*(?::[1-9][0-9]{0,3}|\\*)?"
    return "(?:\(literal)|\(escape)|\\{[+#./;?&=,!@|]?\(variable)(?:,\(variable))*\\})*"
  }()

  // ECMA-262, section 22.2.1, with the lone brackets of Annex B. Groups nest without a bound there,
  // which no regular language holds; here they nest this deep.
  private static func regularExpression(depth: Int) -> String {
    let escape =
      "\\\\(?:[dDwWsSbBfnrtv0-9/^$\\\\.*+?()\\[\\]{}|-]|c[A-Za-z]|x[0-9A-Fa-f]{2}"
      + "|u[0-9A-Fa-f]{4}|u\\{[0-9A-Fa-f]+\\}|[pP]\\{[A-Za-z0-9_=]+\\}|k<[A-Za-z_$][A-Za-z0-9_$]*>"
      + "|[^A-Za-z0-9])"
    let quantifier = "(?:(?:[*+?]|\\{[0-9]+(?:,[0-9]*)?\\})\\??)?"
    let characterClass = "\\[\\^?(?:[^\\]\\\\]|\(escape))*\\]"
    let character = "[^*+?()\\[\\\\|^$]"
    let opening = "\\((?:\\?(?:[:=!]|<[=!]|<[A-Za-z_$][A-Za-z0-9_$]*>))?"
    var body = ""
    for _ in 0...depth {
      let group = body.isEmpty ? "" : "|\(opening)\(body)\\)"
      let atom = "(?:\(character)|\(escape)|\(characterClass)\(group))\(quantifier)"
      // A bar between alternatives, which may be empty, can come anywhere.
      body = "(?:\(atom)|[\\^$|])*"
    }
    return body
  }

  // RFC 6901, section 3.
  private static let pointer = "(?:/(?:[^~/]|~[01])*)*"
}

extension RegularLanguages {
  /// The strings of a format.
  mutating func language(of format: StringFormat) -> State {
    if let state = formats[format] { return state }
    var state = Self.dead
    if let compiled = format.program {
      let places = automata.merge(compiled.automata)
      let included = compiled.included.map { start(of: $0.renumbered(automata: places)) }
      let excluded = compiled.excluded.map { start(of: $0.renumbered(automata: places)) }
      state = intersection(of: included, without: excluded)
    }
    formats[format] = state
    return state
  }

  private mutating func start(of program: RegexProgram) -> State {
    programs.append(program)
    return initialState(program: programs.count - 1, atStart: true)
  }
}
