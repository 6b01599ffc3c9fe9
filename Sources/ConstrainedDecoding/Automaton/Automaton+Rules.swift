/// Grammars written by hand: rules over bytes that may hold JSON values.
struct RuleGraph {}

extension Automaton {
  mutating func step(rule frame: Frame, _ byte: UInt8, into reached: inout [StackID]) {}

  mutating func ruleCompletion(_ frame: Frame) -> [UInt8]? { nil }
}
