// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Keywords for strings that have no string in common.
extension ContradictionSearch {
  /// A pattern or a format, where it stands.
  private struct Language {
    var part: SchemaNode.ID
    var keyword: String
    var state: RegularLanguages.State
    /// What its strings do.
    var words: String
  }

  /// Of more patterns not every two are compared.
  private static let mostLanguages = 8

  mutating func stringReason(_ parts: [SchemaNode.ID]) -> Finding? {
    let languages = languages(parts)
    for (count, language) in languages.enumerated() {
      if !hasString([language], 0, nil) {
        return finding(language.keyword, language.part, "no string \(language.words); correct it")
      }
      for other in languages[..<count] where !hasString([language, other], 0, nil) {
        return finding(
          language.keyword, language.part,
          "no string \(other.words)\(place(of: other.part, seenFrom: language.part)) and "
            + "\(language.words); correct one of the two")
      }
    }
    let least = parts.compactMap { graph.nodes[$0].minLength }.max() ?? 0
    let most = parts.compactMap { graph.nodes[$0].maxLength }.min()
    for language in languages {
      if let most, !hasString([language], 0, most) {
        return length("maxLength", "has at most \(most) characters", language, parts)
      }
      if !hasString([language], least, nil) {
        return length("minLength", "has at least \(least) characters", language, parts)
      }
      if let most, !hasString([language], least, most) {
        return length("maxLength", "has \(least) to \(most) characters", language, parts)
      }
    }
    return nil
  }

  private mutating func languages(_ parts: [SchemaNode.ID]) -> [Language] {
    var result: [Language] = []
    for part in parts where result.count < Self.mostLanguages {
      let node = graph.nodes[part]
      if let format = node.format {
        result.append(
          Language(
            part: part, keyword: "format", state: obligations.languages.language(of: format),
            words: "has the `format` \(format.rawValue)"))
      }
      if let state = node.pattern {
        let text = node.patternText ?? ""
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        result.append(
          Language(
            part: part, keyword: "pattern", state: state,
            words: "matches the `pattern` `\(shown)`"))
      }
    }
    return result
  }

  /// Whether all of some languages have a string; so, too, where a limit was reached.
  private mutating func hasString(_ parts: [Language], _ least: Int, _ most: Int?) -> Bool {
    let state = obligations.languages.intersection(of: parts.map(\.state))
    return obligations.languages.hasString(state, minimum: least, maximum: most)
      || obligations.reachedFailure != nil
  }

  private func length(
    _ keyword: String, _ words: String, _ language: Language, _ parts: [SchemaNode.ID]
  ) -> Finding {
    let bounded = parts.first { part in
      (keyword == "minLength" ? graph.nodes[part].minLength : graph.nodes[part].maxLength) != nil
    }
    let part = bounded ?? language.part
    return finding(
      keyword, part,
      "no string that \(language.words)\(place(of: language.part, seenFrom: part)) \(words); correct "
        + "one of the two")
  }
}
