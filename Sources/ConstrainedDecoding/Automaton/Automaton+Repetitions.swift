/// Completions of arrays whose items must differ.
///
/// The shortest texts of frames know nothing of the items before them: where two items would be
/// equal, the text is refused at the end of the second one. It is then taken back byte by byte until
/// another byte leads on, and completed from there; a text of which less is left when it is refused is
/// progress, and the next repetition is looked for.
///
/// Worked example: two strings that differ. `["",""]` is refused at its fourth quote; before it any
/// character is allowed, and ` ` gives `[""," "]`.
extension Automaton {
  /// The most texts that are tried for one completion.
  private static let repetitionLimit = 4096

  mutating func withoutRepetitions(
    _ text: [UInt8], from configuration: Configuration
  ) -> [UInt8]? {
    var text = text
    var path = read(text, from: configuration)
    var attempts = 0
    while path.count <= text.count {
      guard let (better, reached) = varied(text, path, &attempts) else { return nil }
      text = better
      path = reached
    }
    return text
  }

  /// The configurations before each byte of a text and after its last one, as far as it is allowed.
  private mutating func read(_ text: [UInt8], from start: Configuration) -> [Configuration] {
    var path = [start]
    for byte in text {
      let after = next(path[path.count - 1], byte)
      if after == Self.dead { break }
      path.append(after)
    }
    return path
  }

  /// A text of which less is left at its end than of one whose path ends early.
  private mutating func varied(
    _ text: [UInt8], _ path: [Configuration], _ attempts: inout Int
  ) -> (text: [UInt8], path: [Configuration])? {
    for place in path.indices.reversed() {
      for byte in UInt8(0x20)...0x7D where byte != text[place] {
        let after = next(path[place], byte)
        guard after != Self.dead, let rest = completionByFrames(after) else { continue }
        attempts += 1
        guard attempts <= Self.repetitionLimit else { return nil }
        let other = text[..<place] + [byte] + rest
        let reached = path[...place] + read(rest, from: after)
        if other.count - reached.count < text.count - path.count {
          return (Array(other), Array(reached))
        }
      }
    }
    return nil
  }
}
