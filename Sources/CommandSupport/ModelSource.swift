// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which model a command is to use, as its `--model` says.
package enum ModelSource: Sendable, Equatable {
  /// Nothing was said: the fetched model if there is one or one can be fetched, else the sampling
  /// model.
  case any
  /// `sampling`: valid values without meaning, drawn from a seed.
  case sampling
  /// `smollm2`: the model that can be fetched.
  case smolLM2
  /// The path of a GGUF file, or the name of one that was fetched.
  case file(String)
  /// A server.
  case server(ServerSource)

  package init(_ name: String?) {
    self =
      switch name {
      case nil: .any
      case "sampling": .sampling
      case "smollm2": .smolLM2
      case .some(let text): ServerSource(text).map { .server($0) } ?? .file(text)
      }
  }

  /// What stands behind a source.
  package struct Choice: Sendable, Equatable {
    /// The path of the model file; nil where a server or the sampling model answers.
    package var path: String?
    /// The server; nil where a file or the sampling model answers.
    package var server: ServerSource?
    /// Why there is no file where one was wished for; nil where there is nothing to say.
    package var remark: String?
  }

  /// Finds the model, and fetches it where it has to come first.
  ///
  /// Where nothing was said, a model is fetched only for a person at a terminal, who sees how far it
  /// has come and can stop it; a script downloads nothing that it did not ask for.
  ///
  /// - Parameters:
  ///   - folder: Where fetched models are kept.
  ///   - isInteractive: Whether a person sees what is written to the standard error; as it is where
  ///     nil.
  /// - Throws: ``ModelFetchError`` where `smollm2` was asked for and cannot be fetched.
  package func choice(
    folder: ModelFolder = .impatient, isInteractive: Bool? = nil
  ) async throws -> Choice {
    let isInteractive = isInteractive ?? (isatty(2) == 1)
    switch self {
    case .sampling: return Choice()
    case .file(let name): return Choice(path: folder.path(named: name))
    case .server(let server): return Choice(server: server)
    case .smolLM2: return Choice(path: try await Self.fetch(in: folder, isInteractive))
    case .any:
      if folder.contains(.smolLM2) { return Choice(path: folder.path(of: .smolLM2)) }
      guard isInteractive else { return Choice() }
      do {
        return Choice(path: try await Self.fetch(in: folder, isInteractive))
      } catch let error as ModelFetchError {
        return Choice(remark: "No model could be fetched. \(error)")
      }
    }
  }

  private static func fetch(in folder: ModelFolder, _ showsProgress: Bool) async throws -> String {
    if showsProgress, !folder.contains(.smolLM2) {
      ProgressBar.write(
        "Fetching SmolLM2 135M (\(PublishedModel.smolLM2.byteCount / 1_000_000) MB), once. "
          + "--model sampling does without.\n")
    }
    defer { if showsProgress { ProgressBar.clear() } }
    return try await folder.fetch(.smolLM2, progress: ProgressBar.show(isShown: showsProgress))
  }
}

extension ModelFolder {
  /// The user's folder; a network that does not answer is given up soon.
  package static var impatient: ModelFolder {
    ModelFolder(environment: ["PIP_RETRIES": "1", "PIP_DEFAULT_TIMEOUT": "10"])
  }
}
