// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

/// What a kind of server speaks, and what of a schema it keeps.
///
/// A profile is a value: start from one of the known ones and change what is different at yours.
///
/// ```swift
/// var profile = ServerProfile.vLLM
/// profile.grammar = nil  // a server behind a gateway that drops the field
/// let model = try ServerLanguageModel(url: url, profile: profile)
/// ```
///
/// Whatever a profile says, every value is checked as it streams: a wrong profile costs attempts, and
/// never lets a value through that breaks its schema.
public struct ServerProfile: Sendable, Hashable {
  /// The routes that a chat can be held over.
  public enum Route: Sendable, Hashable {
    /// `/v1/chat/completions`, which nearly every server has.
    case chatCompletions
    /// `/v1/responses`.
    case responses
    /// Ollama's `/api/chat`.
    case ollamaChat
  }

  /// The field of the request that carries a schema.
  public enum SchemaField: Sendable, Hashable {
    /// None: the schema is told to the model alone.
    case none
    /// `response_format` (`text.format` at Responses, `format` at Ollama), with any JSON Schema.
    case jsonSchema
    /// The same, in the strict subset of OpenAI.
    case strictJSONSchema
  }

  /// The field of the request that carries a grammar.
  public enum GrammarField: Sendable, Hashable {
    /// `grammar`: GBNF, at llama-server.
    case gbnf
    /// `structured_outputs.grammar`: EBNF, at vLLM.
    case structuredOutputs
    /// `ebnf`: EBNF, at SGLang.
    case ebnf

    var dialect: EmittedGrammar.Dialect { self == .gbnf ? .gbnf : .ebnf }
  }

  /// How an answer that was begun can be gone on with.
  public enum Continuation: Sendable, Hashable {
    /// Not at all.
    case none
    /// A last message of the assistant is gone on with.
    case lastMessage
    /// The same, where `continue_final_message` says so.
    case continueFinalMessage
  }

  /// How tokens are counted without generating any.
  public enum TokenCounting: Sendable, Hashable {
    /// Not at all.
    case none
    /// `/v1/chat/completions/input_tokens`, at llama-server.
    case inputTokens
    /// `/tokenize` with messages, at vLLM.
    case tokenize
  }

  /// The name, for people to read and for telemetry.
  public var name: String
  /// The route that is used unless the app asks for another.
  public var route: Route
  /// The field that carries a schema.
  public var schemaField = SchemaField.jsonSchema
  /// The field that carries a grammar; nil where the server takes none.
  public var grammar: GrammarField?
  /// Whether schemas are sent as grammars, where there is a field for these and nothing of the schema is
  /// lost. Where not, the field carries `GenerationOptions.grammar` alone.
  public var sendsSchemasAsGrammars = true
  /// Whether a schema may stand beside tools that the model may call.
  public var combinesSchemaWithTools = false
  /// The keywords that the server holds a value to. Of others nothing is expected.
  public var keptKeywords: Set<String> = []
  /// The keywords that make the server refuse a request: they are left out.
  public var refusedKeywords: Set<String> = []
  /// The formats of strings that the server holds a value to.
  public var keptFormats: Set<String> = []
  /// Whether patterns without `^` and `$`, and those with look-around, are kept.
  public var keepsAnyPattern = false
  /// Whether keywords beside `$ref` and `anyOf` are kept.
  public var keepsSiblings = false
  /// Whether the server tells the model of the schema by itself.
  public var describesSchema = false
  /// How an answer that was begun can be gone on with.
  public var continuation = Continuation.none
  /// How tokens are counted.
  public var tokenCounting = TokenCounting.none
  /// The field that limits the tokens of an answer at Chat Completions.
  public var tokenLimitField = "max_tokens"
  /// Whether `top_k` is understood.
  public var takesTopK = false
  /// Whether `seed` is understood.
  public var takesSeed = false
  /// Whether an answer without anything in it means that the context is full.
  public var emptyAnswerMeansOverflow = false
  /// Whether the connection is kept after a streamed answer. Where it is not, another is opened ahead
  /// of each request on systems where the request would else keep a core busy (Linux).
  public var keepsConnection = true

