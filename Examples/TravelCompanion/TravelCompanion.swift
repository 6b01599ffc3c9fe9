import ArgumentParser

/// The AI side of a travel app, on the command line.
@main
struct TravelCompanion: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "travel-companion",
    abstract: "The AI side of a travel app: typed answers, filled in as the model writes.",
    discussion: """
      Exit codes: 1 where something went wrong, which is said; 64 for a wrong command line; 74 \
      where the output could not be written.
      """,
    subcommands: [
      ItineraryCommand.self, PackingCommand.self, BriefingCommand.self, JournalCommand.self,
      NoteCommand.self, SummaryCommand.self, ChatCommand.self, SearchCommand.self, TripCommand.self,
    ])
}
