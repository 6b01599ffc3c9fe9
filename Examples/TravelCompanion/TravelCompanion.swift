import ArgumentParser

/// The AI side of a travel app, on the command line.
@main
struct TravelCompanion: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "travel-companion",
    abstract: "The AI side of a travel app: typed answers, filled in as the model writes.",
    subcommands: [
      ItineraryCommand.self, PackingCommand.self, BriefingCommand.self, JournalCommand.self,
      NoteCommand.self, SummaryCommand.self, ChatCommand.self, TripCommand.self,
    ])
}
