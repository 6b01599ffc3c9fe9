// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sentence that tells a person what went wrong, in the language of the person.
///
/// The package has the sentences in English and Italian; other languages get English. An app that
/// speaks more of them looks ``key`` up in a table of its own and puts ``arguments(for:)`` into what
/// it finds.
public struct ErrorMessage: Sendable, Hashable {
  package indirect enum Argument: Sendable, Hashable {
    case text(String)
    /// The code of a language, shown as its name.
    case language(String)
    case message(ErrorMessage)
  }

  package let sentence: Sentence
  package let values: [Argument]

  package init(_ sentence: Sentence, _ values: Argument...) {
    self.sentence = sentence
    self.values = values
  }

  /// Which sentence it is, whatever the language: `"modelTimeout"`.
  public var key: String { sentence.rawValue }

  /// What stands in the sentence's places, in their order.
  ///
  /// - Parameter locale: Whose language names of languages, and errors beneath this one, are given
  ///   in.
  public func arguments(for locale: Locale = .current) -> [String] {
    values.map { value in
      switch value {
      case .text(let text): text
      case .language(let code): locale.localizedString(forLanguageCode: code) ?? code
      case .message(let message): message.text(for: locale)
      }
    }
  }

  /// The sentence.
  ///
  /// - Parameter locale: Whose language it is in: Italian, or else English. On Linux the current one is
  ///   English, whatever `LANG` says.
  public func text(for locale: Locale = .current) -> String {
    let isItalian = locale.language.languageCode?.identifier == "it"
    let spoken = isItalian ? locale : Locale(identifier: "en")
    let (english, italian) = sentence.texts
    // What an argument says is never taken for a place.
    var pieces = (isItalian ? italian : english).split(
      separator: "%", omittingEmptySubsequences: false)
    var text = String(pieces.removeFirst())
    for (piece, argument) in zip(pieces, arguments(for: spoken)) { text += argument + piece }
    return text
  }
}
