// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ChatTemplate {
  /// What writing a conversation may take. Templates come from outside: one that would take more
  /// ends with an error.
  ///
  /// Work is counted in bytes: what an operation reads or makes, 32 for an element of a list and 8
  /// for an instruction. So it bounds time and memory alike.
  public struct Limits: Sendable, Hashable {
    /// How long a template may be, in bytes. The longest that is tested has 17,000.
    public var templateBytes = 1 << 16
    /// How much a template may work, whatever the conversation.
    public var work = 2_000_000
    /// How much more for each byte of the conversation; an element of it counts 32 bytes.
    public var workPerByte = 256
    /// How long the longest text may be that a template makes, in bytes.
    public var textBytes = 1 << 24
    /// How long what is written may be, in bytes.
    public var outputBytes = 1 << 24
    /// How deeply statements, expressions, values and calls may nest.
    public var depth = 100

    /// Creates limits that published templates keep by far.
    public init() {}
  }
}
