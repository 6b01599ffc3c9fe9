// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Stepping the threads of an expression without look-around: none carries a look-ahead, so that they
/// are nodes, and a step needs no more than lists that are kept from one to the next.
extension RegularLanguages {
  /// A thread on a scalar node.
  struct SimpleThread {
    var word: UInt32
    /// Its scalar automaton, and the state there.
    var automaton: Int
    var place: UInt16
    /// The node after the scalar.
    var next: Int
  }

  /// Computes the transitions of a set of threads: bytes over which all go on alike are one class.
  ///
  /// - Parameter start: Where the transitions are, all dead at first.
  /// - Returns: The first bytes of the runs.
  mutating func expandSimpleThreads(program: Int, key: UInt32, at start: Int) -> ByteSet {
    simpleThreads.removeAll(keepingCapacity: true)
    var starts = ByteSet()
    starts.insert(0)
    for at in stride(from: 0, to: threadKeys.length(of: key), by: 2) {
      let word = threadKeys.word(at, of: key)
      guard case .scalar(let automaton, let next) = programs[program].nodes[Int(word >> 16)]
      else { continue }
      let place = UInt16(truncatingIfNeeded: word)
      if simpleThreads.last?.automaton != automaton || simpleThreads.last?.place != place {
        starts.formUnion(automata[automaton].runStarts[Int(place)])
      }
      simpleThreads.append(
        SimpleThread(word: word, automaton: automaton, place: place, next: next))
    }
    /// The first byte of each class.
    var classes: [UInt8] = []
    for run in starts.runs {
      let byte = UInt8(run.lowerBound)
      guard simpleThreads.contains(where: { isAlive($0, byte) }) else { continue }
      let state: State
      if let known = classes.last(where: { known in
        simpleThreads.allSatisfy { goesOnAlike($0, byte, known) }
      }) {
        state = transitions[start + Int(known)]
      } else {
        state = simpleStep(program: program, byte)
        classes.append(byte)
      }
      setRun(run, at: start, state)
    }
    return starts
  }

  @inline(__always)
  private func isAlive(_ thread: SimpleThread, _ byte: UInt8) -> Bool {
    automata[thread.automaton].next(thread.place, byte) != ScalarAutomaton.dead
  }

  @inline(__always)
  private func goesOnAlike(_ thread: SimpleThread, _ byte: UInt8, _ other: UInt8) -> Bool {
    automata[thread.automaton].next(thread.place, byte)
      == automata[thread.automaton].next(thread.place, other)
  }

  /// The state that the threads lead to over a byte.
  private mutating func simpleStep(program: Int, _ byte: UInt8) -> State {
    foundWords.removeAll(keepingCapacity: true)
    pendingNodes.removeAll(keepingCapacity: true)
    for thread in simpleThreads {
      let place = automata[thread.automaton].next(thread.place, byte)
      if place == ScalarAutomaton.done {
        pendingNodes.append(thread.next)
      } else if place != ScalarAutomaton.dead {
        foundWords.append(thread.word & 0xFFFF_0000 | UInt32(place))
      }
    }
    // All scalars end at the same byte: a UTF-8 sequence's length is fixed by its first byte.
    if !pendingNodes.isEmpty {
      return threadState(
        program: program, simpleClosure(program: program, atStart: false))
    }
    if foundWords.isEmpty { return Self.dead }
    return threadState(program: program, foundSequence())
  }

  /// The closure of the pending nodes, of threads that carry no look-aheads: nodes, each once.
  mutating func simpleClosure(program: Int, atStart: Bool) -> [UInt32] {
    let nodeCount = programs[program].nodes.count
    if visited.count < nodeCount {
      visited += [UInt32](repeating: 0, count: nodeCount - visited.count)
    }
    visit += 1
    foundWords.removeAll(keepingCapacity: true)
    while let node = pendingNodes.popLast() {
      if visited[node] == visit { continue }
      visited[node] = visit
      if node == programs[program].universal {
        pendingNodes.removeAll(keepingCapacity: true)
        return [UInt32(node) << 16, 0]
      }
      switch programs[program].nodes[node] {
      case .scalar(let automaton, let next):
        if programs[program].canMatch[next] {
          foundWords.append(UInt32(node) << 16 | UInt32(automata[automaton].start))
        }
      case .match: foundWords.append(UInt32(node) << 16)
      case .end(let next):
        if atStart || programs[program].canMatch[node],
          passesAtEnd(program: program, from: next, behinds: [], atStart: atStart)
        {
          foundWords.append(UInt32(node) << 16)
        }
      case .split(let a, let b):
        pendingNodes.append(b)
        pendingNodes.append(a)
      case .start(let next): if atStart { pendingNodes.append(next) }
      case .ahead, .behind, .fail: break
      }
    }
    return foundSequence()
  }

  /// The sequence of threads that were found, without look-aheads.
  private mutating func foundSequence() -> [UInt32] {
    if foundWords.count > 1 { foundWords.sort() }
    foundThreads.removeAll(keepingCapacity: true)
    for word in foundWords
    where foundThreads.isEmpty || foundThreads[foundThreads.count - 2] != word {
      foundThreads.append(word)
      foundThreads.append(0)
    }
    return foundThreads
  }
}
