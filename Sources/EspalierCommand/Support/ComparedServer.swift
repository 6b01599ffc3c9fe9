import EspalierCore
import EspalierEvaluation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that is asked the same as a model, with its own way to hold an answer to a schema.
struct ComparedServer {
  var url: URL
  var schema: GenerationSchema
  var schemaText: String
  var instructions: String?
  var form: EvaluateCommand.SchemaForm
  var examples: [GenerationExample]

  func answer(to prompt: String) async -> Evaluation.Answer {
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let body = try await send(try request(prompt))
      guard case .string(let text)? = body["choices"]?[0]?["message"]?["content"]?.kind else {
        return .init(
          content: nil, failure: body.jsonString, duration: clock.now - start)
      }
      var count = 0
      if case .number(let number)? = body["usage"]?["completion_tokens"]?.kind {
        count = Int(number)
      }
      return .init(
        content: try GeneratedContent(json: text), duration: clock.now - start, tokenCount: count)
    } catch {
      return .init(content: nil, failure: "\(error)", duration: clock.now - start)
    }
  }

  private func request(_ prompt: String) throws -> URLRequest {
    var messages: [GeneratedContent] = []
    func say(_ role: String, _ text: String) {
      messages.append(GeneratedContent(properties: ["role": role, "content": text]))
    }
    if let instructions { say("system", instructions) }
    for example in examples {
      say("user", example.prompt.parts.text)
      say("assistant", example.value.jsonString)
    }
    var prompt = prompt
    switch form {
    case .json: prompt += "\n\nAnswer with JSON of this schema: \(try schema.jsonSchema())"
    case .notation: prompt += "\n\nAnswer with JSON: \(try TypeNotation(schema).text)"
    case .none: break
    }
    say("user", prompt)
    let body = GeneratedContent(properties: [
      "messages": GeneratedContent(elements: messages), "temperature": 0, "max_tokens": 1024,
      "response_format": GeneratedContent(properties: [
        "type": "json_schema",
        "json_schema": GeneratedContent(properties: [
          "name": "answer", "strict": true, "schema": try GeneratedContent(json: schemaText),
        ]),
      ]),
    ])
    var request = URLRequest(url: url.appending(path: "v1/chat/completions"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(body.jsonString.utf8)
    request.timeoutInterval = 300
    return request
  }

  private func send(_ request: URLRequest) async throws -> GeneratedContent {
    let (data, _) = try await URLSession.shared.data(for: request)
    return try GeneratedContent(json: String(decoding: data, as: UTF8.self))
  }
}

extension GeneratedContent {
  fileprivate subscript(key: String) -> GeneratedContent? {
    if case .structure(let members, _) = kind { members[key] } else { nil }
  }

  fileprivate subscript(index: Int) -> GeneratedContent? {
    guard case .array(let elements) = kind, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}
