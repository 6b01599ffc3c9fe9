// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore
import EspalierServer
import Foundation

/// A request as it came over either route, read whole: what cannot be honoured is an error that names
/// the member and its place.
struct ServedRequest: Sendable {
  enum Route: Sendable { case chat, responses }

  var route: Route
  var model: String?
  var entries: [Transcript.Entry] = []
  /// The parts of the instructions, which become the first entry once all are read.
  var instructions: [Transcript.Segment] = []
  /// The name of the tool of each call, by its identity.
  var calledTools: [String: String] = [:]
  var tools: [Transcript.ToolDefinition] = []
  /// Where the parameters of each tool stand in the request, by its name.
  var toolPlaces: [String: String] = [:]
  var schema: GenerationSchema?
  /// What the text is held to where there is no schema.
  var guide: Guide?
  var options = GenerationOptions()
  /// How much the model is to think first; as much as it does where nil.
  var reasoningLevel: ContextOptions.ReasoningLevel?
  /// Texts that end the answer, which has none of them.
  var stop: [String] = []
  /// Each of them is looked for in all that the model writes.
  private static let stopLimit = 64
  var streams = false
  /// Whether a stream ends with the number of tokens.
  var includesUsage = false
  /// Whether one call is the most.
  var onlyOneCall = false

  init(_ route: Route, body: Data) throws {
    self.route = route
    guard let text = String(validating: body, as: UTF8.self) else {
      throw ServeProblem(400, "The body is no UTF-8.")
    }
    guard !text.utf8.allSatisfy({ $0 == 0x20 || 0x09...0x0D ~= $0 }) else {
      throw ServeProblem(400, "The body is empty.")
    }
    let content: GeneratedContent
    do {
      content = try GeneratedContent(json: text)
    } catch {
      throw ServeProblem(400, "The body is no JSON: \(ErrorWords.problem(of: error))")
    }
    guard content.isComplete else { throw ServeProblem(400, "The body is cut off.") }
    var fields = try FieldReader(content)
    model = try fields.text("model")
    streams = try fields.flag("stream") ?? false
    if var stream = try fields.reader("stream_options") {
      includesUsage = try stream.flag("include_usage") ?? false
      stream.ignore("include_obfuscation", "continuous_usage_stats")
      try stream.finish()
    }
    try readSampling(&fields)
    switch route {
    case .chat: try readChat(&fields)
    case .responses: try readResponses(&fields)
    }
    try fields.finish()
    if !instructions.isEmpty {
      entries.insert(
        .instructions(.init(segments: instructions, toolDefinitions: [])), at: 0)
    }
    guard entries.contains(where: \.isPromptOrOutput) else {
      throw ServeProblem(
        400, "There is nothing to answer.", at: route == .chat ? "messages" : "input")
    }
    let options = options
    if let schema, let index = entries.lastIndex(where: \.isPrompt),
      case .prompt(var prompt) = entries[index]
    {
      prompt.responseFormat = Transcript.ResponseFormat(schema: schema)
      prompt.options = options
      entries[index] = .prompt(prompt)
    }
    guard schema == nil || stop.isEmpty else {
      throw ServeProblem(
        400, "'stop' cannot be honoured beside a schema: a value ends where it is whole.",
        at: "stop", code: "unsupported_parameter")
    }
  }

