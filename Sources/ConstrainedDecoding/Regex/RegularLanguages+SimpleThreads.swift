/// Stepping the threads of an expression without look-around: none carries an obligation, so that they
/// are nodes, and a step needs no more than two lists that are kept from one to the next.
extension RegularLanguages {
  /// The state after a byte.
  mutating func simpleStep(program: Int, threads: [UInt32], _ byte: UInt8) -> State {
    foundWords.removeAll(keepingCapacity: true)
    pendingNodes.removeAll(keepingCapacity: true)
    for at in stride(from: 0, to: threads.count, by: 2) {
      let word = threads[at]
      guard case .scalar(let automaton, let next) = programs[program].nodes[Int(word >> 16)]
      else { continue }
      let place = automata[automaton].next(UInt16(truncatingIfNeeded: word), byte)
      if place == ScalarAutomaton.done {
        pendingNodes.append(next)
      } else if place != ScalarAutomaton.dead {
        foundWords.append(word & 0xFFFF_0000 | UInt32(place))
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

  /// The closure of the pending nodes, of threads that carry no obligations: nodes, each once.
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
        if programs[program].canMatch[node],
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

  /// The sequence of threads that were found, without obligations.
  private mutating func foundSequence() -> [UInt32] {
    if foundWords.count > 1 { foundWords.sort() }
    var sequence: [UInt32] = []
    sequence.reserveCapacity(foundWords.count * 2)
    for word in foundWords where sequence.isEmpty || sequence[sequence.count - 2] != word {
      sequence.append(word)
      sequence.append(0)
    }
    return sequence
  }
}
