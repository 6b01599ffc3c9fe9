// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Several servers of one model: the least busy is asked first, and one that failed is left out for
/// a while.
///
/// The pause after a failure doubles with each in a row, from a second to a minute, unless
/// the server says itself how long it wants to be left alone. Where all are
/// left out, the one whose pause ends first is asked: a request never fails without having been made.
final class EndpointPool: Sendable {
  private struct State {
    var busy: Int = 0
    var failures = 0
    var leftOutUntil: ContinuousClock.Instant?
  }

  let addresses: [ServerAddress]
  private let states: Mutex<[State]>
  private let now: @Sendable () -> ContinuousClock.Instant

  init(
    _ addresses: [ServerAddress],
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.addresses = addresses
    self.now = now
    states = Mutex(Array(repeating: State(), count: addresses.count))
  }

  /// Takes a server for a request, other than those that were tried already.
  ///
  /// - Returns: Its index, to be given back; nil where all were tried.
  func take(besides tried: Set<Int>) -> Int? {
    let now = now()
    return states.withLock { states in
      let left = states.indices.filter { !tried.contains($0) }
      let ready = left.filter { states[$0].leftOutUntil.map { $0 <= now } ?? true }
      let chosen =
        ready.min { states[$0].busy < states[$1].busy }
        ?? left.min { (states[$0].leftOutUntil ?? now) < (states[$1].leftOutUntil ?? now) }
      if let chosen { states[chosen].busy += 1 }
      return chosen
    }
  }

  /// Gives a server back.
  ///
  /// - Parameters:
  ///   - isFailing: Whether the server failed, rather than the request; nil where that is not known, as
  ///     after a cancellation.
  ///   - pause: How long the server wants to be left alone; nil where it has not said.
  func giveBack(_ index: Int, isFailing: Bool?, pause: Duration? = nil) {
    let now = now()
    states.withLock { states in
      states[index].busy -= 1
      switch isFailing {
      case true?:
        states[index].failures += 1
        let usual = Duration.seconds(min(60, 1 << min(states[index].failures - 1, 6)))
        states[index].leftOutUntil = now + min(max(pause ?? usual, .zero), .seconds(3600))
      case false?:
        states[index].failures = 0
        states[index].leftOutUntil = nil
      case nil: break
      }
    }
  }

  /// How many requests are under way at each.
  var busyCounts: [Int] { states.withLock { $0.map(\.busy) } }
}
