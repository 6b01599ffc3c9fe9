// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Espalier

/// `travel-companion packing Oslo --days 5 --season winter`
struct PackingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packing", abstract: "Write a packing list.")

  @Argument(help: "Where to go.") var destination: String
  @Option(help: "How many days.") var days = 7
  @Option(help: "spring, summer, autumn or winter.") var season: Season?
  @OptionGroup var options: GeneratorOptions

  enum Season: String, CaseIterable, ExpressibleByArgument {
    case spring, summer, autumn, winter

    var italian: String {
      switch self {
      case .spring: "primavera"
      case .summer: "estate"
      case .autumn: "autunno"
      case .winter: "inverno"
      }
    }
  }

  func validate() throws {
    guard (1...365).contains(days) else {
      throw ValidationError("--days is a number from 1 to 365; found \(days)")
    }
    try destination.checkDestination()
  }

  func run() async throws {
    let when = season.map {
      options.language.choose(" in \($0.rawValue)", " in \($0.italian)")
    }
    _ = try await options.generator().write(
      PackingList.self,
      prompt: options.language.choose(
        "What do I pack for \(days) days in \(destination)\(when ?? "")?",
        "Cosa metto in valigia per \(days) giorni a \(destination)\(when ?? "")?"),
      rules: PackingList.semanticRules)
  }
}

/// `travel-companion briefing Japan`
struct BriefingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "briefing", abstract: "Write what is good to know before a journey.")

  @Argument(help: "Where to go.") var destination: String
  @OptionGroup var options: GeneratorOptions

  func validate() throws { try destination.checkDestination() }

  func run() async throws {
    _ = try await options.generator().write(
      TravelBriefing.self,
      prompt: options.language.choose(
        "Brief me on \(destination). Only what stays true for years.",
        "Un briefing su \(destination). Solo ciò che resta vero per anni."),
      rules: TravelBriefing.semanticRules)
  }
}

extension String {
  /// - Throws: Where there is nothing to go to, or too much.
  func checkDestination() throws {
    guard !allSatisfy(\.isWhitespace) else { throw ValidationError("the destination is empty") }
    guard count <= 80 else {
      throw ValidationError("the destination has \(count) characters; 80 are enough")
    }
  }
}
