// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How the machine gets memory, and how a copy of it gets its own.
extension JSONMachine {
  @inline(__always)
  func write(_ word: JSONTapeWord) {
    if nextWord == wordsEnd { addChunk() }
    nextWord.pointee = word.bits
    nextWord += 1
    wordCount &+= 1
  }

  @inline(never)
  private func addChunk() {
    let chunk = AppendOnlyBuffer<UInt32>(capacity: JSONTape.capacity(ofChunk: tape.chunks.count))
    tape = tape.grown(text: tape.text, chunks: tape.chunks + [chunk])
    (nextWord, wordsEnd) = (chunk.base, chunk.base + chunk.capacity)
  }

  func makeRoom(for count: Int) {
    if textCount + count > tape.text.capacity {
      let larger = tape.text.grown(keeping: textCount, toHold: textCount + count)
      tape = tape.grown(text: larger, chunks: tape.chunks)
      text = larger.base
    }
    room = min(tape.text.capacity, limits.byteCount) - textCount
  }

  /// Copies a few bytes at once: for pieces of some bytes a call would cost more than the copy.
  @inline(__always)
  static func copy(
    _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    guard count > 0 else { return }
    if 4...8 ~= count {
      let last = count &- 4
      let head = source.loadUnaligned(as: UInt32.self)
      let tail = source.loadUnaligned(fromByteOffset: last, as: UInt32.self)
      target.storeBytes(of: head, as: UInt32.self)
      target.storeBytes(of: tail, toByteOffset: last, as: UInt32.self)
    } else {
      target.copyMemory(from: source.baseAddress ?? UnsafeRawPointer(target), byteCount: count)
    }
  }

  /// A machine in the same state with a tape of its own: the text and the last chunk are copied,
  /// the others never change.
  func copy() -> JSONMachine {
    let copy = JSONMachine(
      limits: limits, showsUnfinishedNumbers: tape.showsUnfinishedNumbers)
    let text = tape.text.grown(keeping: textCount, toHold: textCount)
    let last = tape.chunks.count - 1
    let used = wordCount - JSONTape.start(ofChunk: last)
    let chunk = AppendOnlyBuffer<UInt32>(capacity: JSONTape.capacity(ofChunk: last))
    chunk.base.initialize(from: tape.chunks[last].base, count: used)
    copy.tape = tape.forked(text: text, chunks: tape.chunks.dropLast() + [chunk])
    copy.text = text.base
    copy.nextWord = chunk.base + used
    copy.wordsEnd = chunk.base + chunk.capacity
    copy.textCount = textCount
    copy.wordCount = wordCount
    copy.row = row
    copy.rowAfterValue = rowAfterValue
    copy.tokenStart = tokenStart
    copy.lastEscape = lastEscape
    copy.escapePart = escapePart
    copy.digitsToCome = digitsToCome
    copy.unit = unit
    copy.leadSurrogate = leadSurrogate
    copy.innermost = innermost
    copy.memberCount = memberCount
    copy.names = names
    copy.outer = outer
    copy.nameTables = nameTables
    copy.failure = failure
    copy.room = failure == nil ? 0 : -1
    return copy
  }
}
