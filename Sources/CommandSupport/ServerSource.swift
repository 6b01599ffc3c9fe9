// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import EspalierServer
package import Foundation

/// A server as a command's `--model` names it: an address, and behind a `#` the name of a model there.
package struct ServerSource: Sendable, Equatable {
  /// The address.
  package var url: URL
  /// The name of the model; the first that the server has where nil.
  package var model: String?

  /// Reads `http://localhost:11434#qwen3`; nil for what is no address. On this machine the scheme may
  /// be left out.
  package init?(_ text: String) {
    let isLocal = ["localhost:", "127.0.0.1:", "[::1]:"].contains { text.hasPrefix($0) }
    let text = isLocal ? "http://" + text : text
    guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return nil }
    let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
    guard let first = parts.first, let url = URL(string: first), url.host() != nil else {
      return nil
    }
    self.url = url
    model = parts.count > 1 ? parts[1] : nil
  }

  /// The model behind the server. Its key is in `ESPALIER_API_KEY`, and for OpenAI's own host in
  /// `OPENAI_API_KEY`: one key is never sent to another's host.
  ///
  /// - Parameters:
  ///   - profile: What the server speaks; found by asking where nil.
  ///   - options: How it is asked.
  package func languageModel(
    profile: ServerProfile? = nil, options: ServerOptions = ServerOptions()
  ) throws -> ServerLanguageModel {
    let isOpenAI = url.host() == "api.openai.com"
    return try ServerLanguageModel(
      url: url, model: model, profile: profile,
      apiKey: .environment(isOpenAI ? "OPENAI_API_KEY" : "ESPALIER_API_KEY"), options: options)
  }

  /// The server and the model, for people to read.
  package var line: String { (model.map { "\($0) at " } ?? "the model at ") + (url.host() ?? "") }
}
