// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  import EspalierCore
  import Foundation
  import FoundationModels

  // Transcripts from one module's words into the other's. What the other has no words for is put into
  // text: reasoning before 27, images that have no address.

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.Transcript {
    init(_ transcript: Own.Transcript) { self.init(transcript.map { $0 }) }

    init(_ entries: [Own.Transcript.Entry]) { self.init(entries: entries.compactMap(Entry.init)) }
  }

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.Transcript.Entry {
    init?(_ entry: Own.Transcript.Entry) {
      switch entry {
      case .instructions(let entry):
        self = .instructions(
          .init(
            id: entry.id, segments: entry.segments.map(Apple.Transcript.Segment.init),
            toolDefinitions: entry.toolDefinitions.compactMap(Apple.Transcript.ToolDefinition.init))
        )
      case .prompt(let entry):
        self = .prompt(
          .init(id: entry.id, segments: entry.segments.map(Apple.Transcript.Segment.init)))
      case .toolCalls(let calls):
        self = .toolCalls(
          .init(
            id: calls.id,
            calls.compactMap { call in
              Apple.GeneratedContent(call.arguments).map {
                .init(id: call.id, toolName: call.toolName, arguments: $0)
              }
            }))
      case .toolOutput(let entry):
        self = .toolOutput(
          .init(
            id: entry.id, toolName: entry.toolName,
            segments: entry.segments.map(Apple.Transcript.Segment.init)))
      case .response(let entry):
        self = .response(
          .init(
            id: entry.id, assetIDs: entry.assetIDs,
            segments: entry.segments.map(Apple.Transcript.Segment.init)))
      case .reasoning(let entry):
        #if canImport(FoundationModels, _version: 2)
          if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *) {
            self = .reasoning(
              .init(
                id: entry.id, segments: entry.segments.map(Apple.Transcript.Segment.init),
                signature: entry.signature))
            return
          }
        #endif
        return nil
      }
    }
  }

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.Transcript.Segment {
    init(_ segment: Own.Transcript.Segment) {
      if case .structure(let structure) = segment,
        let content = Apple.GeneratedContent(structure.content)
      {
        self = .structure(.init(id: structure.id, source: structure.schemaName, content: content))
        return
      }
      #if canImport(FoundationModels, _version: 2)
        if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *),
          case .attachment(let attachment) = segment,
          case .image(let image) = attachment.content, let url = image.url
        {
          self = .attachment(
            .init(
              id: attachment.id, content: .image(.init(imageURL: url)), label: attachment.label))
          return
        }
      #endif
      self = .text(.init(id: segment.id, content: segment.description))
    }
  }

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.Transcript.ToolDefinition {
    init?(_ definition: Own.Transcript.ToolDefinition) {
      guard let parameters = try? Apple.GenerationSchema(definition.parameters) else { return nil }
      self.init(
        name: definition.name, description: definition.description, parameters: parameters)
    }
  }

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension Apple.GeneratedContent {
    init?(_ content: Own.GeneratedContent) {
      guard let translated = try? Apple.GeneratedContent(json: content.jsonString) else {
        return nil
      }
      self = translated
    }
  }

  extension Own.GeneratedContent {
    @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
    init?(_ content: Apple.GeneratedContent) {
      guard let translated = try? Own.GeneratedContent(json: content.jsonString) else { return nil }
      self = translated
    }
  }

  #if canImport(FoundationModels, _version: 2)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.Transcript {
      init(_ transcript: Apple.Transcript) throws {
        self.init(entries: try transcript.compactMap { try Entry($0) })
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.Transcript.Entry {
      fileprivate init?(_ entry: Apple.Transcript.Entry) throws {
        switch entry {
        case .instructions(let entry):
          self = .instructions(
            .init(
              id: entry.id, segments: try entry.segments.map(Own.Transcript.Segment.init),
              toolDefinitions: try entry.toolDefinitions.map(Own.Transcript.ToolDefinition.init)))
        case .prompt(let entry):
          self = .prompt(
            .init(
              id: entry.id, metadata: entry.metadata.compactMapValues { Own.GeneratedContent($0) },
              segments: try entry.segments.map(Own.Transcript.Segment.init),
              options: Own.GenerationOptions(entry.options),
              contextOptions: Own.ContextOptions(entry.contextOptions)))
        case .toolCalls(let calls):
          self = .toolCalls(
            .init(
              id: calls.id,
              try calls.map { call in
                .init(
                  id: call.id, toolName: call.toolName,
                  arguments: try Own.GeneratedContent(json: call.arguments.jsonString))
              }))
        case .toolOutput(let entry):
          self = .toolOutput(
            .init(
              id: entry.id, toolName: entry.toolName,
              segments: try entry.segments.map(Own.Transcript.Segment.init)))
        case .response(let entry):
          self = .response(
            .init(
              id: entry.id, metadata: entry.metadata.compactMapValues { Own.GeneratedContent($0) },
              segments: try entry.segments.map(Own.Transcript.Segment.init)))
        case .reasoning(let entry):
          self = .reasoning(
            .init(
              id: entry.id, segments: try entry.segments.map(Own.Transcript.Segment.init),
              signature: entry.signature))
        @unknown default: return nil
        }
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.Transcript.Segment {
      fileprivate init(_ segment: Apple.Transcript.Segment) throws {
        switch segment {
        case .text(let text): self = .text(.init(id: text.id, content: text.content))
        case .structure(let structure):
          self = .structure(
            .init(
              id: structure.id, schemaName: structure.schemaName,
              content: try Own.GeneratedContent(json: structure.content.jsonString)))
        case .attachment(let attachment):
          guard case .image(let image) = attachment.content, let url = image.url else {
            throw Own.LanguageModelError.unsupportedTranscriptContent(
              .init(
                unsupportedContent: [],
                debugDescription: "An image without an address: write it to a file first."))
          }
          self = .attachment(
            .init(
              id: attachment.id, content: .image(.init(imageURL: url)), label: attachment.label))
        @unknown default: self = .text(.init(id: segment.id, content: "\(segment)"))
        }
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension Own.Transcript.ToolDefinition {
      init(_ definition: Apple.Transcript.ToolDefinition) throws {
        self.init(
          name: definition.name, description: definition.description,
          parameters: try Own.GenerationSchema(definition.parameters))
      }
    }
  #endif
#endif
