// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The jobs of all tasks wait in one queue, first come, first served. A task that computes in steps
// calls `turn` between two of them: where other jobs wait, it goes to the end of the queue.
//
//     two threads, tasks A B C       queue
//     A and B take a step            C
//     A calls `turn`                 C A
//     the first thread takes C       A
//
// A thread is started when a job finds no idle one, and ends when it has had nothing to do for some
// seconds.

#if !(os(WASI) || ESPALIER_WITHOUT_THREADS)
  import Foundation

  /// Threads that run the jobs of tasks, as a task executor.
  final class ThreadPool: TaskExecutor {
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

    private let count: Int
    /// How long a thread waits for another job before it ends.
    private static let patience: TimeInterval = 5
    /// What a thread has for its stack, in bytes: as much as the main thread of some platforms.
    private static let stackSize = 2 << 20

    /// What the threads are known by.
    private static let mark = "espalier.compute"

    private let condition = NSCondition()
    /// Read and written under `condition` alone.
    nonisolated(unsafe) private var state = State()

    /// - Parameter count: The greatest number of threads; at least one.
    init(count: Int) { self.count = max(1, count) }

    static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

    var waitingCount: Int { condition.withLock { state.queue.count - state.head } }

    /// Lets everyone who waits go first: the task comes back at the end of the queue.
    func turn() async {
      guard condition.withLock({ !state.isEmpty }) else { return }
      await withUnsafeContinuation { add(.turn($0)) }
    }

    func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

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
      let thread = Thread {
        Thread.current.name = "Espalier"
        Thread.current.threadDictionary[Self.mark] = true
        self.work()
      }
      thread.stackSize = Self.stackSize
      thread.start()
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
#endif