  /// The request for an executor.
  var generation: LanguageModelExecutorGenerationRequest {
    var options = options
    options.grammar = guide?.grammar
    return LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: Transcript(entries: entries), enabledTools: tools, schema: schema,
      generationOptions: options, contextOptions: ContextOptions(reasoningLevel: reasoningLevel),
      metadata: [:])
  }

  /// What is counted: the transcript with the tools, which are a part of the instructions.
  var countedEntries: [Transcript.Entry] {
    guard !tools.isEmpty else { return entries }
    var entries = entries
    if case .instructions(var instructions)? = entries.first {
      instructions.toolDefinitions += tools
      entries[0] = .instructions(instructions)
    } else {
      entries.insert(.instructions(.init(segments: [], toolDefinitions: tools)), at: 0)
    }
    return entries
  }

  private mutating func readSampling(_ fields: inout FieldReader) throws {
    options.temperature = try fields.number("temperature", in: 0...2)
    let topP = try fields.number("top_p", in: 0...1)
    // Clients of vLLM and llama-server send -1 or 0 for all tokens.
    let topK = try fields.integer("top_k", atLeast: -1).flatMap { $0 > 0 ? $0 : nil }
    let seed = try fields.integer("seed", atLeast: .min).map { UInt64(bitPattern: Int64($0)) }
    // A threshold of one leaves nothing out: some clients send it with every request.
    if topP ?? 1 < 1, topK != nil {
      throw ServeProblem(
        400, "'top_k' and 'top_p' cannot be honoured together.", at: "top_k",
        code: "unsupported_parameter")
    }
    if let topK {
      options.samplingMode = .random(top: topK, seed: seed)
    } else if topP != nil || seed != nil {
      options.samplingMode = .random(probabilityThreshold: topP ?? 1, seed: seed)
    }
    // A temperature of zero is the likeliest token, whatever else is said.
    if options.temperature == 0 { options.samplingMode = .greedy }
    fields.ignore(
      "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
      "prompt_cache_retention", "verbosity", "parallel_tool_calls")
    onlyOneCall = try fields.flag("parallel_tool_calls") == false
  }

  /// Reads how many rivals of each token are wanted, where probabilities are.
  private mutating func readRivals(_ fields: inout FieldReader, areWanted: Bool) throws {
    let count = try fields.integer("top_logprobs", atLeast: 0)
    guard count ?? 0 <= 20 else {
      throw ServeProblem(400, "Expected 20 at most, found \(count ?? 0).", at: "top_logprobs")
    }
    if areWanted {
      options.tokenRivalCount = count ?? 0
    } else if count ?? 0 > 0 {
      throw ServeProblem(
        400,
        "'top_logprobs' needs "
          + (route == .chat ? "'logprobs'." : "'message.output_text.logprobs' in 'include'."),
        at: "top_logprobs")
    }
  }

  /// Reads how much the model is to think.
  private mutating func readEffort(_ fields: inout FieldReader, _ name: String) throws {
    guard let effort = try fields.text(name) else { return }
    reasoningLevel =
      switch effort {
      case "none", "minimal": .custom("none")
      case "low": .light
      case "medium": .moderate
      case "high", "xhigh": .deep
      default:
        throw ServeProblem(
          400, "Expected none, minimal, low, medium, high or xhigh, found '\(effort)'.",
          at: fields.path(name))
      }
  }

  /// Reads what Qwen's template and others take: whether the model thinks.
  private mutating func readTemplateVariables(_ fields: inout FieldReader) throws {
    guard var variables = try fields.reader("chat_template_kwargs") else { return }
    let thinks = try variables.flag("enable_thinking")
    try variables.finish()
    guard let thinks else { return }
    if let reasoningLevel, (reasoningLevel == .custom("none")) == thinks {
      throw ServeProblem(
        400, "'enable_thinking' and 'reasoning_effort' say different things.",
        at: variables.path("enable_thinking"), code: "unsupported_parameter")
    }
    if !thinks { reasoningLevel = .custom("none") }
  }

  private mutating func readChat(_ fields: inout FieldReader) throws {
    try readEffort(&fields, "reasoning_effort")
    try readTemplateVariables(&fields)
    let limit = try fields.integer("max_tokens", atLeast: 1)
    options.maximumResponseTokens =
      try fields.integer("max_completion_tokens", atLeast: 1) ?? limit
    try fields.require(
      "n", [1.generatedContent], otherwise: "one answer is given. Send the request once for each.")
    let wantsProbabilities = try fields.flag("logprobs") ?? false
    try readRivals(&fields, areWanted: wantsProbabilities)
    for name in ["frequency_penalty", "presence_penalty"] {
      try fields.require(
        name, [0.generatedContent, 0.0.generatedContent],
        otherwise: "there is no such penalty. Leave it out, or send 0.")
    }
    try fields.require(
      "logit_bias", [.members([:])],
      otherwise: "the odds of single tokens cannot be changed. Leave it out; "
        + "'response_format' says what may be written.")
    try fields.require(
      "modalities", [.items(["text".generatedContent])], otherwise: "there is text alone.")
    try readOtherServersFields(&fields)
    if let value = fields.value("stop") {
      stop = value.asText.map { [$0] } ?? (value.asList ?? []).compactMap(\.asText)
      guard !stop.isEmpty || value.asList?.isEmpty == true, !stop.contains("") else {
        throw ServeProblem(400, "Expected a string or strings.", at: "stop")
      }
      guard stop.count <= Self.stopLimit else {
        throw ServeProblem(
          400, "Expected at most \(Self.stopLimit) strings, found \(stop.count).", at: "stop")
      }
    }
    guard let messages = try fields.list("messages") else {
      throw ServeProblem(400, "'messages' is missing.", at: "messages")
    }
    for (index, message) in messages.enumerated() {
      try read(message: FieldReader(message, at: "messages[\(index)]"))
    }
    if var format = try fields.reader("response_format") { try read(format: &format) }
    try readTools(&fields)
    try readGuides(&fields)
  }

  private mutating func readResponses(_ fields: inout FieldReader) throws {
    if var reasoning = try fields.reader("reasoning") {
      try readEffort(&reasoning, "effort")
      reasoning.ignore("summary", "generate_summary")
      try reasoning.finish()
    }
    options.maximumResponseTokens = try fields.integer("max_output_tokens", atLeast: 1)
    if let text = try fields.text("instructions") { appendInstructions(text) }
    try fields.require(
      "truncation", ["disabled".generatedContent], otherwise: "nothing is left out of the input.")
    try fields.require("background", [false.generatedContent], otherwise: "answers come at once.")
    let probabilities = "message.output_text.logprobs"
    let included = try fields.list("include") ?? []
    for (index, item) in included.enumerated() where item.asText != probabilities {
      // What nobody stores has nothing encrypted in it.
      if item.asText == "reasoning.encrypted_content" { continue }
      throw ServeProblem(
        400, "'\(item.asText ?? item.kindName)' cannot be included.", at: "include[\(index)]",
        code: "unsupported_parameter")
    }
    try readRivals(
      &fields, areWanted: included.contains { $0.asText == probabilities })
    for name in ["previous_response_id", "conversation", "prompt"] {
      try fields.require(name, [], otherwise: "nothing is stored here.")
    }
    guard let input = fields.value("input") else {
      throw ServeProblem(400, "'input' is missing.", at: "input")
    }
    if let text = input.asText {
      entries.append(.prompt(.init(segments: [.text(.init(content: text))])))
    } else {
      for (index, item) in (input.asList ?? []).enumerated() {
        try read(item: FieldReader(item, at: "input[\(index)]"))
      }
    }
    if var text = try fields.reader("text") {
      if var format = try text.reader("format") { try read(format: &format) }
      text.ignore("verbosity")
      try text.finish()
    }
    try readTools(&fields)
  }
}

extension Transcript.Entry {
  fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }
  fileprivate var isPromptOrOutput: Bool {
    if case .toolOutput = self { true } else { isPrompt }
  }
}
