// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Memory that the matrices of a model share, one behind the other, in the order in which they are read.
///
/// A step of a model reads all of its weights. In pages of 4 kB that is more than any processor knows
/// the places of; so Linux is asked for pages of 2 MB.
///
/// Invariants of the unsafe memory: allocated in `init`, given out once, and freed when the last matrix
/// lets go of it.
final class WeightMemory: Sendable {
  nonisolated(unsafe) private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  /// How many bytes are given out; written by who builds the model, before it is shared.
  nonisolated(unsafe) private var used = 0

  private static var pageBytes: Int { 2 << 20 }

  private init(byteCount: Int) {
    self.byteCount = byteCount
    base = .allocate(byteCount: byteCount, alignment: Self.pageBytes)
    #if os(Linux) || os(Android)
      madvise(base, byteCount, 14)  // MADV_HUGEPAGE; where the system does not know it, nothing.
    #endif
  }

  deinit { base.deallocate() }

  /// Gives out bytes, aligned to 64, of `memory` where it has as many, else of new memory.
  static func allocate(
    byteCount: Int, in memory: inout WeightMemory?
  ) -> (WeightMemory, UnsafeMutableRawPointer) {
    let needed = (byteCount + 63) / 64 * 64
    if let memory, memory.byteCount - memory.used >= needed { return (memory, memory.take(needed)) }
    // What is not written to takes no memory, but for the rest of a page.
    let size = max(needed, 64 << 20)
    let new = WeightMemory(
      byteCount: (size + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes)
    memory = new
    return (new, new.take(needed))
  }

  private func take(_ needed: Int) -> UnsafeMutableRawPointer {
    defer { used += needed }
    return base + used
  }
}
