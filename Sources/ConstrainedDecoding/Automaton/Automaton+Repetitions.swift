/// Completions of arrays whose items must differ.
///
/// The shortest texts of frames know nothing of the values before them: where one would be repeated,
/// the text is refused at the first byte that leaves no other way. Another byte is then taken, the one
/// from which the frames have the shortest rest, and so on until nothing is refused.
///
/// Worked example: two strings that differ. `["",""]` is refused at its fourth quote; before it any
/// character is allowed, and ` ` gives `[""," "]`.
extension Automaton {
  /// The most bytes that are taken for others in one completion.
  private static let repetitionLimit = 4096

  mutating func withoutRepetitions(
    _ text: [UInt8], from start: Configuration
  ) -> [UInt8]? {
    var rest = text
    var result: [UInt8] = []
    var configuration = start
    for _ in 0..<Self.repetitionLimit {
      for (place, byte) in rest.enumerated() {
        let after = next(configuration, byte)
        guard after != Self.dead else {
          result += rest[..<place]
          break
        }
        configuration = after
        if place == rest.count - 1 { return result + rest }
      }
      if rest.isEmpty { return result }
      guard let detour = detour(from: configuration) else { return nil }
      result.append(detour.byte)
      configuration = detour.configuration
      rest = detour.rest
    }
    return nil
  }

  /// The byte after which the frames have the shortest rest; white space that leads nowhere is none.
  private mutating func detour(
    from configuration: Configuration
  ) -> (byte: UInt8, configuration: Configuration, rest: [UInt8])? {
    var best: (byte: UInt8, configuration: Configuration, rest: [UInt8])?
    for byte in UInt8(0x20)...0x7D {
      let after = next(configuration, byte)
      guard after != Self.dead, after != configuration,
        let rest = completionByFrames(after), rest.count < best?.rest.count ?? .max
      else { continue }
      best = (byte, after, rest)
    }
    return best
  }
}
