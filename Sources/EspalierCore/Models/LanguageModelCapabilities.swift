// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What a model can do.
public struct LanguageModelCapabilities: Sendable, Hashable {
  private var capabilities: Set<Capability>

  /// Creates capabilities.
  public init(_ capabilities: [Capability] = []) { self.capabilities = Set(capabilities) }

  /// Creates capabilities, in an earlier spelling of ``init(_:)``.
  @available(*, deprecated, renamed: "init(_:)")
  public init(capabilities: [Capability]) { self.init(capabilities) }

  /// Whether the model can do this.
  public func contains(_ capability: Capability) -> Bool { capabilities.contains(capability) }

  /// Something that a model may be able to do.
  public struct Capability: Sendable, Hashable, CustomStringConvertible {
    /// The name of the capability.
    public let description: String

    /// Reading images.
    public static let vision = Capability(description: "vision")
    /// Holding a response to a schema.
    public static let guidedGeneration = Capability(description: "guidedGeneration")
    /// Reasoning before answering.
    public static let reasoning = Capability(description: "reasoning")
    /// Calling tools.
    public static let toolCalling = Capability(description: "toolCalling")
  }
}
