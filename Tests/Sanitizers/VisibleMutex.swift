import Glibc

/// The interface of the standard library's `Mutex`, over a lock of POSIX: the thread sanitizer sees who
/// hands it to whom, which on Linux it does not see of the standard library's own.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let value: UnsafeMutablePointer<Value>
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  public init(_ value: consuming sending Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deinitialize(count: 1).deallocate()
    value.deinitialize(count: 1).deallocate()
  }

  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}

/// The part of the standard library's `Atomic<Int>` that the sources use, over the same lock.
public struct Atomic: ~Copyable, Sendable {
  public enum Ordering { case relaxed }

  private let value: Mutex<Int>

  public init(_ value: Int) { self.value = Mutex(value) }

  @discardableResult
  public borrowing func add(
    _ operand: Int, ordering: Ordering
  ) -> (oldValue: Int, newValue: Int) {
    value.withLock { value in
      value += operand
      return (value - operand, value)
    }
  }
}
