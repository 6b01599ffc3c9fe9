// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Lets a model look things up in an app's documents.
///
/// ```swift
/// let session = LanguageModelSession(
///   model: model, tools: [KnowledgeTool(index, about: "the rules of the library")])
/// let answer = try await session.respond(to: "How long may I keep a film?")
/// ```
///
/// The output is the text of ``KnowledgePassages``, with what that promises.
public struct KnowledgeTool: Tool {
  /// What the model asks.
  public struct Arguments: Generable {
    /// What is looked up, in plain words.
    public var query: String

    /// Creates arguments.
    public init(query: String) { self.query = query }

    public init(_ content: GeneratedContent) throws {
      query = try content.value(String.self, forProperty: "query")
    }

    public static var generationSchema: GenerationSchema {
      GenerationSchema(
        type: Self.self,
        properties: [
          .init(
            name: "query", description: "What to look up, as a short question", type: String.self)
        ])
    }

    public var generatedContent: GeneratedContent {
      GeneratedContent(properties: ["query": query])
    }
  }

  public let name: String
  public let description: String
  /// How many passages are looked for.
  public var limit: Int
  /// How many tokens the output has at most, about.
  public var tokenLimit: Int
  /// What the metadata of a document must be; all documents where empty. A model cannot change it.
  public var filter: [String: String]
  private let index: any KnowledgeIndex

  /// Creates a tool.
  ///
  /// - Parameters:
  ///   - index: What is searched.
  ///   - subject: What the documents are about, for the model: `"the rules of the library"`.
  ///   - name: The name by which the model calls the tool.
  ///   - limit: How many passages are looked for.
  ///   - tokenLimit: How many tokens the output has at most, a token for every three bytes.
  ///   - filter: What the metadata of a document must be; all documents where empty.
  public init(
    _ index: some KnowledgeIndex, about subject: String, name: String = "lookUp", limit: Int = 5,
    tokenLimit: Int = 1500, where filter: [String: String] = [:]
  ) {
    self.index = index
    self.name = name
    description = "Finds passages in documents about \(subject)"
    self.limit = limit
    self.tokenLimit = tokenLimit
    self.filter = filter
  }

  public func call(arguments: Arguments) async throws -> KnowledgePassages {
    let matches = try await index.search(arguments.query, limit: limit, where: filter)
    return KnowledgePassages(matches, tokenLimit: tokenLimit)
  }
}
