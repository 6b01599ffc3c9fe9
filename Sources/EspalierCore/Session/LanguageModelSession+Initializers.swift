// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelSession {
  /// Creates a session with instructions as text.
  ///
  /// - Parameters:
  ///   - model: The model that answers.
  ///   - tools: What the model may call.
  ///   - instructions: What the model is to be and do. Never put what a person typed in here.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(fixed: model, tools: tools, parts: instructions.map { [.text($0)] })
  }

  /// Creates a session.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools: tools, parts: instructions?.parts)
  }

  /// Creates a session with instructions from a closure.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(fixed: model, tools: tools, parts: try instructions().parts)
  }

  /// Creates a session that goes on from a transcript, its instructions included.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(fixed: model, tools: tools, transcript: transcript)
  }

  /// Creates a session with instructions as text.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(fixed: model, tools: tools, parts: instructions.map { [.text($0)] })
  }

  /// Creates a session.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools: tools, parts: instructions?.parts)
  }

  /// Creates a session with instructions from a closure.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(fixed: model, tools: tools, parts: try instructions().parts)
  }

  /// Creates a session that goes on from a transcript, its instructions included.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(fixed: model, tools: tools, transcript: transcript)
  }

  private convenience init(
    fixed model: any LanguageModel, tools: [any Tool], parts: [PromptPart]?
  ) {
    var transcript = Transcript()
    let segments = [Transcript.Segment](parts ?? [])
    let definitions = tools.map { Transcript.ToolDefinition(tool: $0) }
    if !segments.isEmpty || !definitions.isEmpty {
      transcript.append(
        .instructions(.init(segments: segments, toolDefinitions: definitions)))
    }
    self.init(
      source: .fixed(model: model, tools: tools, definitions: definitions),
      transcript: transcript, properties: SessionPropertyValues())
  }

  private convenience init(
    fixed model: any LanguageModel, tools: [any Tool], transcript: Transcript
  ) {
    self.init(
      source: .fixed(
        model: model, tools: tools, definitions: tools.map { Transcript.ToolDefinition(tool: $0) }),
      transcript: transcript, properties: SessionPropertyValues())
  }
}
