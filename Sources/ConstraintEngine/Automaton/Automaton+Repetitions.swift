// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Completions of arrays whose items must differ.
///
/// The shortest texts of frames know nothing of the values before them: where one would be repeated,
/// the text is refused at the first byte that leaves no other way. Another way is then searched from
/// there, the one with the shortest completion first, until a completion is followed further than the
/// one that was refused; and so on until nothing is refused.
///
/// Worked example: two strings that differ. `["",""]` is refused at its fourth quote; before it any
/// character is allowed, and ` ` gives `[""," "]`. After `[[2],[2` a bracket would repeat `[2]`. The
/// completions after `.` and `e` are shorter than that after a comma, but `2.0` and `2e0` are refused
/// at the bracket too; `[[2],[2,0]]` is not.
extension Automaton {
  /// The most ways that are taken for others in one completion.
  private static let repetitionLimit = 4096
  /// The most places from which a search for one other way goes on.
  private static let searchLimit = 64

  mutating func withoutRepetitions(
    _ text: [UInt8], from start: Configuration
  ) -> [UInt8]? {
    var rest = text
    var result: [UInt8] = []
    var configuration = start
    for _ in 0..<Self.repetitionLimit {
      var left = 0
      for (place, byte) in rest.enumerated() {
        let after = next(configuration, byte)
        guard after != Self.dead else {
          result += rest[..<place]
          left = rest.count - place
          break
        }
        configuration = after
        if place == rest.count - 1 { return result + rest }
      }
      if rest.isEmpty { return result }
      guard let detour = detour(from: configuration, leaving: left) else { return nil }
      result += detour.bytes
      configuration = detour.configuration
      rest = detour.completion
    }
    return nil
  }

  /// A place in a search: what leads there, and the shortest completion of its frames.
  private struct Detour {
    var bytes: [UInt8]
    var configuration: Configuration
    var completion: [UInt8]
  }

  /// The shortest way after which the frames' completion is followed until less than so many bytes of
  /// it are left. White space that leads nowhere is no way.
  private mutating func detour(from configuration: Configuration, leaving left: Int) -> Detour? {
    var places: [Detour] = []
    var seen: Set<Configuration> = [configuration]
    var place = Detour(bytes: [], configuration: configuration, completion: [])
    for _ in 0..<Self.searchLimit {
      for byte in UInt8(0x20)...0xF4 {
        let after = next(place.configuration, byte)
        guard after != Self.dead, seen.insert(after).inserted,
          let rest = completionByFrames(after)
        else { continue }
        places.append(Detour(bytes: place.bytes + [byte], configuration: after, completion: rest))
      }
      // Of equal length the one that has come further.
      guard
        let best = places.indices.min(by: {
          (places[$0].bytes.count + places[$0].completion.count, places[$0].completion.count)
            < (places[$1].bytes.count + places[$1].completion.count, places[$1].completion.count)
        })
      else { return nil }
      place = places.remove(at: best)
      if bytesLeft(following: place) < left { return place }
    }
    return nil
  }

  /// How many bytes of the completion of a place are left where it is refused.
  private mutating func bytesLeft(following place: Detour) -> Int {
    var configuration = place.configuration
    for (index, byte) in place.completion.enumerated() {
      configuration = next(configuration, byte)
      if configuration == Self.dead { return place.completion.count - index }
    }
    return 0
  }
}
