// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What tokens do above a frame, whatever lies below it.
///
/// Most of what a token can do at `{"a": 1` depends on the object alone. Only a token that closes it
/// goes on in what lies below, and that by a rest such as `]` or `,`, of which there are a few
/// hundred. So the frame is *detached*: put on a frame without anything below it; walking that gives the tokens
/// that stay above it, and *exits*: pairs of a token and its rest from where the frame is left. The
/// mask of a stack is the one part and those exits whose rests the stack below accepts. Both parts
/// are found once for every frame, and not once for every stack.
///
/// Worked example: in `[{"a": 1` the token `,` stays in the object, `}` leaves it without a rest,
/// and `}]` leaves it with the rest `]`, which the array below accepts. In `{"b": {"a": 1` the frame
/// is the same, and the rest `]` is refused.
struct DetachedRow {
  /// The rests of tokens that stay above the frame, as bits.
  var bits: [UInt64]
  /// Those that leave it.
  var exits: [ExitIndex.Exit]
  /// Whether a rest can be read in several ways, and be listed more than once.
  var isAmbiguous: Bool
}

/// The tokens that stay above a frame, and those that leave it.
struct DetachedMask {
  var own: TokenMask.Storage
  var exits: [ExitIndex.Exit]
  var isAmbiguous: Bool
}

/// What was found above frames, for all that can lie below them.
struct DetachedStacks {
  /// The frame that detached stacks stand on, while one of them is walked; `.max` else.
  var bottom = StackID.max
  /// The exits found since that began.
  var exits: [ExitIndex.Exit] = []
  var rows: [DetachedRow] = []
  /// By detached stack, where its row is in `rows`, and its mask in `masks`, or -1.
  var rowIndices: [Int32] = []
  var masks: [DetachedMask] = []
  var maskIndices: [Int32] = []
  /// By node of the trie of tokens, the exits below the node.
  var leavings = FlatMap()
  var leavingLists: [[ExitIndex.Exit]] = []
  /// By detached row and row below, the row of the two.
  var joinedRows = FlatMap()
  /// The memory of the lists, in bytes.
  var listBytes = 0

  /// The memory held, in bytes.
  var byteCount: Int {
    joinedRows.byteCount + leavings.byteCount + listBytes + rows.count * 64 + masks.count * 128
      + (rowIndices.count + maskIndices.count) * 4
  }
}

extension MaskBuilder {
  // MARK: Which frames

  /// Whether what tokens do above a frame does not depend on what lies below it.
  func canDetach(_ frame: Frame, _ automaton: inout Automaton) -> Bool {
    guard frame.parent != .max else { return false }
    let parent = automaton.stacks[frame.parent]
    switch parent.kind {
    case .object, .end: break
    case .array:
      // What an array has seen decides which values come next.
      let node = automaton.obligations.arrays[Int(parent.a)]
      if node.isUnique || node.needsDuplicate { return false }
    default: return false
    }
    switch frame.kind {
    case .value: return frame.b == 0
    case .colon: return frame.c == 0
    case .object, .array: return frame.e == 0
    default: return false
    }
  }

  /// A frame with nothing known of what lies below it.
  private func detachedStack(of frame: Frame, _ automaton: inout Automaton) -> StackID {
    var frame = frame
    frame.parent = automaton.stacks.intern(.bottom)
    return automaton.stacks.intern(frame)
  }

  // MARK: Rows

  /// Where the row of the rests starts that a stack accepts.
  mutating func restRow(_ stack: StackID, _ automaton: inout Automaton) -> Int {
    var path: [StackID] = []
    var at = stack
    while knownRow(at) < 0, canDetach(automaton.stacks[at], &automaton) {
      path.append(at)
      at = automaton.stacks[at].parent
    }
    var row = knownRow(at)
    if row < 0 { row = walkedRow(at, &automaton) }
    for stack in path.reversed() {
      let detachedRow = detachedRow(
        detachedStack(of: automaton.stacks[stack], &automaton), &automaton)
      row = joined(detachedRow, row)
      setRow(stack, row)
    }
    return row
  }

  /// The row of a frame on a stack whose row is known.
  private mutating func joined(_ above: Int, _ below: Int) -> Int {
    let key = UInt64(above) << 32 | UInt64(below)
    if let known = detached.joinedRows[key] { return Int(known) }
    usedStrategies.insert(.detachedStacks)
    let row = appendRow(detached.rows[above].bits)
    for exit in detached.rows[above].exits where accepts(rest: exit.rest, below) {
      setRest(Int32(exit.id), row)
    }
    let kept = unique(row: row)
    detached.joinedRows.set(key, UInt32(kept))
    return kept
  }

  /// The index of what the rests of tokens do above a detached stack.
  mutating func detachedRow(_ stack: StackID, _ automaton: inout Automaton) -> Int {
    while detached.rowIndices.count <= Int(stack) { detached.rowIndices.append(-1) }
    if detached.rowIndices[Int(stack)] >= 0 { return Int(detached.rowIndices[Int(stack)]) }
    let before = beginDetachedWalk(&automaton)
    let row = appendRow(nil)
    walk(index.split.rests, below: TokenTrie.root, from: stack, &automaton, .rests(row: row))
    detached.rows.append(
      DetachedRow(bits: takeRow(row), exits: detached.exits, isAmbiguous: isAmbiguous))
    detached.listBytes += (detached.exits.count + rests.stride) * 8
    endDetachedWalk(before)
    detached.rowIndices[Int(stack)] = Int32(detached.rows.count - 1)
    return detached.rows.count - 1
  }

