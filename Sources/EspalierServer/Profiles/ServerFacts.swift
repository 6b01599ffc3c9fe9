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
    let chosen = entries.first { $0["id"]?.asText == model } ?? entries.first
    var facts = ServerFacts(
      profile: profile(of: chosen, head), models: entries.compactMap { $0["id"]?.asText },
      contextSize: chosen?["max_model_len"]?.asInteger
        ?? chosen?["meta"]?["n_ctx"]?.asInteger)
    if facts.profile.name == ServerProfile.llamaServer.name, facts.contextSize == nil {
      facts.contextSize = try await integer(
        "/props", at: ["default_generation_settings", "n_ctx"])
    }
    return facts
  }

  private func profile(of model: GeneratedContent?, _ head: HTTPHead) -> ServerProfile {
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
    return .cautious
  }

  private func integer(_ route: String, at path: [String]) async throws -> Int? {
    guard let (head, body) = try? await get(route), head.status == 200,
      var content = try? GeneratedContent(json: String(decoding: body, as: UTF8.self))
    else { return nil }
    for name in path {
      guard let inner = content[name] else { return nil }
      content = inner
    }
    return content.asInteger
  }
}
