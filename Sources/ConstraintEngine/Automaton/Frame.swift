// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One level of a parse: what is being read, and how far it has come.
///
/// A stack of frames is a linked list of hash-consed frames; a frame below the top is the state in
/// which reading goes on once the level above it is complete, so that completing a value is taking
/// its parent. What the words `a` to `f` mean depends on the kind: words without names keep all frames
/// equally small, and make one hash serve them all.
///
/// A value is *recorded* where it will be compared with others (``Comparison``): its text or its parts are
/// kept while it is read. A word for that is zero where nothing is recorded.
///
/// Worked example: `{"age": …}` where `age` is required, an integer and goal 3, in object 0.
///
/// | after | stack, the top first |
/// |---|---|
/// | the start | `value`(a: goal 2), `end` |
/// | `{` | `object`(a: 0, b: start state, c: opened), `end` |
/// | `{"ag` | `key`(a: key tuple at `ag`), `object`(0, start state, opened), `end` |
/// | `{"age"` | `colon`(a: goal 3), `object`(0, state after `age`, afterValue), `end` |
/// | `{"age":1` | `number`(a: state of `1`), `object`(0, state after `age`, afterValue), `end` |
/// | `{"age":1}` | `end` |
///
/// From the colon on the object is as it will be after the value. The number has no mark at its end: at
/// `}` it is completed first, and the brace is read by its parent.
package struct Frame: Hashable {
  package enum Kind: UInt32 {
    /// A value is expected. a: goal; b: if it is recorded, one more than what it is compared
    /// with; d: white space read.
    case value
    /// Inside `null`, `true` or `false`. a: which; b: letters read; c: whether it is recorded.
    case literal
    /// Inside a number. a: state of the number automaton; e: text read, if it is recorded.
    case number
    /// Inside a string. a: language; b: escape; c, d: fewest and most scalars still to come; e:
    /// text read, if it is recorded.
    ///
    /// Also inside a key of an object that must be one of some: its parent is then the object as it was
    /// before the key.
    case string
    /// Inside a key. a: key tuple; b: escape; e: text read. Its parent is the object as it was
    /// before the key.
    case key
    /// After a key: a colon is expected. a: goal of the value; c: if it is recorded, one more than
    /// what it is compared with; d: white space read.
    case colon
    /// Inside an object. a: node; b: object state; c: phase; d: white space read; e: if it is
    /// recorded, what it is compared with and its members; f: its undeclared keys so far.
    case object
    /// Between a recorded object and the value of a member. a: text of the key.
    case member
    /// Inside an array. a: node; b: array state; c: phase; d: white space read; e: if it is recorded,
    /// what it is compared with and its items.
    case array
    /// After the outermost value. d: white space read.
    case end
    /// Stands for all that lies below a frame that is looked at apart from it (`MaskBuilder+Detached`).
    /// Nothing is read there.
    case bottom
    /// In a grammar written by hand. a: position; b: state of its language; c: rounds of a
    /// repetition; d: whether one was begun.
    case rule
  }

  /// Where in an object or array reading stands.
  package enum Phase: UInt32 {
    case opened, afterValue, afterComma
  }

  package var kind: Kind
  package var a: UInt32 = 0
  package var b: UInt32 = 0
  package var c: UInt32 = 0
  package var d: UInt32 = 0
  package var e: UInt32 = 0
  var f: UInt32 = 0
  package var parent: StackID = .max

  package static let bottom = Frame(kind: .bottom)
  package static let end = Frame(kind: .end)

  /// Takes one scalar off the bounds of a string's length; whether there was one left.
  mutating func countScalar() -> Bool {
    if d != .max {
      if d == 0 { return false }
      d -= 1
    }
    if c > 0 { c -= 1 }
    return true
  }
}

/// A stack of frames, by the id of its top.
package typealias StackID = UInt32

/// All frames, equal ones once.
package struct FrameTable {
  private(set) var frames: [Frame] = []
  private var table: [UInt32]
  private var mask: Int

  init() {
    table = [UInt32](repeating: .max, count: 1024)
    mask = 1023
    frames.reserveCapacity(512)
  }

  var count: Int { frames.count }
  var byteCount: Int { frames.count * MemoryLayout<Frame>.stride + table.count * 4 }

  package subscript(id: StackID) -> Frame { frames[Int(id)] }

  package mutating func intern(_ frame: Frame) -> StackID {
    var slot = Self.hash(frame) & mask
    while table[slot] != .max {
      if frames[Int(table[slot])] == frame { return table[slot] }
      slot = (slot + 1) & mask
    }
    let id = UInt32(frames.count)
    frames.append(frame)
    table[slot] = id
    if frames.count * 2 > table.count { grow() }
    return id
  }

  private mutating func grow() {
    table = [UInt32](repeating: .max, count: table.count * 2)
    mask = table.count - 1
    for id in frames.indices {
      var slot = Self.hash(frames[id]) & mask
      while table[slot] != .max { slot = (slot + 1) & mask }
      table[slot] = UInt32(id)
    }
  }

  static func hash(_ frame: Frame) -> Int {
    var hash = UInt64(frame.kind.rawValue) << 32 | UInt64(frame.parent)
    hash = (hash ^ (UInt64(frame.a) << 32 | UInt64(frame.b))) &* 0xFF51_AFD7_ED55_8CCD
    hash ^= hash >> 31
    hash = (hash ^ (UInt64(frame.c) << 32 | UInt64(frame.d))) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 29
    hash = (hash ^ (UInt64(frame.e) << 32 | UInt64(frame.f))) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash >> 32)
  }
}
