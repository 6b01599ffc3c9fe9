// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// What Embedded Swift's library lacks and the engine uses, as far as one thread needs it. WASI, watchOS
// and Android have the library's own.

struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let value: UnsafeMutablePointer<Value>

  init(_ value: consuming sending Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result { try body(&value.pointee) }

  borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? { try body(&value.pointee) }
}

/// Time stands still.
struct ContinuousClock {
  struct Instant: Comparable {
    var sinceStart = Duration.zero

    static func < (left: Self, right: Self) -> Bool { left.sinceStart < right.sinceStart }
    static func + (left: Self, right: Duration) -> Self {
      Self(sinceStart: left.sinceStart + right)
    }
  }

  static var now: Instant { Instant() }
}

@propertyWrapper struct TaskLocal<Value: Sendable>: Sendable {
  var wrappedValue: Value
  var projectedValue: Self { self }

  func withValue<Result>(_ value: Value, operation: () throws -> Result) rethrows -> Result {
    try operation()
  }
}

extension String {
  func contains(_ part: String) -> Bool {
    let (all, part) = (Array(utf8), Array(part.utf8))
    return all.indices.contains { all[$0...].starts(with: part) }
  }
}
