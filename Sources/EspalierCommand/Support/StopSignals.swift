// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The signals that ask a process to end, as they come. As long as somebody holds this they end nothing
/// themselves.
final class StopSignals {
  private var numbers: AsyncStream<Int32>.Iterator
  #if !os(Windows)
    private let sources: [any DispatchSourceSignal]
  #endif

  /// Returns once no signal is missed any more: the system is told in the background, and until then
  /// a signal ends the process as ever.
  init() async {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    numbers = stream.makeAsyncIterator()
    #if !os(Windows)
      let watched = [SIGTERM, SIGINT]
      let (registrations, registered) = AsyncStream<Void>.makeStream()
      sources = watched.map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield(number) }
        source.setRegistrationHandler {
          // Dispatch's own handler on Linux stays; elsewhere the signal would end the process too.
          #if canImport(Darwin)
            signal(number, SIG_IGN)
          #endif
          registered.yield()
        }
        source.resume()
        return source
      }
      var left = registrations.makeAsyncIterator()
      for _ in watched { await left.next(isolation: #isolation) }
    #endif
  }

  /// The next signal; nil once the task is cancelled.
  func next() async -> Int32? { await numbers.next(isolation: #isolation) }
}
