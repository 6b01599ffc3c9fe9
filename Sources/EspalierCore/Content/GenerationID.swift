// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The identity of a generated value: stable over the snapshots of one response, different between
/// responses.
///
/// Use it as the identity of a row while its value is still being generated.
public struct GenerationID: Sendable, Hashable {
  /// What all values of one stream share.
  private let stream: UInt64
  private let position: UInt64

  /// Creates an identity that no other value has.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(stream: generator.next(), position: generator.next())
  }

  /// The identity of the value that starts at `position` of a stream.
  package init(stream: UInt64, position: UInt64) {
    self.stream = stream
    self.position = position
  }
}
