// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension JSONMachine {
  /// Reads the bytes of the text from `start` to its end.
  @inline(__always)
  func scan(from start: Int) throws(JSONSyntaxError) {
    let (text, kinds, entries) = (text, kinds, entries)
    let end = textCount
    var (row, tokenStart) = (row, tokenStart)
    var index = start
    while index < end {
      let entry = entries[Int(row) &+ Int(kinds[Int(text[index])])]
      tokenStart = entry & JSONTransitions.startBit != 0 ? index : tokenStart
      if entry & JSONTransitions.actionBits == 0 {
        row = entry & JSONTransitions.rowBits
        index &+= 1
        continue
      }
      (self.row, self.tokenStart) = (row, tokenStart)
      switch JSONTransitions.Action(rawValue: entry & JSONTransitions.actionBits) {
      case .endString:
        write(JSONTapeWord(.string, at: tokenStart &+ 1))
        row = valueEnded()
      case .endName:
        try checkUnused(endingAt: index)
        write(JSONTapeWord(.key, at: tokenStart &+ 1))
        row = JSONTransitions.row(of: .colon)
      case .openObject: row = try open(.openObject, first: .firstKey, then: .afterMember, at: index)
      case .openArray:
        row = try open(.openArray, first: .firstElement, then: .afterElement, at: index)
      case .closeObject: row = close(.closeObject)
      case .closeArray: row = close(.closeArray)
      case .endNumber:
        write(JSONTapeWord(.number, at: tokenStart))
        row = valueEnded()
        continue
      case .endNull:
        write(JSONTapeWord(.null))
        row = valueEnded()
      case .endTrue:
        write(JSONTapeWord(.yes))
        row = valueEnded()
      case .endFalse:
        write(JSONTapeWord(.no))
        row = valueEnded()
      case .beginEscape:
        beginEscape(at: index)
        row = entry & JSONTransitions.rowBits
      case .readEscape: row = try readEscape(text[index], at: index)
      case .refuseEncoding: throw error(.invalidUTF8, at: characterStart(before: index))
      case .refuse, .none?, nil: throw unexpected(text[index], at: index)
      }
      index &+= 1
    }
    (self.row, self.tokenStart) = (row, tokenStart)
  }

  func unexpected(_ byte: UInt8, at index: Int) -> JSONSyntaxError {
    error(.unexpected(found: byte, expected: state.expectation), at: index)
  }

  /// Where the character starts that the byte at `index` does not continue, or that byte itself.
  private func characterStart(before index: Int) -> Int {
    state.isInCharacter ? JSONTape.characterStart(before: index, in: text) : index
  }

  // MARK: Containers

  private func open(
    _ tag: JSONTape.Tag, first: JSONParserState, then: JSONParserState, at index: Int
  ) throws(JSONSyntaxError) -> UInt16 {
    guard outer.count < limits.depth else {
      throw error(.tooDeep(limit: limits.depth), at: index)
    }
    outer.append(
      JSONOpenContainer(
        start: innermost, rowAfterValue: rowAfterValue, memberCount: memberCount, names: names))
    let opened = wordCount
    write(JSONTapeWord(tag, at: innermost))
    innermost = opened
    memberCount = 0
    names = 0
    rowAfterValue = JSONTransitions.row(of: then)
    return JSONTransitions.row(of: first)
  }

  private func close(_ tag: JSONTape.Tag) -> UInt16 {
    let closed = innermost
    if memberCount > Self.nameTableThreshold, tag == .closeObject { nameTables[closed] = nil }
    write(JSONTapeWord(tag, at: closed))
    let around = outer.removeLast()
    innermost = around.start
    rowAfterValue = around.rowAfterValue
    memberCount = around.memberCount
    names = around.names
    return valueEnded()
  }

  /// Counts a value; says which row comes after it.
  @inline(__always)
  func valueEnded() -> UInt16 {
    memberCount &+= 1
    return rowAfterValue
  }

  /// Ends a number that the end of the text ends.
  func completeNumber() {
    guard state.endsNumber else { return }
    write(JSONTapeWord(.number, at: tokenStart))
    row = valueEnded()
  }
}
