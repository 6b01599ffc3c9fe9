import ArgumentParser
import CommandSupport
import Espalier
import Foundation

/// `travel-companion chat`
struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Talk about trips; the companion can create them, note things, and look them up.",
    discussion: """
      Each line of the input is said to the companion; an empty line ends the chat. What is to be \
      said can be given as arguments, too.
      """)

  @Argument(help: "What to say, one message after the other; the input where left out.")
  var messages: [String] = []
  @Option(help: "english or italiano.") var language = Language.english
  @OptionGroup var model: ModelOptions
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let store = try store.open()
    let chosen = try await model.choose()
    let session = chosen.session(
      tools: [CreateTrip(store: store), AddNote(store: store), GetTripInfo(store: store)],
      language: language)
    session.toolCallPolicy.decide = { call in
      say("  ⚙ \(call.toolName) \(call.arguments.jsonString)")
      return .allow
    }
    say(chosen.line)
    say(language.choose("For example:", "Per esempio:"))
    for starter in starters(store.all) { say("  · \(starter)") }
    for message in messages {
      say("> \(message)")
      await answer(InputHygiene(maximumLength: 4000).clean(message).text, session)
    }
    guard messages.isEmpty else { return }
    let isTerminal = isatty(0) == 1
    while true {
      if isTerminal { StandardOutput.write("> ") }
      guard let line = readLine(), !line.isEmpty else { break }
      await answer(InputHygiene(maximumLength: 4000).clean(line).text, session)
    }
  }

  private func starters(_ trips: [Trip]) -> [String] {
    guard let last = trips.last else {
      return [
        language.choose(
          "Create a trip to Kyoto from 2026-04-01 to 2026-04-05.",
          "Crea un viaggio a Kyoto dal 2026-04-01 al 2026-04-05.")
      ]
    }
    return [
      language.choose(
        "What did I note in \(last.destination)?", "Cosa ho annotato a \(last.destination)?"),
      language.choose(
        "Note for day 1: we arrived by train.", "Nota per il giorno 1: siamo arrivati in treno."),
    ]
  }

  private func answer(_ text: String, _ session: LanguageModelSession) async {
    do {
      var written = 0
      var outputCount = 0
      for try await snapshot in session.streamResponse(to: text) {
        var outputs: [Transcript.ToolOutput] = []
        for case .toolOutput(let output) in snapshot.transcriptEntries { outputs.append(output) }
        for output in outputs.dropFirst(outputCount) { say("  ↳ \(output)") }
        outputCount = outputs.count
        StandardOutput.write(String(snapshot.content.dropFirst(written)))
        written = snapshot.content.count
      }
      say()
    } catch {
      say("\n\(error.localizedDescription)")
    }
  }
}
