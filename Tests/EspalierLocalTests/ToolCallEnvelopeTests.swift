import ConstrainedDecoding
import EspalierCore
import Testing

@testable import EspalierLocal

/// Schemas that refer to their own parts go on doing so inside an envelope.
@Suite struct ToolCallEnvelopeTests {
  private func tree(_ name: String, leaf: DynamicGenerationSchema) throws -> GenerationSchema {
    // Two tools whose schemas have definitions of the same name, and one that refers to its root.
    try GenerationSchema(
      root: DynamicGenerationSchema(
        name: name,
        properties: [
          .init(name: "node", schema: .init(referenceTo: "Node")),
          .init(
            name: "more",
            schema: .init(arrayOf: .init(referenceTo: name), maximumElements: 2),
            isOptional: true),
        ]),
      dependencies: [
        DynamicGenerationSchema(
          name: "Node",
          properties: [
            .init(name: "leaf", schema: leaf),
            .init(name: "next", schema: .init(referenceTo: "Node"), isOptional: true),
          ])
      ])
  }

  private func allows(_ grammar: Grammar, _ json: String) -> Bool {
    var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
    do { try matcher.accept(bytes: json.utf8) } catch { return false }
    return matcher.canEnd()
  }

  @Test func nestedSchemasResolveInsideTheEnvelope() throws {
    let tools = [
      Transcript.ToolDefinition(
        name: "plant", description: "Plants.",
        parameters: try tree("Trees", leaf: .init(type: Int.self))),
      Transcript.ToolDefinition(
        name: "name", description: "Names.",
        parameters: try tree("Names", leaf: .init(type: String.self))),
    ]
    let grammar = try Grammar(jsonSchema: ToolCallEnvelope.schema(of: tools))
    func call(_ tool: String, _ arguments: String) -> String {
      #"{"name":"\#(tool)","arguments":\#(arguments)}"#
    }
    let numbers = #"{"node":{"leaf":1,"next":{"leaf":2}},"more":[{"node":{"leaf":3}}]}"#
    let texts = #"{"node":{"leaf":"a","next":{"leaf":"b"}},"more":[{"node":{"leaf":"c"}}]}"#
    #expect(allows(grammar, call("plant", numbers)))
    #expect(allows(grammar, call("name", texts)))
    // Each tool has its own definition of the name that both use, at every depth.
    #expect(!allows(grammar, call("plant", texts)))
    #expect(!allows(grammar, call("name", numbers)))
    #expect(!allows(grammar, call("name", #"{"node":{"leaf":"a","next":{"leaf":2}}}"#)))
    #expect(
      !allows(grammar, call("name", #"{"node":{"leaf":"a"},"more":[{"node":{"leaf":2}}]}"#)))
    #expect(!allows(grammar, call("dig", numbers)))
  }
}
