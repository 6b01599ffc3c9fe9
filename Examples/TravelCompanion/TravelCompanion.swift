// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Espalier

/// The AI side of a travel app, on the command line.
@main
struct TravelCompanion: AsyncParsableCommand {
  static func main() async {
    TextWidth.widen()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as any ExplainedError {
      // The sentence for people alone would not say which file, or which server.
      StandardError.write("Error: \(error.userMessage.text())\n\(error.developerDescription)\n")
      exit(withError: ExitCode.failure)
    } catch {
      exit(withError: error)
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "travel-companion",
    abstract: "The AI side of a travel app: typed answers, filled in as the model writes.",
    discussion: """
      Plan a journey, in the terminal or as JSON for another program:

        travel-companion itinerary Kyoto --days 3
        travel-companion itinerary Lisbon --style gastronomico --json

      Talk about trips with a model behind a server, and go on later:

        travel-companion chat --model http://localhost:11434#llama3.2
        travel-companion chat --resume

      Exit codes: 1 where something went wrong, which is said; 64 for a wrong command line; 74 \
      where the output could not be written.
      """,
    subcommands: [
      ItineraryCommand.self, PackingCommand.self, BriefingCommand.self, JournalCommand.self,
      NoteCommand.self, SummaryCommand.self, ChatCommand.self, SearchCommand.self, TripCommand.self,
    ])
}