  /// Creates a profile that expects little.
  ///
  /// - Parameters:
  ///   - name: The name, for people to read and for telemetry.
  ///   - route: The route that is used unless the app asks for another.
  public init(name: String, route: Route = .chatCompletions) {
    self.name = name
    self.route = route
  }
}

extension ServerProfile {
  /// What every engine for structured output that is known keeps.
  private static let commonKeywords: Set<String> = [
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
    "$ref",
  ]

  /// A server of which nothing is known: it is sent the schema, and trusted with nothing.
  public static let cautious = ServerProfile(name: "unknown")

  /// OpenAI: the strict subset of JSON Schema; everything else is left out and checked here.
  public static let openAI: ServerProfile = {
    var profile = ServerProfile(name: "openai")
    profile.schemaField = .strictJSONSchema
    profile.keptKeywords = commonKeywords
    profile.combinesSchemaWithTools = true
    profile.describesSchema = true
    profile.tokenLimitField = "max_completion_tokens"
    profile.takesSeed = true
    return profile
  }()

  /// llama.cpp's `llama-server`: the engine's own grammar, in GBNF.
  public static let llamaServer: ServerProfile = {
    var profile = ServerProfile(name: "llama.cpp")
    profile.keepsConnection = false
    profile.grammar = .gbnf
    profile.keptKeywords = commonKeywords.union([
      "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format",
    ])
    profile.keptFormats = ["date", "time", "date-time", "uuid"]
    profile.continuation = .lastMessage
    profile.tokenCounting = .inputTokens
    profile.takesTopK = true
    profile.takesSeed = true
    return profile
  }()

  /// vLLM: the engine's own grammar, in EBNF.
  public static let vLLM: ServerProfile = {
    var profile = ServerProfile(name: "vllm")
    profile.grammar = .structuredOutputs
    profile.keptKeywords = commonKeywords.union([
      "oneOf", "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format",
      "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    ])
    profile.refusedKeywords = ["uniqueItems", "contains", "minContains", "maxContains"]
    profile.keptFormats = ["date"]
    profile.keepsAnyPattern = true
    profile.continuation = .continueFinalMessage
    profile.tokenCounting = .tokenize
    profile.takesTopK = true
    profile.takesSeed = true
    return profile
  }()

  /// `espalier serve`: it has the engine of this package, and keeps every keyword that it takes.
  public static let espalier: ServerProfile = {
    var profile = llamaServer
    profile.name = "espalier"
    profile.sendsSchemasAsGrammars = false
    profile.combinesSchemaWithTools = true
    profile.keptKeywords = vLLM.keptKeywords.union(vLLM.refusedKeywords).union([
      "multipleOf", "not", "allOf", "if", "patternProperties", "propertyNames", "minProperties",
      "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
      "unevaluatedItems", "additionalItems", "dependencies", "$dynamicRef", "$anchor",
    ])
    profile.keptFormats = ["date", "time", "date-time", "uuid", "email", "uri", "ipv4", "ipv6"]
    profile.keepsAnyPattern = true
    profile.keepsSiblings = true
    profile.continuation = .none
    return profile
  }()

  /// SGLang: the engine's own grammar, in EBNF.
  public static let sgLang: ServerProfile = {
    var profile = vLLM
    profile.name = "sglang"
    profile.grammar = .ebnf
    profile.continuation = .none
    profile.tokenCounting = .none
    return profile
  }()

  /// Ollama, over its own route: there alone a request can say how much context it needs.
  public static let ollama: ServerProfile = {
    var profile = llamaServer
    profile.name = "ollama"
    profile.route = .ollamaChat
    profile.grammar = nil
    profile.tokenCounting = .none
    return profile
  }()

  /// LM Studio: Chat Completions alone, whose answer is empty where the context is full.
  public static let lmStudio: ServerProfile = {
    var profile = ServerProfile(name: "lmstudio")
    profile.keptKeywords = commonKeywords
    profile.takesTopK = true
    profile.takesSeed = true
    profile.emptyAnswerMeansOverflow = true
    return profile
  }()
}
