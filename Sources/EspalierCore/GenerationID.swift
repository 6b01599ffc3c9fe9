import Foundation

/// The identity of a generated value, stable over the snapshots of one response.
public struct GenerationID: Sendable, Hashable {
  private let value = UUID()

  /// Creates an identity that no other value has.
  public init() {}
}
