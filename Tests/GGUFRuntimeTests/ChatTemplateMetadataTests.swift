// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import GGUFRuntime
import Testing

/// The chat template that a model's file brings along.
@Suite struct ChatTemplateMetadataTests {
  @Test func unknownFamiliesFollowTheirFile() {
    let source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ eos_token }}"
    let template = ChatTemplate(metadata: [
      "tokenizer.chat_template": .string(Array(source.utf8))
    ])
    #expect(
      template.pieces(of: [.init(role: .user, content: "Hi")])
        == [.markup("[user]"), .text("Hi")])
    // One that cannot be read is as good as none.
    let broken = ChatTemplate(metadata: ["tokenizer.chat_template": .string(Array("{% if".utf8))])
    #expect(
      broken.pieces(of: [.init(role: .user, content: "Hi")])
        == [.text("user: Hi\n"), .text("assistant:")])
  }
}
