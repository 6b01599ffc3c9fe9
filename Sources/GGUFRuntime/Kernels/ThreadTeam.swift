import Synchronization

#if canImport(Dispatch)
  import Dispatch
#endif

/// Shares rows of a product between threads.
///
/// Nobody spins: the threads are those of the system's pool, a thread that is late finds its share
/// taken by the others, and on a busy machine the caller does the work alone.
package struct ThreadTeam: Sendable {
  /// The greatest number of threads, the caller's included.
  let count: Int

  init(count: Int) { self.count = max(1, count) }

  /// Calls a closure with ranges that make up `0..<total`, on several threads where it pays.
  ///
  /// - Parameter size: How long a range is; chosen where nil.
  func forEachRange(
    of total: Int, costOfOne: Int, size: Int? = nil, _ body: (Range<Int>) -> Void
  ) {
    // Below that many multiplications, which take a tenth of a millisecond, waking a thread costs
    // about what it saves.
    guard count > 1, total > 0, costOfOne > 600_000 / total else { return body(0..<total) }
    #if canImport(Dispatch)
      let size = size ?? max(8, total / (count * 4))
      let next = Atomic(0)
      // The closure ends before this call does.
      withoutActuallyEscaping(body) { body in
        nonisolated(unsafe) let body = body
        DispatchQueue.concurrentPerform(iterations: count) { _ in
          while true {
            let start = next.add(size, ordering: .relaxed).oldValue
            guard start < total else { return }
            body(start..<min(total, start + size))
          }
        }
      }
    #else
      body(0..<total)
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
    ThreadTeam(count: 2).forEachRange(of: 2, costOfOne: .max / 2, size: 1) { range in
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
    let (one, two) = results.withLock { $0 }
    return (one ?? attempt(first), two ?? attempt(second))
  }
}
