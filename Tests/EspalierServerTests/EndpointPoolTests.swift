// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import EspalierServer

@Suite struct EndpointPoolTests {
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
  }

  private func pool(_ count: Int, _ clock: Clock) throws -> EndpointPool {
    let addresses = try (0..<count).map { index in
      try ServerAddress(try #require(URL(string: "http://host\(index)")))
    }
    return EndpointPool(addresses, now: { clock.now })
  }

  @Test func leastBusyIsTaken() throws {
    let pool = try pool(3, Clock())
    #expect((0..<6).map { _ in pool.take(besides: []) } == [0, 1, 2, 0, 1, 2])
    pool.giveBack(1, isFailing: false)
    #expect(pool.take(besides: []) == 1)
    #expect(pool.busyCounts == [2, 2, 2])
  }

  @Test func failingOneIsLeftOutForAWhile() throws {
    let clock = Clock()
    let pool = try pool(2, clock)
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
      #expect(pool.take(besides: []) == 0)
      pool.giveBack(0, isFailing: true)
      #expect(pool.take(besides: []) == 1)
      pool.giveBack(1, isFailing: false)
      clock.advance(by: .seconds(pause) - .milliseconds(1))
      #expect(pool.take(besides: []) == 1)
      pool.giveBack(1, isFailing: false)
      clock.advance(by: .milliseconds(2))
    }
    // One answer is enough to trust it again.
    #expect(pool.take(besides: []) == 0)
    pool.giveBack(0, isFailing: false)
    #expect(pool.take(besides: []) == 0)
  }

  @Test func someoneIsAskedWhereAllFail() throws {
    let clock = Clock()
    let pool = try pool(2, clock)
    _ = pool.take(besides: [])
    pool.giveBack(0, isFailing: true)
    clock.advance(by: .milliseconds(10))
    _ = pool.take(besides: [0])
    pool.giveBack(1, isFailing: true)
    #expect(pool.take(besides: []) == 0)
    #expect(pool.take(besides: [0]) == 1)
    #expect(pool.take(besides: [0, 1]) == nil)
  }

  /// A cancelled request says nothing about its server.
  @Test func cancellationSaysNothing() throws {
    let pool = try pool(1, Clock())
    _ = pool.take(besides: [])
    pool.giveBack(0, isFailing: nil)
    #expect(pool.busyCounts == [0])
  }
}
