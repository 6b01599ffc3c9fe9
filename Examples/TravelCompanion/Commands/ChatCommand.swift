// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

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
      said can be given as arguments, too. Chats are kept beside the trips: --list shows them, \
      --resume goes on with the last one, --resume-chat with any.
      """)

  @Argument(help: "What to say, one message after the other; the input where left out.")
  var messages: [String] = []
  @Flag(help: "Go on with the last chat.") var resume = false
  @Option(help: "Go on with a chat, by the beginning of its identity as --list shows it.")
  var resumeChat: String?
  @Flag(help: "List the chats.") var list = false
  @Option(help: "english or italiano.") var language = Language.english
  @OptionGroup var model: ModelOptions
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let chats = try self.store.openChats()
    if list { return ChatLines.show(try await chats.conversations(limit: 50)) }
    let store = try store.open()
    let chosen = try await model.choose()
    let tools: [any Tool] = [
      CreateTrip(store: store), AddNote(store: store), GetTripInfo(store: store),
    ]
    let session: LanguageModelSession
    var chat = try await resumedChat(chats)
    if let chat {
      session = try await chosen.session(
        resuming: chat.id, in: chats, tools: tools)
    } else {
      session = chosen.session(tools: tools, language: language)
    }
    session.toolCallPolicy.decide = { call in
      say("  ⚙ \(call.toolName) \(call.arguments.jsonString)")
      return .allow
    }
    say(chosen.line)
    if let chat {
      say(language.choose("Going on with", "Si continua con") + " “\(chat.title)”")
      for entry in session.transcript.suffix(4) { ChatLines.show(entry) }
    } else {
      say(language.choose("For example:", "Per esempio:"))
      for starter in starters(try await store.all) { say("  · \(starter)") }
    }
    /// A chat is kept from its first message on.
    func converse(_ message: String) async throws -> Bool {
      let text = InputHygiene(maximumLength: 4000).clean(message).text
      if chat == nil {
        let created = try await chats.create(title: String(text.prefix(60)))
        session.saving(to: chats, as: created.id)
        chat = created
      }
      return await answer(text, session)
    }
    var allAnswered = true
    for message in messages {
      say("> \(message)")
      if try await !converse(message) { allAnswered = false }
    }
    guard allAnswered else { throw ExitCode.failure }
    guard messages.isEmpty else { return }
    let isTerminal = isatty(0) == 1
    while true {
      if isTerminal { StandardOutput.write("> ") }
      guard let line = readLine(), !line.isEmpty else { break }
      _ = try await converse(line)
    }
  }

  /// The chat that is gone on with; nil for a new one.
  private func resumedChat(_ chats: FileConversationStore) async throws -> Conversation? {
    guard resume || resumeChat != nil else { return nil }
    let known = try await chats.conversations()
    let beginning = resumeChat?.uppercased() ?? ""
    guard let chat = known.first(where: { $0.id.hasPrefix(beginning) }) else {
      throw ValidationError(
        known.isEmpty
          ? "There is no chat yet." : "No chat begins with '\(beginning)': --list shows them.")
    }
    return chat
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

  /// Shows what the model answers, or why it does not.
  ///
  /// - Returns: Whether it answered.
  private func answer(_ text: String, _ session: LanguageModelSession) async -> Bool {
    do {
      var written = 0
      var outputCount = 0
      for try await snapshot in session.streamResponse(to: text) {
        var outputs: [Transcript.ToolOutput] = []
        for case .toolOutput(let output) in snapshot.transcriptEntries { outputs.append(output) }
        for output in outputs.dropFirst(outputCount) { say("  ↳ \(output)") }
        outputCount = outputs.count
        // An accent may come after its letter: characters change, their code points do not.
        let text = snapshot.content.unicodeScalars
        StandardOutput.write(String(text.dropFirst(written)))
        written = text.count
      }
      say()
      return true
    } catch {
      say("\n\(error.localizedDescription)")
      // Whoever sits at a terminal may have started the server, too, and can use what it said.
      if let reason = (error as? any LocalizedError)?.failureReason { say("  \(reason)") }
      return false
    }
  }
}
