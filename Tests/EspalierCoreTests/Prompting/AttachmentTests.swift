// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@Suite struct AttachmentTests {
  private let picture = URL(filePath: "/tmp/temple.png")

  @Test func attachmentsReachTheModelBetweenTexts() async throws {
    let model = ScriptedLanguageModel([.text("A temple.")])
    let session = LanguageModelSession(model: model)
    try await session.respond {
      "What is on"
      "this picture?"
      Attachment(imageURL: picture).label("temple")
      "Be brief."
    }
    guard case .prompt(let prompt)? = model.requests[0].transcript.last else {
      Issue.record("no prompt")
      return
    }
    #expect(
      prompt.segments.map(\.description)
        == ["What is on\nthis picture?", "[image temple]", "Be brief."])
    guard case .attachment(let segment) = prompt.segments[1],
      case .image(let image) = segment.content
    else {
      Issue.record("no attachment")
      return
    }
    #expect(segment.label == "temple" && image.url == picture)
  }

  @Test func instructionsHoldThemToo() {
    let session = LanguageModelSession(model: ScriptedLanguageModel([])) {
      "Look at this:"
      Attachment(imageURL: picture)
    }
    #expect(
      session.transcript.map(\.description) == ["Instructions: Look at this:\n[image temple.png]"])
  }

  /// Printed, or put into a string: a log shows what was said, not how it is stored.
  @Test func theyAreWrittenAsWords() {
    let prompt = Prompt {
      "What is this?"
      Attachment(imageURL: picture).label("temple")
    }
    #expect("\(prompt)" == "What is this?\n[image temple]")
    #expect("\(Instructions("Be brief."))" == "Be brief.")
    // The bytes of an image are no name of it.
    let bytes = Prompt { Attachment(imageURL: URL(string: "data:image/png;base64,iVBORw0K")!) }
    #expect("\(bytes)" == "[image without a name]")
  }

  @Test func aModelSpeaksOfAnImageByItsLabel() async throws {
    let model = ScriptedLanguageModel([
      .text(#"{"attachmentLabel":"temple"}"#), .text(#"{"attachmentLabel":"bridge"}"#),
    ])
    let session = LanguageModelSession(model: model)
    let reference = try await session.respond(generating: ImageReference.self) {
      "Which one is older?"
      Attachment(imageURL: URL(filePath: "/tmp/bridge.png"))
      Attachment(imageURL: picture).label("temple")
    }.content
    #expect(reference.resolved(in: session.transcript)?.url == picture)
    let unknown = try await session.respond(to: "Next", generating: ImageReference.self).content
    #expect(unknown.resolved(in: session.transcript) == nil)
    #expect(try ImageReference(reference.generatedContent) == reference)
  }
}
