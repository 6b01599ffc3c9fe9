// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings of bytes as nodes of one trie: equal strings are equal ids.
///
/// Most strings go on where the latest one ends. So the bytes stand in *runs*: a string and the one with
/// one more byte are neighbours, and only where two strings part a new run begins. A long text takes
/// five bytes for each of its own.
///
/// Worked example: after `abc` and `abd` the bytes are `abc` and `d`. `a`, `ab` and `abc` are the ids of
/// the first run; `abd` is the only one of the second, which begins after `ab`.
package struct TextTable: TextTrie {
  /// The empty string.
  static let empty: UInt32 = 1
  /// A string that is unlike all others.
  static let unknown: UInt32 = 2

  private struct Run {
    /// The first string of the run, and the string that it has one more byte than.
    var start: UInt32 = 0
    var parent: UInt32 = 0
    /// The length of the first string.
    var length: UInt32 = 0
    /// The first byte of all its strings.
    var firstByte: UInt8 = 0
    /// The run that began after the same string before; 0 where there is none.
    var earlier: UInt32 = 0
  }

  /// The number of bytes of the longest string.
  private(set) var longest = 0
  /// By string, its last byte and its run.
  private var bytes: [UInt8] = [0, 0, 0]
  private var runIndices: [UInt32] = [0, 1, 2]
  private var runs = [Run(), Run(start: 1), Run(start: 2)]
  /// By string and byte, the string at which a run begins.
  private var branches = FlatMap()
  /// By string, the latest run that begins after it.
  private var latestBranches = FlatMap()

  /// The memory held, in bytes.
  var byteCount: Int {
    bytes.count * 5 + runs.count * 20 + branches.byteCount + latestBranches.byteCount
  }

  mutating func append(_ byte: UInt8, to text: UInt32) -> UInt32 {
    if text == Self.unknown { return text }
    let id = UInt32(bytes.count)
    if text == id - 1 {
      bytes.append(byte)
      runIndices.append(runIndices[Int(text)])
      longest = max(longest, Int(length(of: id)))
      return id
    }
    if let known = child(of: text, byte) { return known }
    let index = UInt32(runs.count)
    runs.append(
      Run(
        start: id, parent: text, length: length(of: text) + 1,
        firstByte: text == Self.empty ? byte : runs[Int(runIndices[Int(text)])].firstByte,
        earlier: latestBranches[UInt64(text)] ?? 0))
    bytes.append(byte)
    runIndices.append(index)
    longest = max(longest, Int(length(of: id)))
    branches.set(UInt64(text) << 8 | UInt64(byte), id)
    latestBranches.set(UInt64(text), index)
    return id
  }

  /// A string with one more byte, if there is such a string.
  @inline(__always)
  func child(of text: UInt32, _ byte: UInt8) -> UInt32? {
    if let next = successor(of: text), bytes[Int(next)] == byte { return next }
    return branches[UInt64(text) << 8 | UInt64(byte)]
  }

  /// The next string of the same run.
  @inline(__always)
  private func successor(of text: UInt32) -> UInt32? {
    let next = Int(text) + 1
    return next < bytes.count && runIndices[next] == runIndices[Int(text)] ? UInt32(next) : nil
  }

  @inline(__always)
  func forEachChild(of text: UInt32, _ body: (UInt8, UInt32) -> Void) {
    if let next = successor(of: text) { body(bytes[Int(next)], next) }
    var branch = latestBranches[UInt64(text)] ?? 0
    while branch != 0 {
      let run = runs[Int(branch)]
      body(bytes[Int(run.start)], run.start)
      branch = run.earlier
    }
  }

  /// Whether there is a string that goes on from another one.
  func goesOn(_ text: UInt32) -> Bool {
    successor(of: text) != nil || latestBranches[UInt64(text)] != nil
  }

  /// The number of bytes of a string.
  func length(of text: UInt32) -> UInt32 {
    let run = runs[Int(runIndices[Int(text)])]
    return run.length + (text - run.start)
  }

  /// The number of scalars of a string.
  func scalarCount(of text: UInt32) -> Int { bytes(of: text).count { $0 & 0xC0 != 0x80 } }

  /// The bytes of a string.
  package func bytes(of text: UInt32) -> [UInt8] {
    text > Self.unknown ? lastBytes(of: text, Int(length(of: text))).bytes : []
  }

  /// The last bytes of a string, and the string before them.
  private func lastBytes(of text: UInt32, _ count: Int) -> (bytes: [UInt8], start: UInt32) {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var at = text
    while result.count < count {
      result.append(bytes[Int(at)])
      let run = runs[Int(runIndices[Int(at)])]
      at = at == run.start ? run.parent : at - 1
    }
    return (result.reversed(), at)
  }

  /// The first byte of a string; `nil` where it is empty or unlike all others.
  func firstByte(of text: UInt32) -> UInt8? {
    text > Self.unknown ? runs[Int(runIndices[Int(text)])].firstByte : nil
  }

  /// What a string goes on with after another, in so many bytes at the most; `nil` where it does not
  /// start with it, or goes on for longer.
  package func bytes(of text: UInt32, after start: UInt32, atMost limit: Int) -> [UInt8]? {
    let count = Int(length(of: text)) - Int(length(of: start))
    guard (0...limit).contains(count) else { return nil }
    let last = lastBytes(of: text, count)
    return last.start == start ? last.bytes : nil
  }
}
