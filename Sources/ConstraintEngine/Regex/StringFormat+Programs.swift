// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The formats' patterns as programs, each made when it is first needed in a process: what a format
/// says depends on no schema.
extension StringFormat {
  /// A format's programs, over scalar automata of their own: that of its pattern, and those of the
  /// conditions that the pattern starts with (`RegularLanguages+Conditions`).
  struct Program: Sendable {
    var included: [RegexProgram] = []
    var excluded: [RegexProgram] = []
    var automata = ScalarAutomata()

    fileprivate init?(_ format: StringFormat) {
      guard let expression = try? RegularExpressionParser.parse(format.pattern) else { return nil }
      var parts = [expression][...]
      if case .sequence(let all) = expression { parts = all[...] }
      do throws(RegexError) {
        while case .look(let body, ahead: true, let negated)? = parts.first {
          parts.removeFirst()
          let condition = RegularExpression.sequence([body, .anything])
          let program = try RegexProgram(condition, automata: &automata)
          if negated { excluded.append(program) } else { included.append(program) }
        }
        included.append(try RegexProgram(.sequence(Array(parts)), automata: &automata))
      } catch {
        return nil
      }
    }
  }

  /// The program of the format's pattern.
  var program: Program? {
    switch self {
    case .dateTime: Programs.dateTime
    case .date: Programs.date
    case .time: Programs.time
    case .duration: Programs.duration
    case .email: Programs.email
    case .idnEmail: Programs.idnEmail
    case .hostname: Programs.hostname
    case .idnHostname: Programs.idnHostname
    case .ipv4: Programs.ipv4
    case .ipv6: Programs.ipv6
    case .uri: Programs.uri
    case .uriReference: Programs.uriReference
    case .iri: Programs.iri
    case .iriReference: Programs.iriReference
    case .uriTemplate: Programs.uriTemplate
    case .uuid: Programs.uuid
    case .jsonPointer: Programs.jsonPointer
    case .relativeJSONPointer: Programs.relativeJSONPointer
    case .regex: Programs.regex
    }
  }

  private enum Programs {
    static let dateTime = Program(.dateTime)
    static let date = Program(.date)
    static let time = Program(.time)
    static let duration = Program(.duration)
    static let email = Program(.email)
    static let idnEmail = Program(.idnEmail)
    static let hostname = Program(.hostname)
    static let idnHostname = Program(.idnHostname)
    static let ipv4 = Program(.ipv4)
    static let ipv6 = Program(.ipv6)
    static let uri = Program(.uri)
    static let uriReference = Program(.uriReference)
    static let iri = Program(.iri)
    static let iriReference = Program(.iriReference)
    static let uriTemplate = Program(.uriTemplate)
    static let uuid = Program(.uuid)
    static let jsonPointer = Program(.jsonPointer)
    static let relativeJSONPointer = Program(.relativeJSONPointer)
    static let regex = Program(.regex)
  }
}
