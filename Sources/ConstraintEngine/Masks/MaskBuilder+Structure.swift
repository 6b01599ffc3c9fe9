// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What stands outside of strings: brackets, commas, literals and numbers.
///
/// Where any amount of white space is allowed, reading it does not change the stack. So tokens that
/// differ in the white space that they start with are read once, as one *core*, and the tokens of white
/// space alone are the base. Digits are not read where their values tell which may come
/// (``DigitContinuations``).
///
/// Worked example: after `{"age":`, where `age` is an integer of at most 120, ` 12` and `12` are tokens of
/// the core `12`. Of cores of two digits the values 10 to 99 may come, of three those from 100 to 119;
/// 120 itself is read, as is 0, which must stand alone.
extension MaskBuilder {
  /// Where any amount of white space is allowed: the cores of the tokens.
  mutating func addStructure(_ stack: StackID, _ frame: Frame, _ automaton: inout Automaton) {
    usedStrategies.insert(.cores)
    base = index.whitespace
    let cores = index.cores
    let bytes = automaton.firstBytes(stack)
    var reached = vacant.popLast() ?? []
    let digits: ClosedRange<UInt8> = 0x30...0x39
    let areDigitsDone =
      bytes.contains(0x30) && takesValue(frame, &automaton) && addDigits(of: frame, &automaton)
    bytes.visitEach { byte in
      if areDigitsDone, digits.contains(byte) { return }
      if let node = cores.root(byte) {
        step(cores, node, byte, from: stack, &reached, &automaton, .cores)
      }
    }
    vacant.append(reached)
  }

  /// Whether numbers may start here whose digits are all their own: in a rule, what follows a number
  /// may start with a digit too.
  private func takesValue(_ frame: Frame, _ automaton: inout Automaton) -> Bool {
    frame.kind == .value && automaton.stacks[frame.parent].kind != .rule
      || frame.kind == .array && frame.c == Frame.Phase.opened.rawValue
  }

  /// The digits that a number may start with, without a look at the tokens; `false` where they have
  /// to be read one by one.
  private mutating func addDigits(of frame: Frame, _ automaton: inout Automaton) -> Bool {
    guard index.coreDigits.mixed.isEmpty else { return false }
    let starts = automaton.numberStarts(frame)
    var continuations: [DigitContinuations] = []
    for start in starts {
      let found = automaton.obligations.numbers.digitContinuations(
        start, longest: index.coreDigits.byLength.count)
      if case .unknown = found { return false }
      continuations.append(found)
    }
    if continuations.count > 1 { isAmbiguous = true }
    for (start, found) in zip(starts, continuations) {
      addDigits(found, after: start, index.coreDigits, .cores, &automaton)
    }
    return true
  }

  /// A number: its digits, its other characters, and what may come once it has ended.
  mutating func addNumber(_ frame: Frame, _ stack: StackID, _ automaton: inout Automaton) {
    let found =
      index.digits.mixed.isEmpty
      ? automaton.obligations.numbers.digitContinuations(
        frame.a, longest: index.digits.byLength.count) : .unknown
    var isKnown = true
    if case .unknown = found { isKnown = false }
    if case .any(isStart: false, atMost: .max) = found, base === index.whitespace {
      base = index.digitsOrWhitespace
    } else if case .any(isStart: false, atMost: .max) = found, base === index.noTokens {
      base = index.digitsAlone
    } else if isKnown {
      addDigits(found, after: frame.a, index.digits, .tokens, &automaton)
    }
    for byte in Array("+-.Ee".utf8) { walkRoot(byte, stack, &automaton) }
    if !isKnown { for digit in UInt8(0x30)...0x39 { walkRoot(digit, stack, &automaton) } }
  }

  private mutating func walkRoot(
    _ byte: UInt8, _ stack: StackID, _ automaton: inout Automaton
  ) {
    let trie = vocabulary.trie
    guard let node = trie.root(byte) else { return }
    var reached = vacant.popLast() ?? []
    step(trie, node, byte, from: stack, &reached, &automaton, .tokens)
    vacant.append(reached)
  }

  /// Adds the tokens of digits that a number may go on with.
  private mutating func addDigits(
    _ continuations: DigitContinuations, after state: NumberAutomaton.State,
    _ digits: DigitTokens, _ target: Target, _ automaton: inout Automaton
  ) {
    usedStrategies.insert(.digits)
    for (index, entries) in digits.byLength.enumerated() {
      let found = continuations.values(length: index + 1)
      for part in found.parts {
        let places =
          Self.firstPlace(
            entries, part.values.lowerBound)..<Self.firstPlace(entries, part.values.upperBound)
        guard let test = part.test else {
          emit(digits.tokensByLength[index][places], target)
          continue
        }
        for entry in entries[places] where test.takes(entry.value) {
          emitOne(entry.token, target)
        }
      }
      // A zero ends the integer part: whether it may stand alone is up to the constraint.
      let others = found.doubtful + (index == 0 && continuations.isStart ? [0] : [])
      for value in others
      where automaton.obligations.numbers.takes(value, length: index + 1, after: state) {
        let places =
          Self.firstPlace(entries, value)..<Self.firstPlace(entries, value + 1)
        emit(digits.tokensByLength[index][places], target)
      }
    }
  }

  private static func firstPlace(_ entries: [DigitTokens.Entry], _ value: UInt64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].value < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
