// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

// Sequences on several threads.
//
// What a grammar works out is in tables that grow with use and refer to each other by index. A step
// works on them alone, behind a lock, and a step that is known takes hardly longer than the lock. So
// where sequences wait for each other, more locks would not help: the tables are copied, and a sequence
// that begins, or one that keeps waiting, goes on at the copy. Both know all that was worked out before,
// and neither waits for the other from then on. What comes after is worked out once for each copy.
//
// Example: two threads read with one grammar. Nine steps found the tables taken, so the next sequence
// begins at a copy. When the other thread begins its next one, the copy has one sequence and the
// original none, so it begins at the original again. A program with one thread never has a copy.

extension Grammar {
  /// What a grammar shares between its copies: all that was worked out.
  package final class Storage: Sendable {
    /// The tables that the grammar was compiled to.
    package let original: Tables
    private let places: Mutex<Places>

    /// All tables, the original first, and how many sequences work on each.
    private struct Places {
      var tables: [Tables]
      var seatCounts = [0]

      /// `nil` where there is no room for one.
      mutating func copy(_ own: Tables) -> Int? {
        own.forgetWaits()
        guard let copy = own.withState({ $0.copy() }).map(Tables.init) else { return nil }
        tables.append(copy)
        seatCounts.append(0)
        return tables.count - 1
      }
    }

    /// - Parameter remake: compiles the automaton again.
    package init(_ automaton: Automaton, remake: @escaping @Sendable () -> Automaton?) {
      original = Tables(State(automaton: automaton, shares: Room.Shares(), remake: remake))
      places = Mutex(Places(tables: [original]))
    }

    /// A seat for a new sequence: where the fewest are, or at a copy where even these wait.
    package func seat() -> Seat {
      places.withLock { places in
        var place = 0
        for other in places.seatCounts.indices
        where places.seatCounts[other] < places.seatCounts[place] { place = other }
        if places.seatCounts[place] > 0, places.tables[place].areCrowded {
          place = places.copy(places.tables[place]) ?? place
        }
        return takeSeat(place, in: &places)
      }
    }

    /// A seat for a sequence that keeps waiting at its own: at other tables that nobody works on, or at a
    /// copy in which its configurations are what they were. `nil` where there are none, and no room for
    /// a copy.
    package func seat(besides own: Seat) -> (seat: Seat, isAtCopy: Bool)? {
      places.withLock { places in
        if let free = places.seatCounts.firstIndex(of: 0) {
          return (takeSeat(free, in: &places), false)
        }
        return places.copy(own.tables).map { (takeSeat($0, in: &places), true) }
      }
    }

    private func takeSeat(_ place: Int, in places: inout Places) -> Seat {
      places.seatCounts[place] += 1
      return Seat(tables: places.tables[place], place: place, storage: self)
    }

    fileprivate func giveBack(_ place: Int) {
      places.withLock { $0.seatCounts[place] -= 1 }
    }

    /// A question to all tables, one after the other.
    func forEachState<Result: Sendable>(_ body: (inout State) -> Result) -> [Result] {
      places.withLock { $0.tables }.map { $0.withState(body) }
    }
  }

  /// All that was worked out, behind a lock.
  package final class Tables: Sendable {
    private let state: Mutex<State>
    /// How often a step waited for another thread.
    private let waits = Atomic(0)

    fileprivate init(_ state: State) { self.state = Mutex(state) }

    package func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
      var waits = 0
      return withState(waits: &waits, body)
    }

    /// The same, and counts how often another thread had to be waited for.
    package func withState<Result: Sendable>(
      waits: inout Int, _ body: (inout State) -> Result
    ) -> Result {
      if let result = state.withLockIfAvailable({ body(&$0) }) { return result }
      waits += 1
      self.waits.wrappingAdd(1, ordering: .relaxed)
      return state.withLock { body(&$0) }
    }

    /// Whether steps have waited for each other more than by chance.
    fileprivate var areCrowded: Bool { waits.load(ordering: .relaxed) > Seat.toleratedWaits }

    fileprivate func forgetWaits() { waits.store(0, ordering: .relaxed) }
  }

  /// That a sequence and its forks work on some tables.
  package final class Seat: Sendable {
    package let tables: Tables
    private let place: Int
    private let storage: Storage

    fileprivate init(tables: Tables, place: Int, storage: Storage) {
      (self.tables, self.place, self.storage) = (tables, place, storage)
    }

    deinit { storage.giveBack(place) }

    fileprivate static let toleratedWaits = 8

    /// Whether to look for other tables: in them a text may have to be read again, so that a long text
    /// waits more often before.
    ///
    /// - Parameters:
    ///   - waits: how often a step of the sequence waited for another thread.
    ///   - length: how many steps would be read again.
    static func isCrowded(waits: Int, length: Int) -> Bool { waits > toleratedWaits + length / 8 }
  }
}

extension Grammar.Room {
  /// Among how many copies of the tables the memory is divided.
  final class Shares: Sendable {
    private let number = Atomic(1)

    var count: Int { number.load(ordering: .relaxed) }

    fileprivate func add() { number.wrappingAdd(1, ordering: .relaxed) }
  }
}

extension Grammar.State {
  /// The same state once more, where all copies then fill at most half of their share of the memory.
  fileprivate mutating func copy() -> Grammar.State? {
    guard room.hasShare(forCopyOf: automaton.byteCount + maskBytes) else { return nil }
    room.shares.add()
    var copy = self
    copy.separateMasks()
    return copy
  }
}
