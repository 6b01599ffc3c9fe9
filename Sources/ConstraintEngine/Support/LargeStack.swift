// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// A stack that is large enough for what a schema nests.
///
/// The main thread mostly has 8 MB, but what runs in a task may have 512 KB (on Apple's platforms) or
/// less, and a level of a schema takes up to 16 KB. Recursion over schema levels is counted. Past a
/// fixed depth it continues on a thread with a larger stack, while its own thread waits. That takes
/// some 20 µs; the stack's memory is taken as it is used.
///
/// Where no thread can be had (Windows, WASI, a process at its limit) the recursion does not go on:
/// the caller reports a limit, as it does beyond `CompilationOptions.Limits.depth`. To go on with the
/// stack that is left would end the process where that is small.
enum LargeStack {
  /// Whether threads are asked for; tests see what happens without them.
  @TaskLocal static var isAvailable = true

  /// What to say where there is no thread: after what nests, and before what to do about it.
  static let absence = "and there is no thread with a larger stack here"

  /// What a level takes at most, in bytes, and as much again.
  private static let bytesPerLevel = 32 << 10
  /// What there is at least, and what is asked for at most.
  private static let bounds = 1 << 20...1 << 30

  /// The result of some work, done where there is room for it.
  ///
  /// - Parameter levels: the most levels that the work goes through.
  /// - Returns: The result, nil where no thread could be had.
  static func run<Result>(levels: Int, _ work: () -> Result) -> Result? {
    guard isAvailable else { return nil }
    let size =
      levels > bounds.upperBound / bytesPerLevel
      ? bounds.upperBound : max(bounds.lowerBound, levels * bytesPerLevel)
    var result: Result?
    withoutActuallyEscaping(
      { result = work() }, do: { start(Work(body: $0), stackSize: size) })
    return result
  }

  private final class Work {
    let body: () -> Void

    init(body: @escaping () -> Void) { self.body = body }

    static func perform(_ argument: UnsafeMutableRawPointer?) {
      guard let argument else { return }
      Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().body()
    }
  }

  /// Does the work in a thread of its own, unless none can be had.
  private static func start(_ work: Work, stackSize: Int) {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      var attributes = pthread_attr_t()
      guard pthread_attr_init(&attributes) == 0 else { return }
      defer { pthread_attr_destroy(&attributes) }
      guard pthread_attr_setstacksize(&attributes, stackSize) == 0 else { return }
      let work = Unmanaged.passRetained(work)
      defer { work.release() }
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let code = pthread_create(
        &thread, &attributes,
        { argument in
          Work.perform(argument)
          return argument
        }, work.toOpaque())
      #if canImport(Darwin)
        if code == 0, let thread { pthread_join(thread, nil) }
      #else
        if code == 0 { pthread_join(thread, nil) }
      #endif
    #endif
  }
}
