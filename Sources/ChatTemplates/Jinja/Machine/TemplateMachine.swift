// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Runs a program: writes a conversation.
///
/// Calls of macros and recursive loops lie on a stack of the machine's own, so that no template can
/// overflow the thread's. Everything that an operation touches is paid for before it is touched
/// (``spend(_:)``).
struct TemplateMachine {
  let program: TemplateProgram
  let limits: ChatTemplate.Limits
  let date: ChatTemplate.Date?
  private let workLimit: Int
  private var work = 0
  var place = 0
  var stack: [TemplateValue] = []
  /// What is written; above the first, what is captured.
  var outputs: [TemplateText] = [.empty]
  var scope: TemplateScope
  var frames: [Frame] = []
  var openLoops: [Int] = []

  // What values refer to by number.
  var loops: [Loop] = []
  var namespaces: [Namespace] = []
  var generators: [Generator] = []
  var macros: [Macro] = []
  var cyclers: [Cycler] = []
  /// Which joiners were used.
  var joiners: [(separator: TemplateValue, isUsed: Bool)] = []

  /// A call that has not returned.
  struct Frame {
    var place: Int
    var scope: TemplateScope
    var outputCount: Int
    var loopCount: Int
    var isLoop: Bool
  }

  struct Loop {
    var items: [TemplateValue]
    var index = -1
    var start: Int
    var depth: Int
    var isRecursive: Bool
    var scope: TemplateScope
    var outputCount: Int
    var stackCount: Int
    var hasEndedRound = false
    /// What a condition has chosen, where there is one.
    var kept: [TemplateValue] = []
    var lastChanged: TemplateValue?
  }

  struct Namespace {
    var names: [TemplateText]
    var values: [TemplateValue]

    subscript(name: TemplateText) -> TemplateValue? {
      names.firstIndex(of: name).map { values[$0] }
    }
  }

  struct Generator {
    var items: [TemplateValue]
    var isUsed = false
  }

  struct Macro {
    var number: Int
    var scope: TemplateScope
  }

  struct Cycler {
    var items: [TemplateValue]
    var place = 0
  }

  init(
    _ program: TemplateProgram, variables: [(name: String, value: TemplateValue)], bytes: Int,
    limits: ChatTemplate.Limits, date: ChatTemplate.Date?
  ) {
    self.program = program
    self.limits = limits
    self.date = date
    let (more, overflows) = bytes.multipliedReportingOverflow(by: max(0, limits.workPerByte))
    workLimit = max(0, limits.work) + (overflows ? Int.max / 2 : min(more, Int.max / 2))
    scope = TemplateScope(nil)
    for (index, name) in program.names.enumerated() {
      for variable in variables where variable.name == name.string {
        scope.set(Int32(truncatingIfNeeded: index), variable.value)
      }
    }
    scope = TemplateScope(scope)
  }

  /// Runs the whole program.
  mutating func run() throws(ChatTemplateError) -> TemplateText {
    do {
      while place < program.code.count { try step() }
    } catch {
      guard error.line == nil, program.lines.indices.contains(place) else { throw error }
      var placed = error
      placed.line = Int(program.lines[place])
      throw placed
    }
    return outputs[0]
  }

  func problem(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: nil)
  }

  func limitReached(_ message: String) -> ChatTemplateError {
    ChatTemplateError(message: message, line: nil, isLimit: true)
  }

  /// Pays for work before it is done.
  @inline(__always)
  mutating func spend(_ cost: Int) throws(ChatTemplateError) {
    guard cost >= 0, cost <= workLimit - work else {
      throw limitReached("The template takes more work than its limit of \(workLimit) allows.")
    }
    work += cost
  }
}
