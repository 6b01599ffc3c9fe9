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

  private static func text(_ text: String) -> GGUFValue { .string(Array(text.utf8)) }

  /// Llama 2 begins each question anew: the mark is the template's to write, whatever begins a sequence.
  @Test(arguments: [true, false, nil]) func theTemplateWritesTheBeginning(adds: Bool?) {
    let template = ChatTemplate(metadata: [
      "tokenizer.chat_template": Self.text(
        "{% for m in messages %}{{ bos_token }}[{{ m.content }}]{% endfor %}"),
      "tokenizer.ggml.tokens": .strings(ByteStrings(["<s>", "</s>"])),
      "tokenizer.ggml.bos_token_id": .integer(0),
      "tokenizer.ggml.add_bos_token": adds.map { .boolean($0) } ?? .integer(7),
    ])
    #expect(
      template.pieces(of: [.init(role: .user, content: "A"), .init(role: .user, content: "B")])
        == [.markup("<s>["), .text("A"), .markup("]<s>["), .text("B"), .markup("]")])
  }

  /// Hermes and Command R have a template for conversations with tools beside the plain one.
  @Test func aTemplateForToolsIsTakenWhereThereAreTools() throws {
    let plain = "{% for m in messages %}<|im_start|>{{ m.role }}: {{ m.content }}{% endfor %}"
    let forTools = """
      {{ tools | tojson }}{% for m in messages %}<|im_start|>{{ m.role }}, {{ m.content }}
      {%- for c in m.tool_calls %}<call>{"name": "{{ c.function.name }}", "arguments":
      {{- ' ' }}{{ c.function.arguments | tojson }}}</call>{% endfor %}{% endfor %}
      {%- if add_generation_prompt %}<|im_start|>assistant, {% endif %}
      """
    let template = ChatTemplate(metadata: [
      "tokenizer.chat_template": Self.text(plain),
      "tokenizer.chat_template.tool_use": Self.text(forTools),
    ])
    #expect(template.describesTools)
    #expect(template.toolCallSyntax.beginning.hasPrefix("<call>"))
    func written(_ conversation: ChatTemplate.Conversation) throws -> String {
      try template.pieces(of: conversation).map {
        switch $0 {
        case .markup(let text), .text(let text): text
        }
      }.joined()
    }
    let user = ChatTemplate.Message(role: .user, content: "Hi")
    #expect(try written(.init(messages: [user])) == "<|im_start|>user: Hi")
    let tool = ChatTemplate.Tool(name: "get", description: "Gets.", parameters: "{}")
    let told = try written(.init(messages: [user], tools: [tool]))
    #expect(
      told.contains(#""name": "get""#)
        && told.hasSuffix("<|im_start|>user, Hi<|im_start|>assistant, "))
    // Calls of earlier turns stay calls where there are no tools any more.
    let call = ChatTemplate.ToolCall(name: "get", arguments: "{}")
    let calls = ChatTemplate.Message(role: .assistant, content: "", toolCalls: [call])
    #expect(try written(.init(messages: [user, calls])).contains(#"<call>{"name": "get""#))
    // The only template of a file is for everything.
    let only = ChatTemplate(metadata: ["tokenizer.chat_template.tool_use": Self.text(plain)])
    #expect(
      try only.pieces(of: .init(messages: [user])) == [.markup("<|im_start|>user: "), .text("Hi")])
  }
}
