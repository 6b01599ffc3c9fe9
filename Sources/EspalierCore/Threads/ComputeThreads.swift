import Foundation

// Swift runs all tasks of a process on as many threads as there are processors. A task that computes
// for seconds keeps one of them, and with a few such tasks nothing else in the app goes on: no timer,
// no health check, no time limit. So whatever computes for long (evaluating a model, compiling a
// schema, reading a long response under one) runs on threads of this class.
//
// The jobs of all tasks wait in one queue, first come, first served. A task that computes in steps
// calls `turn` between two of them: where other jobs wait, it goes to the end of the queue.
//
//     two threads, tasks A B C       queue
//     A and B take a step            C
//     A calls `turn`                 C A
//     the first thread takes C       A
//
// A thread is started when a job finds no idle one, and ends when it has had nothing to do for some
// seconds. Platforms without threads (WASI) have none of it: there the work runs on Swift's own
// executor, as `count: 0` has it run anywhere, and a turn is a `Task.yield()`.

/// Threads for work that computes for long, as a task executor.
package final class ComputeThreads: TaskExecutor {
  /// The threads for schemas and responses: those of all sessions, as the processors are.
  package static let shared = ComputeThreads()

  /// How many threads there are unless something else is asked for: one for each processor, and
  /// none where the platform has none.
  package static var defaultCount: Int {
    #if os(WASI)
      0
    #else
      max(1, ProcessInfo.processInfo.activeProcessorCount)
    #endif
  }

  /// What waits for a thread.
  private enum Waiting {
    case job(UnownedJob)
    case turn(UnsafeContinuation<Void, Never>)
  }

  private struct State {
    var queue: [Waiting] = []
    var head = 0
    var threadCount = 0
    var idleCount = 0

    var isEmpty: Bool { head == queue.count }

    mutating func next() -> Waiting? {
      guard head < queue.count else { return nil }
      defer {
        head += 1
        if head == queue.count || head >= 1024 {
          queue.removeFirst(head)
          head = 0
        }
      }
      return queue[head]
    }
  }

  /// The greatest number of threads; 0 for none.
  package let count: Int
  /// How long a thread waits for another job before it ends.
  private static let patience: TimeInterval = 5
  /// What a thread has for its stack, in bytes: as much as the main thread of some platforms.
  private static let stackSize = 2 << 20

  /// What the threads are known by.
  private static let mark = "espalier.compute"

  private let condition = NSCondition()
  /// Read and written under `condition` alone.
  nonisolated(unsafe) private var state = State()

  /// Creates threads, of which none is started yet.
  ///
  /// - Parameter count: The greatest number of threads. With 0 the work runs on Swift's own executor.
  package init(count: Int = ComputeThreads.defaultCount) {
    self.count = ComputeThreads.defaultCount == 0 ? 0 : max(0, count)
  }

  /// Whether the caller is on such a thread.
  package static var isCurrent: Bool {
    #if os(WASI)
      false
    #else
      Thread.current.threadDictionary[mark] != nil
    #endif
  }

  /// How many jobs wait for a thread.
  package var waitingCount: Int { condition.withLock { state.queue.count - state.head } }

  /// Runs some work of the current task on the threads.
  ///
  /// The work keeps the task's values, its priority and its cancellation; child tasks that it starts
  /// run on the threads too.
  package func run<Result: Sendable, Failure: Error>(
    _ work: @concurrent @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard count > 0 else { return try await work() }
    return try await withTaskExecutorPreference(self, operation: work)
  }

  /// The executor for tasks that are made to run here; nil where there are no threads.
  package var preference: (any TaskExecutor)? { count > 0 ? self : nil }

  /// Lets everyone who waits for a thread go first; called between two steps of some work.
  package func turn() async {
    guard count > 0 else { return await Task.yield() }
    guard condition.withLock({ !state.isEmpty }) else { return }
    await withUnsafeContinuation { add(.turn($0)) }
  }

  package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  private func add(_ waiting: Waiting) {
    condition.lock()
    defer { condition.unlock() }
    state.queue.append(waiting)
    // Idle threads that were woken count as idle until they have found their job.
    if state.idleCount >= state.queue.count - state.head {
      condition.signal()
    } else if state.threadCount < count {
      state.threadCount += 1
      startThread()
    } else {
      condition.signal()
    }
  }

  private func startThread() {
    #if !os(WASI)
      let thread = Thread {
        Thread.current.name = "Espalier"
        Thread.current.threadDictionary[Self.mark] = true
        self.work()
      }
      thread.stackSize = Self.stackSize
      thread.start()
    #endif
  }

  private func work() {
    while let next = next() {
      switch next {
      case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      // The task comes back as a job, at the end of the queue.
      case .turn(let continuation): continuation.resume()
      }
    }
  }

  /// What is to be done next; nil where the thread is to end.
  private func next() -> Waiting? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let next = state.next() { return next }
      state.idleCount += 1
      let isWoken = condition.wait(until: Date(timeIntervalSinceNow: Self.patience))
      state.idleCount -= 1
      if !isWoken, state.isEmpty {
        state.threadCount -= 1
        return nil
      }
    }
  }
}
