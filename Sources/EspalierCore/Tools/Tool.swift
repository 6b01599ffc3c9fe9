// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that a model can call while it answers.
///
/// ```swift
/// struct FindSights: Tool {
///   let description = "Finds places worth a visit"
///
///   @Generable struct Arguments { var city: String }
///
///   func call(arguments: Arguments) async throws -> [String] {
///     try await guide.sights(in: arguments.city)
///   }
/// }
/// ```
///
/// Tools may run at the same time, with others and with themselves. With `GeneratedContent` as
/// `Arguments` and `parameters` of its own, a tool takes a schema that is made at run time.
public protocol Tool<Arguments, Output>: Sendable {
  /// What the tool gives back to the model.
  associatedtype Output: PromptRepresentable

  /// What the tool takes.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// The name by which the model calls the tool: the name of the type where none is given.
  var name: String { get }

  /// What the tool does, for the model.
  var description: String { get }

  /// What the arguments look like. A session looks once, when it is made.
  var parameters: GenerationSchema { get }

  /// Whether the model is shown the schema of the arguments.
  var includesSchemaInInstructions: Bool { get }

  /// Does what the tool does.
  ///
  /// - Throws: Any error; the request then fails with ``LanguageModelSession/ToolCallError``, or
  ///   the model is told, as the session's ``ToolFailurePolicy`` says.
  @concurrent func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  /// The name of the type.
  public var name: String { String(describing: Self.self) }

  /// Yes.
  public var includesSchemaInInstructions: Bool { true }
}

extension Tool where Arguments: Generable {
  /// The schema of the arguments.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == String {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Int {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Double {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Float {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Decimal {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Bool {
  @available(*, unavailable, message: "Arguments must be a structure; put the value into one.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}
