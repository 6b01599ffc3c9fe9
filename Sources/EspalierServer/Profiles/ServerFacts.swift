// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a server says of itself.
public struct ServerFacts: Sendable, Hashable {
  /// The profile that fits it.
  public var profile: ServerProfile
  /// The models that it has.
  public var models: [String]
  /// The greatest number of tokens of transcript and response together; nil where it does not say.
  public var contextSize: Int?
}

/// Finds out what kind of server is at an address.
///
/// `/v1/models` tells most of them apart: llama-server, vLLM, SGLang, Ollama and LM Studio each write
/// another owner into the list, or fields of their own. A host that is known is not asked.
struct ServerDetection {
  var address: ServerAddress
  var model: String?
  /// Sends a GET request: the route, the status and the body.
  var get: (String) async throws -> (HTTPHead, [UInt8])

  func facts() async throws -> ServerFacts {
    if address.host == "api.openai.com" {
      return ServerFacts(profile: .openAI, models: [], contextSize: nil)
    }
    let (head, body) = try await get("models")
    guard head.status == 200,
      let list = try? GeneratedContent(json: String(decoding: body, as: UTF8.self))
    else {
      return ServerFacts(profile: .cautious, models: [], contextSize: nil)
    }
    let entries = list["data"]?.asList ?? []
    let chosen = entries.first { Self.isName(model, of: $0["id"]?.asText) } ?? entries.first
    var facts = ServerFacts(
      profile: await profile(of: chosen, head), models: entries.compactMap { $0["id"]?.asText },
      contextSize: chosen?["max_model_len"]?.asInteger
        ?? chosen?["meta"]?["n_ctx"]?.asInteger)
    if facts.contextSize == nil {
      facts.contextSize = await contextSize(
        of: model ?? chosen?["id"]?.asText, facts.profile)
    }
    return facts
  }

  /// Whether a name means a model: Ollama leaves the tag `latest` out.
  static func isName(_ name: String?, of model: String?) -> Bool {
    guard let name, let model else { return false }
    return name == model || name + ":latest" == model
  }

  private func profile(of model: GeneratedContent?, _ head: HTTPHead) async -> ServerProfile {
    switch model?["owned_by"]?.asText {
    case "llamacpp": return .llamaServer
    case "vllm": return .vLLM
    case "sglang": return .sgLang
    case "espalier": return .espalier
    case "library", "ollama": return .ollama
    case "organization_owner": return .lmStudio
    default: break
    }
    if head["Server"]?.contains("llama.cpp") == true { return .llamaServer }
    // Ollama calls the owner of a model what it was fetched from.
    if let version = await content(of: "/api/version"), version["version"]?.asText != nil {
      return .ollama
    }
    return .cautious
  }

  /// What the server's own routes say of a context, where the list of models does not.
  private func contextSize(of model: String?, _ profile: ServerProfile) async -> Int? {
    switch profile.name {
    case ServerProfile.llamaServer.name:
      return await content(of: "/props")?["default_generation_settings"]?["n_ctx"]?.asInteger
    case ServerProfile.ollama.name:
      // Of models that are loaded; of others it is known once they refuse a request.
      let running = await content(of: "/api/ps")?["models"]?.asList ?? []
      return running.first { Self.isName(model, of: $0["name"]?.asText) }?["context_length"]?
        .asInteger
    case ServerProfile.lmStudio.name:
      let models = await content(of: "/api/v0/models")?["data"]?.asList ?? []
      return models.first { $0["id"]?.asText == model }?["loaded_context_length"]?.asInteger
    default: return nil
    }
  }

  private func content(of route: String) async -> GeneratedContent? {
    guard let (head, body) = try? await get(route), head.status == 200 else { return nil }
    return try? GeneratedContent(json: String(decoding: body, as: UTF8.self))
  }
}
