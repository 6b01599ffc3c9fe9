// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Transcript {
  /// What was said in a session: the entries of a transcript without the instructions at its
  /// beginning.
  ///
  /// The indices are those of the transcript, so that the first index is not 0 where there are
  /// instructions. A part of a view is a view:
  ///
  /// ```swift
  /// session.transcript.history = session.transcript.history.suffix(4)
  /// ```
  public struct HistoryView: Sendable, Equatable {
    package var entries: ArraySlice<Entry>

    package init(entries: ArraySlice<Entry>) { self.entries = entries }

    /// Creates a view of no entries.
    public init() { entries = [] }
  }
}

extension Transcript.HistoryView: RandomAccessCollection, MutableCollection,
  RangeReplaceableCollection
{
  public typealias Index = Int
  public typealias SubSequence = Transcript.HistoryView

  public var startIndex: Int { entries.startIndex }
  public var endIndex: Int { entries.endIndex }

  public subscript(index: Int) -> Transcript.Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  public subscript(bounds: Range<Int>) -> Transcript.HistoryView {
    get { Transcript.HistoryView(entries: entries[bounds]) }
    set { entries.replaceSubrange(bounds, with: newValue.entries) }
  }

  public mutating func replaceSubrange(
    _ range: Range<Int>, with newEntries: some Collection<Transcript.Entry>
  ) {
    entries.replaceSubrange(range, with: newEntries)
  }
}

extension Transcript.HistoryView: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Transcript.Entry...) { entries = elements[...] }
}
