// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Shares pieces of work between threads that stay awake for as long as a step of the model takes.
///
/// A step of a small model is two hundred products of some ten microseconds: waking a thread takes
/// longer than one of them. So the helpers are woken once, when a step begins, and look for the next
/// piece of work without sleeping until the step has ended and some more microseconds have passed.
///
/// Nobody needs a helper: the caller takes shares of the work as they do, one that is asleep finds
/// nothing left, and only a share that a helper has begun is waited for. Where that takes long, because
/// another program has the processor, the next steps go without helpers.
///
/// Example, two threads, a product of six shares:
///
///     caller   begin  0  2  4  5          (waits for 3)  next product
///     helper          1  3------------------3            next product
package final class ThreadTeam: Sendable {
  /// The greatest number of threads, the caller's included.
  let count: Int

  /// A piece of work.
  private struct Job {
    var total = 0
    var size = 1
    var body: (Range<Int>) -> Void = { _ in }
  }

  /// The number of the piece of work in the upper half, and how many shares nobody has taken below.
  private let open = Atomic<UInt64>(0)
  /// How many helpers may be looking at `job`.
  private let readers = Atomic<Int>(0)
  /// How many steps are under way: with several there is no processor left for helpers.
  private let callers = Atomic<Int>(0)
  /// Whether somebody has the team.
  private let isTaken = Atomic<Bool>(false)
  /// How many steps have begun: helpers that wait too long for another go to sleep.
  private let steps = Atomic<Int>(0)
  /// How many steps go without helpers from here on, and how many next time.
  private let resting = Atomic<Int>(0)
  private let nextRest = Atomic<Int>(minimumRest)
  /// How many steps had begun when a helper was late the last time.
  private let lateStep = Atomic<Int>(0)
  private let sleepers = Mutex<(asleep: Int, started: Int)>((0, 0))
  private let condition = NSCondition()
  /// Written by whoever has the team while no helper reads, which `readers` tells.
  nonisolated(unsafe) private var job = Job()

  /// Longer than a share takes: a helper that is so late was put aside by the system.
  private static let patience: Duration = .microseconds(500)
  /// How long a helper looks for work before it sleeps.
  private static let wakefulness: Duration = .microseconds(200)
  private static let minimumRest = 4
  private static let longestRest = 1024
  /// A helper that is late again within so many steps has a processor that others use, too.
  private static let goodRun = 64

  package init(count: Int) {
    #if os(WASI)
      self.count = 1
    #else
      self.count = max(1, min(count, 256))
    #endif
  }

  /// Calls a closure while the helpers are awake.
  func step<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard count > 1 else { return try body() }
    let others = callers.add(1, ordering: .relaxed).oldValue
    defer { callers.subtract(1, ordering: .relaxed) }
    if others == 0 { wake() }
    return try body()
  }

  /// Calls a closure with ranges that make up `0..<total`, on several threads where it pays.
  ///
  /// - Parameter costOfOne: About how many multiplications one of `total` takes.
  func forEachRange(of total: Int, costOfOne: Int, _ body: (Range<Int>) -> Void) {
    // Below that many multiplications, which take a few microseconds, handing work over costs about
    // what it saves.
    guard count > 1, total > 1, costOfOne > 100_000 / total, resting.load(ordering: .relaxed) == 0,
      callers.load(ordering: .relaxed) <= 1, !isTaken.exchange(true, ordering: .acquiring)
    else { return body(0..<total) }
    defer { isTaken.store(false, ordering: .releasing) }
    withoutActuallyEscaping(body) { body in
      let size = max(1, total / (count * 4))
      let shares = (total + size - 1) / size
      job = Job(total: total, size: size, body: body)
      let number = (open.load(ordering: .relaxed) >> 32 &+ 1) << 32
      open.store(number | UInt64(shares), ordering: .sequentiallyConsistent)
      work(number)
      waitForReaders()
      job = Job()
    }
  }

  /// Takes shares of a piece of work until there are none.
  private func work(_ number: UInt64) {
    let (total, size, body) = (job.total, job.size, job.body)
    var value = open.load(ordering: .relaxed)
    while value & ~0xFFFF_FFFF == number, value & 0xFFFF_FFFF > 0 {
      let result = open.compareExchange(
        expected: value, desired: value - 1, ordering: .acquiringAndReleasing)
      guard result.exchanged else {
        value = result.original
        continue
      }
      let end = Int(value & 0xFFFF_FFFF) * size
      // Shares are taken from the end, of which the last may be short.
      let shift = total - (total + size - 1) / size * size
      body(max(0, end - size + shift)..<(end + shift))
      value = open.load(ordering: .relaxed)
    }
  }

  /// Waits for the shares that helpers have begun.
  private func waitForReaders() {
    var turns = 0
    var start: ContinuousClock.Instant?
    while readers.load(ordering: .sequentiallyConsistent) > 0 {
      turns += 1
      guard turns % 256 == 0 else { continue }
      let now = ContinuousClock.now
      if let start, now - start > Self.patience {
        // The processor is somebody else's: let the helper have this one.
        Self.giveWay()
      } else {
        start = start ?? now
      }
    }
    guard let start, ContinuousClock.now - start > Self.patience else { return }
    let step = steps.load(ordering: .relaxed)
    let wasGood = step - lateStep.exchange(step, ordering: .relaxed) > Self.goodRun
    let rest = wasGood ? Self.minimumRest : nextRest.load(ordering: .relaxed)
    resting.store(rest, ordering: .relaxed)
    nextRest.store(min(Self.longestRest, 2 * rest), ordering: .relaxed)
  }

  /// What a step begins with: helpers are started, and woken where they sleep.
  private func wake() {
    let rest = resting.load(ordering: .relaxed)
    if rest > 0 {
      resting.store(rest - 1, ordering: .relaxed)
      return
    }
    steps.add(1, ordering: .relaxed)
    let (asleep, missing) = sleepers.withLock { state in
      let missing = count - 1 - state.started
      state.started = count - 1
      return (state.asleep, missing)
    }
    for _ in 0..<missing { start() }
    if asleep > 0 {
      condition.lock()
      condition.broadcast()
      condition.unlock()
    }
  }

  private func start() {
    let thread = Thread { [weak self] in
      Thread.current.name = "Espalier"
      // The team ends when the model does: a helper holds it only while it is awake.
      while let team = self {
        guard team.help() else { return }
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Helps until there was nothing to do for a while, and sleeps then.
  ///
  /// - Returns: Whether the helper is still needed.
  private func help() -> Bool {
    var last = ContinuousClock.now
    var turns = 0
    while true {
      if open.load(ordering: .acquiring) & 0xFFFF_FFFF > 0 {
        readers.add(1, ordering: .sequentiallyConsistent)
        // From here on nobody changes the job: who has the team waits until there are no readers.
        let value = open.load(ordering: .sequentiallyConsistent)
        if value & 0xFFFF_FFFF > 0 { work(value & ~0xFFFF_FFFF) }
        readers.subtract(1, ordering: .sequentiallyConsistent)
        turns = 0
        continue
      }
      turns += 1
      guard turns % 256 == 0 else { continue }
      if turns == 256 { last = .now }
      if ContinuousClock.now - last > Self.wakefulness { return sleep() }
    }
  }

  private func sleep() -> Bool {
    let seen = steps.load(ordering: .relaxed)
    condition.lock()
    defer { condition.unlock() }
    sleepers.withLock { $0.asleep += 1 }
    defer { sleepers.withLock { $0.asleep -= 1 } }
    while steps.load(ordering: .relaxed) == seen {
      if !condition.wait(until: Date(timeIntervalSinceNow: 5)),
        steps.load(ordering: .relaxed) == seen
      {
        // Nobody asked for five seconds: the thread ends, and another is started when one is needed.
        sleepers.withLock { $0.started -= 1 }
        return false
      }
    }
    return true
  }

  private static func giveWay() {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      sched_yield()
    #else
      Thread.sleep(forTimeInterval: 0)
    #endif
  }

  /// Does two things at once.
  package static func both<First: Sendable, Second: Sendable>(
    _ first: @Sendable () throws(GGUFError) -> First,
    _ second: @Sendable () throws(GGUFError) -> Second
  ) -> (Result<First, GGUFError>, Result<Second, GGUFError>) {
    func attempt<Value>(_ body: () throws(GGUFError) -> Value) -> Result<Value, GGUFError> {
      do throws(GGUFError) { return .success(try body()) } catch { return .failure(error) }
    }
    let results = Mutex<(Result<First, GGUFError>?, Result<Second, GGUFError>?)>((nil, nil))
    let team = ThreadTeam(count: 2)
    team.step {
      team.forEachRange(of: 2, costOfOne: .max / 2) { range in
        for index in range {
          if index == 0 {
            let result = attempt(first)
            results.withLock { $0.0 = result }
          } else {
            let result = attempt(second)
            results.withLock { $0.1 = result }
          }
        }
      }
    }
    let (one, two) = results.withLock { $0 }
    return (one ?? attempt(first), two ?? attempt(second))
  }
}
