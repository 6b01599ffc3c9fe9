// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Transcripts, attachments and options as apps read and build them.

func transcript(_ s: LanguageModelSession) throws -> Data {
  var t = s.transcript
  for entry in t {
    switch entry {
    case .instructions(let i):
      for seg in i.segments { show(seg) }
      for d in i.toolDefinitions { print(d.name, d.description, d.parameters) }
    case .prompt(let p):
      p.segments.forEach(show)
      print(
        p.options.temperature as Any, p.responseFormat?.name as Any, p.contextOptions, p.metadata)
    case .toolCalls(let calls):
      for c in calls { print(c.id, c.toolName, c.arguments.jsonString, c.metadata) }
      print(calls.count, calls.first?.toolName as Any, calls[0].id)
    case .toolOutput(let o): print(o.id, o.toolName, o.segments)
    case .response(let r): print(r.assetIDs, r.segments, r.metadata, r.id)
    case .reasoning(let r): print(r.signature as Any, r.segments, r.metadata)
    @unknown default: break
    }
    print(entry.id, entry.description)
  }
  let texts = t.compactMap { e -> String? in
    if case .response(let r) = e {
      return r.segments.compactMap { if case .text(let x) = $0 { x.content } else { nil } }.joined()
    }
    return nil
  }
  print(
    texts, t.count, t.first as Any, t.last as Any, t.indices, t[0], t.suffix(3), t.prefix(1),
    t.isEmpty, t.startIndex)
  _ = Transcript()
  _ = Transcript(entries: [])
  _ = Transcript(entries: t.suffix(2))
  _ = Transcript(entries: [t.first!, t.last!].compactMap { $0 })
  _ = Transcript(entries: Array(t).filter { _ in true })
  let seg = Transcript.Segment.text(.init(content: "x"))
  let seg2 = Transcript.Segment.structure(
    .init(source: "P1", content: Sketch(a: 1, b: nil).generatedContent))
  let seg3 = Transcript.Segment.structure(
    Transcript.StructuredSegment(id: "1", schemaName: "P", content: GeneratedContent(1)))
  if case .structure(let st) = seg2 { print(st.source, st.schemaName, st.content, st.id) }
  let ts = Transcript.TextSegment(id: "x", content: "y")
  print(ts.content, ts.id)
  let ins = Transcript.Instructions(
    segments: [seg],
    toolDefinitions: [
      Transcript.ToolDefinition(tool: GetWeather()),
      .init(name: "x", description: "y", parameters: Sketch.generationSchema),
    ])
  let pr = Transcript.Prompt(segments: [seg, seg2, seg3])
  _ = Transcript.Prompt(
    id: "x", segments: [seg], options: .init(temperature: 3),
    responseFormat: .init(type: Sketch.self))
  _ = Transcript.Prompt(
    metadata: ["a": 1], segments: [seg], options: GenerationOptions(),
    contextOptions: .init(reasoningLevel: .light))
  _ = Transcript.Prompt(
    segments: [], options: .init(),
    responseFormat: Transcript.ResponseFormat(schema: Sketch.generationSchema))
  let tc = Transcript.ToolCalls([
    Transcript.ToolCall(id: "1", toolName: "t", arguments: GeneratedContent(properties: ["a": 1])),
    .init(id: "2", metadata: ["a": 1], toolName: "x", arguments: try GeneratedContent(json: "{}")),
  ])
  _ = Transcript.ToolCalls(id: "x", [])
  let o = Transcript.ToolOutput(id: "1", toolName: "t", segments: [seg])
  let r = Transcript.Response(assetIDs: [], segments: [seg])
  _ = Transcript.Response(segments: [seg])
  _ = Transcript.Response(id: "x", metadata: ["m": 2], segments: [])
  _ = Transcript.Response(id: "x", assetIDs: ["1"], segments: [])
  let rs = Transcript.Reasoning(segments: [seg], signature: Data())
  _ = Transcript.Reasoning(id: "x", metadata: [:], segments: [])
  t = Transcript(entries: [
    .instructions(ins), .prompt(pr), .toolCalls(tc), .toolOutput(o), .response(r), .reasoning(rs),
  ])
  t.append(.response(r))
  t.removeAll { if case .reasoning = $0 { true } else { false } }
  t[0] = .prompt(pr)
  t.insert(.prompt(pr), at: 0)
  t += [.prompt(pr)]
  t.history = t.history.suffix(3)
  t.removeFirst()
  print(t == s.transcript, t[0] == t[1], seg == seg2, pr == pr, "\(t)")
  if case .schema(let x)? = pr.responseFormat?.kind { print(x) }
  _ = LanguageModelSession(transcript: t)
  _ = LanguageModelSession(tools: [GetWeather()], transcript: t)
  let d = try JSONEncoder().encode(t)
  let back = try JSONDecoder().decode(Transcript.self, from: d)
  print(back == t)
  let e: Transcript.Entry = .prompt(
    Transcript.Prompt(segments: [.text(Transcript.TextSegment(content: "x"))]))
  print(e.id)
  return d
}
func show(_ s: Transcript.Segment) {
  switch s {
  case .text(let t): print(t.content, t.id, t.description)
  case .structure(let st): print(st.content.jsonString, st.source)
  case .attachment(let a):
    print(a.label as Any, a.content, a.id)
    if case .image(let im) = a.content { print(im.url as Any) }
  @unknown default: break
  }
}
func attach() {
  let a = Attachment(imageURL: URL(fileURLWithPath: "/x.png")).label("cat")
  _ = Prompt {
    "x"
    a
  }
  _ = Prompt(a)
  let t = Transcript()
  let ref: ImageReference? = nil
  _ = ref?.resolved(in: t)?.url
  _ = ref?.attachmentLabel
}
@Generable struct Photo {
  var image: ImageReference
  @Guide(description: "x") var more: [ImageReference]?
}
func options() {
  var o = GenerationOptions()
  o.sampling = .greedy
  o.temperature = 0.3
  o.maximumResponseTokens = 4
  o.samplingMode = .random(top: 3)
  o.toolCallingMode = .disallowed
  print(o == GenerationOptions())
  switch GenerationOptions.SamplingMode.greedy.kind {
  case .greedy: break
  case .randomTopK(let k, seed: let s): print(k, s as Any)
  case .randomProbabilityThreshold(let p, let seed): print(p, seed as Any)
  }
  switch o.toolCallingMode?.kind {
  case .allowed?: break
  case .required?, .disallowed?, nil: break
  }
  _ = GenerationOptions(sampling: nil, temperature: 1)
  _ = GenerationOptions(temperature: 1, maximumResponseTokens: 2)
  _ = GenerationOptions(
    samplingMode: .greedy, temperature: 1, maximumResponseTokens: 1, toolCallingMode: .allowed)
  var c = ContextOptions()
  c.includeSchemaInPrompt = true
  c.reasoningLevel = .moderate
  _ = c
}