  /// Begins a walk above a frame, and gives what it keeps apart from the mask that is being made.
  private mutating func beginDetachedWalk(
    _ automaton: inout Automaton
  ) -> (bottom: StackID, exits: [ExitIndex.Exit], isAmbiguous: Bool) {
    let before = (detached.bottom, detached.exits, isAmbiguous)
    (detached.bottom, detached.exits) = (automaton.stacks.intern(.bottom), [])
    isAmbiguous = false
    return before
  }

  private mutating func endDetachedWalk(
    _ before: (bottom: StackID, exits: [ExitIndex.Exit], isAmbiguous: Bool)
  ) {
    (detached.bottom, detached.exits, isAmbiguous) = before
  }

  // MARK: Masks

  /// The index of the mask above a frame, and the row of what lies below; `nil` where the two cannot
  /// be told apart.
  mutating func detachedMask(
    _ frame: Frame, _ automaton: inout Automaton
  ) -> (mask: Int, below: Int)? {
    guard canDetach(frame, &automaton) else { return nil }
    let below = restRow(frame.parent, &automaton)
    let stack = detachedStack(of: frame, &automaton)
    while detached.maskIndices.count <= Int(stack) { detached.maskIndices.append(-1) }
    if detached.maskIndices[Int(stack)] < 0 {
      reset()
      let before = beginDetachedWalk(&automaton)
      add(stack, &automaton)
      let isAmbiguous = isAmbiguous
      var own = mask().storage
      // Many masks share it: they have its bits in common then.
      if own.added.count > 512 {
        own = TokenMask.Storage(base: MaskBase(words: own.words, count: own.count), added: [])
      }
      detached.listBytes += own.byteCount + detached.exits.count * 8
      detached.masks.append(DetachedMask(own: own, exits: detached.exits, isAmbiguous: isAmbiguous))
      endDetachedWalk(before)
      detached.maskIndices[Int(stack)] = Int32(detached.masks.count - 1)
    }
    return (Int(detached.maskIndices[Int(stack)]), below)
  }

  /// Makes the mask of a frame on a stack with a row.
  mutating func add(detached index: Int, below: Int) {
    usedStrategies.insert(.detachedStacks)
    let own = detached.masks[index].own
    base = own.base
    added = own.added
    removed = own.removed
    isAmbiguous = detached.masks[index].isAmbiguous
    for exit in detached.masks[index].exits where accepts(rest: exit.rest, below) {
      added.append(exit.id)
    }
  }

  // MARK: Exits

  /// Adds a node after which the frame is left, and what goes on from there with a rest.
  mutating func leave(_ trie: TokenTrie, _ node: Int, _ target: Target) {
    if trie.nodes[node].token >= 0 { emit(trie.nodes[node].token, trie, target) }
    leaveBelow(trie, node, target)
  }

  /// Adds what goes on with a rest below a node where the frame may be left. What that is depends
  /// on nothing else, so that it is found once.
  mutating func leaveBelow(_ trie: TokenTrie, _ node: Int, _ target: Target) {
    switch target {
    case .cores: detached.exits += index.coreExits.below(node)
    case .rests: detached.exits += index.split.restExits.below(node)
    case .tokens:
      if trie.below(node).isEmpty { return }
      if let known = detached.leavings[UInt64(node)] {
        detached.exits += detached.leavingLists[Int(known)]
        return
      }
      let first = detached.exits.count
      ExitIndex.add(trie, below: node, index.split.rests, TokenTrie.root, to: &detached.exits)
      detached.leavings.set(UInt64(node), UInt32(detached.leavingLists.count))
      detached.leavingLists.append(Array(detached.exits[first...]))
      detached.listBytes += 40 + (detached.exits.count - first) * 8
    }
  }

  /// Adds an exit of an id whose duplicates are listed beside it.
  @inline(__always)
  mutating func emitExitOne(_ id: Int32, _ rest: Int32) {
    detached.exits.append(ExitIndex.Exit(id: UInt32(bitPattern: id), rest: rest))
  }

  /// Adds the tokens that close a string or key with a rest and go on in one of some
  /// detached stacks.
  mutating func addDetachedClosers(
    _ closers: ArraySlice<QuoteIndex.Closer>, _ after: [StackID], _ target: Target,
    _ automaton: inout Automaton
  ) {
    if after.count > 1 { isAmbiguous = true }
    for stack in after {
      if stack == detached.bottom {
        for closer in closers { emitExitOne(closer.token, closer.rest) }
        continue
      }
      let row = detachedRow(stack, &automaton)
      if detached.rows[row].isAmbiguous { isAmbiguous = true }
      for closer in closers {
        let (word, bit) = (Int(closer.rest) >> 6, UInt64(1) << UInt64(closer.rest & 63))
        if detached.rows[row].bits[word] & bit != 0 { emitOne(closer.token, target) }
        for exit in detached.rows[row].exits where exit.id == UInt32(closer.rest) {
          emitExitOne(closer.token, exit.rest)
        }
      }
    }
  }
}
