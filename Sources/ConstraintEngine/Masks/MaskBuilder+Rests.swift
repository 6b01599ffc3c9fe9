// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What is left of tokens after a string or a value has ended: a bit for each rest that a stack
/// accepts. Equal rows are kept once, so that they can be told apart by where they start.
struct RestRows {
  /// By stack, where its row starts in `bits`; -1 where it is not known yet.
  var ofStacks: [Int32] = []
  var bits: [UInt64] = []
  /// Where a row starts, by a hash of it.
  var places = FlatMap()
  /// For each row the inside of a string with the tokens that close it and go on so.
  var bases: [MaskBase?] = []
  /// The words of one row.
  let stride: Int

  init(stride: Int) { self.stride = stride }

  /// The memory held without the bases, in bytes.
  var byteCount: Int { ofStacks.count * 4 + bits.count * 8 + places.byteCount }
}

extension MaskBuilder {
  /// Where the row of a stack starts; -1 where it is not known.
  func knownRow(_ stack: StackID) -> Int {
    Int(stack) < rests.ofStacks.count ? Int(rests.ofStacks[Int(stack)]) : -1
  }

  mutating func setRow(_ stack: StackID, _ row: Int) {
    while rests.ofStacks.count <= Int(stack) { rests.ofStacks.append(-1) }
    rests.ofStacks[Int(stack)] = Int32(row)
  }

  /// The row of a stack, by a walk.
  mutating func walkedRow(_ stack: StackID, _ automaton: inout Automaton) -> Int {
    let row = appendRow(nil)
    walk(index.split.rests, below: TokenTrie.root, from: stack, &automaton, .rests(row: row))
    let kept = unique(row: row)
    setRow(stack, kept)
    return kept
  }

  /// A row of some bits, or of the empty rest alone.
  mutating func appendRow(_ bits: [UInt64]?) -> Int {
    let row = rests.bits.count
    if let bits {
      rests.bits += bits
    } else {
      rests.bits.append(contentsOf: repeatElement(0, count: rests.stride))
      setRest(Int32(index.split.emptyRest), row)
    }
    return row
  }

  @inline(__always)
  mutating func setRest(_ rest: Int32, _ row: Int) {
    rests.bits[row + Int(rest) >> 6] |= 1 << UInt64(rest & 63)
  }

  /// Takes out the last row.
  mutating func takeRow(_ row: Int) -> [UInt64] {
    let bits = Array(rests.bits[row...])
    rests.bits.removeSubrange(row...)
    return bits
  }

  /// The place of a row equal to the last one, which is dropped if there is an earlier one.
  mutating func unique(row: Int) -> Int {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for word in rests.bits[row...] {
      hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 29
    }
    hash >>= 1
    while let known = rests.places[hash] {
      if rests.bits[Int(known)..<Int(known) + rests.stride] == rests.bits[row...] {
        rests.bits.removeSubrange(row...)
        return Int(known)
      }
      hash += 1
    }
    rests.places.set(hash, UInt32(row))
    return row
  }

  /// The inside of a string with the tokens that close it and go on with a rest of a row.
  mutating func closedBase(_ row: Int) -> MaskBase {
    let place = row / rests.stride
    while rests.bases.count <= place { rests.bases.append(nil) }
    if let known = rests.bases[place] { return known }
    let split = index.split
    var words = split.inside.words
    var count = split.inside.count
    forEachRest(row) { rest in
      for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1]) {
        let token = UInt32(bitPattern: split.closingByRest[place].token)
        words[Int(token >> 5)] |= 1 << (token & 31)
        count += 1
      }
    }
    let base = MaskBase(words: words, count: count)
    rests.bases[place] = base
    return base
  }

  @inline(__always)
  func accepts(rest: Int32, _ row: Int) -> Bool {
    rests.bits[row + Int(rest) >> 6] >> UInt64(rest & 63) & 1 == 1
  }

  /// The rests of a row.
  @inline(__always)
  func forEachRest(_ row: Int, _ body: (Int) -> Void) {
    for word in 0..<rests.stride {
      var bits = rests.bits[row + word]
      while bits != 0 {
        body(word << 6 | bits.trailingZeroBitCount)
        bits &= bits - 1
      }
    }
  }
}
