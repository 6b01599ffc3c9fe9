// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierLocal
import Foundation
import Testing

/// What changes the whole process, such as the model of the system, is run in processes of its own.
@Suite struct ProcessSnippetRunTests {
  private static let path = ProcessInfo.processInfo.environment["ESPALIER_MODEL"]

  @Test func moving() async {
    await #expect(processExitsWith: .success) {
      catchTheErrorsOf26()
      #expect(ErrorGeneration.standard == .first)
      chooseTheModel()
      whereItIsBetter()
      let recipe = try await Kitchen().recipe(for: "A soup")
      #expect((5...180).contains(recipe.time) && (3...12).contains(recipe.steps.count))
      var shown: [Recipe.PartiallyGenerated] = []
      try await Kitchen().watch("A soup") { shown.append($0) }
      #expect(shown.last?.steps?.isEmpty == false)
      try await CommentSnippets().asksTheSystem()
      try chooseTheServer(try #require(URL(string: "http://localhost:8080")))
      #expect(SystemLanguageModel.default.isAvailable)
      modelOfTheSystem(EchoModel())
      try ServerSnippets(server: nil).cloud(url: try #require(URL(string: "http://localhost:8080")))
      #expect(PrivateCloudComputeLanguageModel().isAvailable)
    }
  }

  /// The snippets that name a file beside them.
  @Test(.enabled(if: path != nil, "no model")) func files() async {
    await #expect(processExitsWith: .success) {
      let model = try #require(ProcessInfo.processInfo.environment["ESPALIER_MODEL"])
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for name in ["SmolLM2-135M-Instruct.Q4_1.gguf", "model.gguf"] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appending(path: name).path, withDestinationPath: model)
      }
      #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
      try await BackendSnippets().namesAFile()
      try BackendSnippets().requirements()
      try ServerSnippets(server: nil).laptop()
      try BackendSnippets().standIn(path: model)
      let answer = try await LanguageModelSession().respond(
        to: "Hello", options: GenerationOptions(maximumResponseTokens: 4))
      #expect(!answer.content.isEmpty)
      let guides = GuideSnippets()
      let session = try guides.loads(path: model)
      try await session.respond(to: "Hi", options: GenerationOptions(maximumResponseTokens: 4))
      for limited in [try guides.capsMemory(path: model), try guides.limitsRequests(model)] {
        _ = limited
      }
    }
  }
}
