// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension LanguageModelExecutorGenerationChannel {
  /// The model's calls of tools.
  public enum ToolCalls {
    /// What happens to the calls.
    public struct Action: Sendable {
      /// The kinds: what a wrapper, or a model that stands behind another, reads.
      public enum Kind: Sendable {
        /// A part of a call.
        case call(ToolCall)
        /// A call is taken back.
        case remove(id: String)
        /// Values are attached.
        case metadata(Metadata)
        /// Tokens are counted.
        case usage(Usage)
      }

      /// What happens.
      public var kind: Kind

      /// A part of a call; parts with the same identity make one call.
      public static func toolCall(
        id: String, name: String, action: ToolCall.Action
      ) -> Action {
        Action(kind: .call(ToolCall(id: id, name: name, action: action)))
      }

      /// Takes a call back.
      public static func removeToolCall(id: String) -> Action {
        Action(kind: .remove(id: id))
      }

      /// Attaches values in place of all that were attached before.
      public static func updateMetadata(
        _ values: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Attaches values as their JSON in place of all that were attached before.
      @_disfavoredOverload
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values.attached)))
      }

      /// Says how many tokens the request has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }

    /// A part of one call.
    public struct ToolCall: Sendable {
      /// The identity of the call.
      public var id: String
      /// The name of the tool.
      public var name: String
      /// What happens to the call.
      public var action: Action

      /// Text that is added to the arguments.
      public struct ArgumentsFragment: Sendable {
        /// The next piece of the arguments' JSON.
        public var content: String
        /// How many tokens it is.
        public var tokenCount: Int
      }

      /// What happens to a call.
      public struct Action: Sendable {
        /// The kinds: what a wrapper, or a model that stands behind another, reads.
        public enum Kind: Sendable {
          /// A piece of the arguments is added.
          case append(ArgumentsFragment)
          /// Values are attached.
          case metadata(Metadata)
        }

        /// What happens.
        public var kind: Kind

        /// Adds a piece of the arguments' JSON.
        public static func appendArguments(_ json: String, tokenCount: Int) -> Action {
          Action(kind: .append(ArgumentsFragment(content: json, tokenCount: tokenCount)))
        }

        /// Attaches values in place of all that were attached before.
        public static func updateMetadata(
          _ values: [String: any ConvertibleToGeneratedContent]
        ) -> Action {
          Action(kind: .metadata(Metadata(values: values.attached)))
        }

        /// Attaches values as their JSON in place of all that were attached before.
        @_disfavoredOverload
        public static func updateMetadata(
          _ values: [String: any Sendable & Codable & Equatable]
        ) -> Action {
          Action(kind: .metadata(Metadata(values: values.attached)))
        }
      }
    }
  }
}
