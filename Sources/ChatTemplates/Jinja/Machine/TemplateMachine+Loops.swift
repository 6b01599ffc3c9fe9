// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Loops: each round has a scope of its own.
extension TemplateMachine {
  mutating func beginLoop(
    isRecursive: Bool, start: Int
  ) throws(ChatTemplateError) {
    try spend(256)
    let items = try items(of: pop())
    var depth = 0
    if let frame = frames.last, frame.isLoop, frame.loopCount == openLoops.count,
      let caller = openLoops.last
    {
      depth = loops[caller].depth + 1
    }
    openLoops.append(loops.count)
    loops.append(
      Loop(
        items: items, start: start, depth: depth, isRecursive: isRecursive, scope: scope,
        outputCount: outputs.count, stackCount: stack.count))
    guard openLoops.count + frames.count <= 4 * limits.depth else { throw tooDeep() }
  }

  func tooDeep() -> ChatTemplateError {
    limitReached("Calls and loops nest deeper than \(limits.depth) levels.")
  }

  /// Begins the next round in a scope of its own, with its item on the stack.
  mutating func nextItem() throws(ChatTemplateError) -> Bool {
    guard let number = openLoops.last else { return false }
    leaveRound(of: number)
    let index = loops[number].index + 1
    guard index < loops[number].items.count else { return false }
    try spend(64)
    loops[number].index = index
    scope = TemplateScope(scope)
    scope.set(loopName, .loop(number))
    stack.append(loops[number].items[index])
    return true
  }

  /// The number of the name `loop`; one that no name has where the template does not say it.
  private var loopName: Int32 { program.loopName }

  /// Goes back to what was there when the loop began.
  private mutating func leaveRound(of number: Int) {
    let loop = loops[number]
    scope = loop.scope
    if outputs.count > loop.outputCount { outputs.removeLast(outputs.count - loop.outputCount) }
    if stack.count > loop.stackCount { stack.removeLast(stack.count - loop.stackCount) }
  }

  mutating func endLoop() -> Loop {
    let number = openLoops.popLast() ?? 0
    leaveRound(of: number)
    let loop = loops[number]
    // Later rounds are over: what they went over can go.
    loops[number].kept = []
    return loop
  }
}
