// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if DEBUG
  extension JSONStreamParser {
    /// What is wrong with the tape, for the tests.
    ///
    /// Containers that are open name the one around them, those that are closed where they start; keys and
    /// values alternate in objects; and the containers that the machine has open are those of the tape.
    package func _checkInvariants() -> [String] {
      var found: [String] = []
      /// The first words of the open containers.
      var open: [Int] = []
      var hasKey = false
      var lastText = 0
      for index in 0..<machine.wordCount {
        let word = machine.tape[index]
        let isInObject = open.last.map { machine.tape[$0].tag == .openObject } ?? false
        switch word.tag {
        case .number, .string, .key:
          if word.position < lastText || word.position > machine.textCount {
            found.append("word \(index) has its text at \(word.position), after \(lastText)")
          }
          lastText = word.position
        case .openArray, .openObject:
          if word.outer != open.last ?? -1 {
            found.append("word \(index) opens inside \(word.outer), not \(open.last ?? -1)")
          }
        case .closeArray, .closeObject:
          let start = open.popLast() ?? -1
          let opening: JSONTape.Tag = word.tag == .closeArray ? .openArray : .openObject
          if word.position != start || machine.tape[max(0, start)].tag != opening {
            found.append("word \(index) closes \(word.position), where \(start) is open")
          }
          if hasKey { found.append("word \(index) closes an object after a key without a value") }
        case .null, .yes, .no: break
        }
        let isClosing = word.tag == .closeArray || word.tag == .closeObject
        if !isClosing, isInObject, (word.tag == .key) == hasKey {
          found.append(
            "word \(index) is a \(word.tag), where \(hasKey ? "a value" : "a key") comes")
        }
        if word.tag == .key { hasKey = true } else if isClosing || isInObject { hasKey = false }
        if word.tag == .openArray || word.tag == .openObject {
          open.append(index)
          hasKey = false
        }
      }
      let kept = (machine.outer.map(\.start) + [machine.innermost]).filter { $0 >= 0 }
      if machine.failure == nil, kept != open {
        found.append("the machine has \(kept) open, the tape \(open)")
      }
      return found.map { "tape: " + $0 }
    }
  }
#endif
