// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Espalier
import EspalierLocal
import Foundation

// What the comments of the sources show.

@Generable struct Cat {
  @Guide(.range(0...20)) var age: Int
  @Guide(.count(3), .element(.anyOf(["plays", "sleeps", "eats"]))) var habits: [String]
}

enum Mood: Sendable { case calm, hungry }

enum MoodKey: SessionPropertyKey { static let defaultValue = Mood.calm }
extension SessionPropertyValues {
  var mood: Mood {
    get { self[MoodKey.self] }
    set { self[MoodKey.self] = newValue }
  }
}

enum PlanningKey: SessionPropertyKey { static let defaultValue = false }
extension SessionPropertyValues {
  var isPlanning: Bool {
    get { self[PlanningKey.self] }
    set { self[PlanningKey.self] = newValue }
  }
}

struct Assistant: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isPlanning) var isPlanning

  var body: some DynamicProfile {
    if isPlanning {
      Profile { "Plan the trip." }.temperature(0.2)
    } else {
      Profile { "Chat about travelling." }
    }
  }
}

struct FindRestaurants: Tool {
  let description = "Finds restaurants"
  @Generable struct Arguments { var city: String }
  func call(arguments: Arguments) async throws -> String { arguments.city }
}

struct Guide: DynamicInstructions {
  @SessionProperty(\.mood) var mood

  var body: some DynamicInstructions {
    Instructions("You show people around.")
    if mood == .hungry { FindRestaurants() }
  }
}

struct CommentSnippets {
  func asksTheSystem() async throws {
    let session = LanguageModelSession(instructions: "You plan short trips.")
    let plan = try await session.respond(to: "Three days in Kyoto", generating: Itinerary.self)

    session.transcript.history = session.transcript.history.suffix(4)

    _ = plan
  }

  func fillsIn(_ session: LanguageModelSession, prompt: String) async throws {
    var itinerary: Itinerary.PartiallyGenerated?
    for try await snapshot in session.streamResponse(to: prompt, generating: Itinerary.self) {
      itinerary = snapshot.content
    }

    _ = itinerary
  }

  func parser(
    _ stream: AsyncStream<String>, show: (Itinerary.PartiallyGenerated) -> Void
  ) async throws {
    var parser = GeneratedContentParser()
    for try await piece in stream {
      try parser.append(piece)
      show(try Itinerary.PartiallyGenerated(parser.content))
    }
    let itinerary = try Itinerary(parser.finish())

    _ = itinerary
  }

  func content() throws {
    let content = try GeneratedContent(json: #"{"name": "Ada", "age": 36}"#)
    let name: String = try content.value(forProperty: "name")

    _ = name
  }

  struct ServerTool { var inputSchema: String }

  func importing(_ tool: ServerTool, question: String, _ session: LanguageModelSession)
    async throws
  {
    let schema = try GenerationSchema(jsonSchema: tool.inputSchema)
    let arguments = try await session.respond(to: question, schema: schema)

    _ = arguments
  }

  func closing(_ tool: ServerTool) throws -> GenerationSchema {
    let parameters = try GenerationSchema(jsonSchema: tool.inputSchema).closed

    return parameters
  }

  func importsAPart(openAPI: String) throws {
    let order = try GenerationSchema(
      jsonSchema: ##"{"$ref": "shop.json#/components/schemas/Order"}"##,
      documents: ["shop.json": openAPI])

    _ = order
  }

  func dynamic(courses: [String]) throws {
    let dish = DynamicGenerationSchema(
      name: "Dish",
      properties: [
        .init(name: "name", schema: DynamicGenerationSchema(type: String.self)),
        .init(name: "course", schema: DynamicGenerationSchema(name: "Course", anyOf: courses)),
      ])
    let schema = try GenerationSchema(root: dish, dependencies: [])

    _ = schema
  }

  func prompt(city: String, travelsWithChildren: Bool) {
    let prompt = Prompt {
      "Suggest three places to see in \(city)."
      if travelsWithChildren { "The children are four and seven." }
    }

    _ = prompt
  }

  func attachment(_ session: LanguageModelSession, picture: URL) async throws {
    try await session.respond {
      "What is on this picture?"
      Attachment(imageURL: picture).label("picture")
    }
  }

  func bitmask(_ vocabulary: Vocabulary, matcher: inout Matcher, token: Int) throws {
    var bitmask = TokenBitmask(vocabulary: vocabulary)
    matcher.fill(&bitmask)
    if bitmask[token] { try matcher.accept(token) }
  }

  func matcher(_ vocabulary: Vocabulary, logits: [Float], sample: ([Float], TokenMask) -> Int)
    throws
  {
    let grammar = try Grammar(jsonSchema: #"{"type": "integer", "minimum": 3}"#)
    var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
    while !matcher.mustEnd() {
      let mask = matcher.allowedTokens()
      try matcher.accept(sample(logits, mask))
    }
  }
}

struct ScreenExecutor {
  func screen(of request: LanguageModelExecutorGenerationRequest) throws -> String? {
    let screen = try request.metadata["screen"]?.value(String.self)
    return screen
  }
}

func listValidator() throws -> StreamValidator.Verdict {
  var validator = StreamValidator(grammar: try Grammar(gbnf: #"root ::= "- " [^\n]+ "\n""#))
  validator.append("- a")  // .possible
  validator.append("\n")  // .complete
  return validator.verdict
}

func toolCallGrammar(callSchema: String) throws -> Grammar {
  let grammar = try Grammar(startingAt: "answer") {
    Grammar.Rule("answer") {
      Grammar.Element.anyText(before: "<tool_call>")
      Grammar.Element.rule("call").optional
    }
    Grammar.Rule("call") {
      "<tool_call>\n"
      Grammar.Element.jsonValue(schema: callSchema)
      "\n</tool_call>"
    }
  }
  return grammar
}

func validatedStream() throws -> StreamValidator.Verdict {
  var validator = try StreamValidator(
    jsonSchema: #"{"type": "object", "properties": {"age": {"type": "integer"}}}"#)
  validator.append(#"{"age": 4"#)  // .possible
  validator.append(#"0, "name": "#)  // .possible
  validator.append(#""Ada"}"#)  // .complete
  return validator.verdict
}

extension SessionPropertyValues {
  @SessionPropertyEntry var units = "metric"
}

func explaining(
  session: LanguageModelSession, question: String, locale: Locale, alert: inout String,
  log: inout [String]
) async throws {
  do {
    try await session.respond(to: question)
  } catch let error as any ExplainedError {
    alert = error.userMessage.text(for: locale)
    log.append(error.developerDescription)
  }
}

func textOfAGrammar(session: LanguageModelSession) async throws -> String {
  var options = GenerationOptions(temperature: 0)
  options.grammar = .gbnf(
    """
    root ::= move (" " move)*
    move ::= [a-h] [1-8] [a-h] [1-8]
    """)
  let moves = try await session.respond(to: "Open the game.", options: options).content
  return moves
}
