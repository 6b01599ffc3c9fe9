// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Reads JSON as it comes, in pieces cut anywhere, and shows at any moment what is there.
///
/// Each byte is looked at once; a snapshot costs the same however long the text is, and shares all
/// it has with the snapshots before and after it. Nothing is guessed: `tr` is not yet `true`, and
/// `12` is not yet a number, for `123` may follow.
///
/// A copy of a parser goes its own way.
@usableFromInline
package struct JSONStreamParser: Sendable {
  @usableFromInline var machine: JSONMachine

  /// Creates a parser that has read nothing.
  ///
  /// - Parameters:
  ///   - limits: How much is read.
  ///   - showsUnfinishedNumbers: Whether a number that may go on is shown as it is.
  package init(
    limits: JSONLimits = JSONLimits(), showsUnfinishedNumbers: Bool = false
  ) {
    machine = JSONMachine(limits: limits, showsUnfinishedNumbers: showsUnfinishedNumbers)
  }

  /// The number of bytes read.
  package var byteCount: Int { machine.textCount }

  /// The text so far; bytes that are not UTF-8 are replaced.
  package var text: String { machine.wholeText }

  /// Whether a whole JSON value has been read. A number at the top is whole only when the text is
  /// said to be finished.
  @inlinable @inline(__always)
  package var isComplete: Bool { machine.isComplete }

  /// The value at the top as it is now.
  ///
  /// - Complexity: Constant.
  @inlinable @inline(__always)
  package var snapshot: JSONNode { machine.snapshot }

  /// Reads the next piece of text.
  ///
  /// - Throws: ``JSONSyntaxError`` at the first byte that no JSON can have there; then and ever
  ///   after.
  /// - Complexity: Linear in the number of bytes.
  package mutating func append(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    makeUnique()
    try machine.append(bytes)
  }

  /// Reads the next piece of text.
  package mutating func append(_ text: String) throws(JSONSyntaxError) {
    var text = text
    let result = text.withUTF8 { buffer -> Result<Void, JSONSyntaxError> in
      do throws(JSONSyntaxError) {
        try append(buffer)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Reads the next piece of text.
  package mutating func append(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(JSONSyntaxError) {
    try append(bytes.span)
  }

  /// Says that the text has ended.
  ///
  /// - Throws: ``JSONSyntaxError`` where it has ended too early.
  package mutating func finish() throws(JSONSyntaxError) {
    makeUnique()
    try machine.finish()
  }

  @inline(__always)
  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&machine) { machine = machine.copy() }
  }
}
