// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What comes of a request, in order: one head, then pieces of the body.
enum HTTPPart: Sendable {
  case head(HTTPHead)
  case body([UInt8])
}

/// The status and the header fields of an answer.
struct HTTPHead: Sendable {
  var status: Int
  private var fields: [String: String]

  init(status: Int, fields: [String: String]) {
    self.status = status
    self.fields = fields
  }

  init(_ response: HTTPURLResponse) {
    status = response.statusCode
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String {
        fields[name.lowercased()] = value
      }
    }
    self.fields = fields
  }

  /// The value of a field, whatever the case of its name.
  subscript(name: String) -> String? { fields[name.lowercased()] }
}

/// A request that was sent.
struct HTTPExchange: Sendable {
  /// The answer; letting go of it closes the connection.
  let parts: AsyncThrowingStream<HTTPPart, any Error>
  /// Says that nothing more of the answer is wanted, and that it is about to end: the connection is
  /// kept for the next request, where the answer does end soon.
  let letEnd: @Sendable () -> Void
}

/// Requests over `URLSession`, whose answers come piece by piece as they arrive.
///
/// `URLSession.bytes` does not exist on Linux, so a delegate hands the pieces on. When the stream of
/// an answer is let go of (its task is cancelled, or the value has ended), the connection is closed.
final class HTTPClient: Sendable {
  private let relay: HTTPRelay
  private let session: URLSession

  convenience init(
    idleTimeout: TimeInterval, configure: (URLSessionConfiguration) -> Void = { _ in }
  ) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = idleTimeout
    // A stream keeps its connection for its whole length: with the default of 6, the seventh waits.
    configuration.httpMaximumConnectionsPerHost = 1024
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configure(configuration)
    self.init(configuration)
  }

  /// A client with connections of its own, made as those of another.
  convenience init(like client: HTTPClient) { self.init(client.session.configuration) }

  private init(_ configuration: URLSessionConfiguration) {
    relay = HTTPRelay()
    session = URLSession(configuration: configuration, delegate: relay, delegateQueue: nil)
  }

  deinit {
    // The session keeps its delegate until it is told to end.
    session.invalidateAndCancel()
  }

  /// The number of answers that are under way.
  var openCount: Int { relay.openCount }

  /// Takes a connection that waits for a request (``IdleConnections/take(_:afterStreams:)``).
  func takeIdleConnection(_ url: URL?, afterStreams: Bool) -> Bool {
    relay.idle.take(url, afterStreams: afterStreams)
  }

  /// Sends a request.
  ///
  /// - Parameter limit: How many bytes of the answer are taken from the network, read or not: a
  ///   server can send faster than its answer is read. The piece that goes beyond is the last one.
  /// - Parameter onEnd: Called once, when nobody waits for more of the answer.
  /// - Returns: The answer, which ends with an error where the connection does.
  func send(
    _ request: URLRequest, limit: Int, onEnd: @escaping @Sendable () -> Void = {}
  ) -> HTTPExchange {
    // It takes the connection that waits, if there is one.
    _ = relay.idle.take(request.url, afterStreams: true)
    let task = session.dataTask(with: request)
    let parts = AsyncThrowingStream<HTTPPart, any Error> { continuation in
      relay.open(task, continuation, limit: limit)
      continuation.onTermination = { [relay] _ in
        if relay.close(task) { task.cancel() }
        onEnd()
      }
      task.resume()
    }
    return HTTPExchange(parts: parts) { [relay] in relay.keepOpen(task) }
  }

  /// Sends a request, and waits for all of its answer.
  ///
  /// - Parameter limit: The greatest number of bytes that are read; the rest is left out.
  func collect(_ request: URLRequest, limit: Int = 8 << 20) async throws -> (HTTPHead, [UInt8]) {
    var head = HTTPHead(status: 0, fields: [:])
    var body: [UInt8] = []
    for try await part in send(request, limit: limit).parts {
      switch part {
      case .head(let new): head = new
      case .body(let bytes):
        body += bytes.prefix(limit - body.count)
        if body.count >= limit { return (head, body) }
      }
    }
    try Task.checkCancellation()
    return (head, body)
  }
}

/// Empty: the session holds the requests that are under way, and these hold the key.
extension HTTPClient: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Hands the pieces of answers to those who wait for them.
private final class HTTPRelay: NSObject, URLSessionDataDelegate {
  typealias Continuation = AsyncThrowingStream<HTTPPart, any Error>.Continuation

  /// An answer that is under way.
  private struct Answer {
    /// Who waits for it; nobody where it is about to end.
    var continuation: Continuation?
    /// How many bytes may still come.
    var room: Int
  }

  private let open = Mutex<[Int: Answer]>([:])
  let idle = IdleConnections()

  var openCount: Int { open.withLock { $0.count } }

  func open(_ task: URLSessionTask, _ continuation: Continuation, limit: Int) {
    open.withLock {
      $0[task.taskIdentifier] = Answer(continuation: continuation, room: max(0, limit))
    }
  }

  /// Lets go of a task; whether its connection is to be closed.
  func close(_ task: URLSessionTask) -> Bool {
    open.withLock { open in
      guard open[task.taskIdentifier]?.continuation != nil else { return false }
      open[task.taskIdentifier] = nil
      return true
    }
  }

  /// Lets a task end by itself, within two seconds.
  func keepOpen(_ task: URLSessionTask) {
    let isOpen = open.withLock { open in
      guard open[task.taskIdentifier] != nil else { return false }
      open[task.taskIdentifier]?.continuation = nil
      return true
    }
    guard isOpen else { return }
    Task {
      for _ in 0..<20 {
        try? await Task.sleep(for: .milliseconds(100))
        if open.withLock({ $0[task.taskIdentifier] == nil }) { return }
      }
      end(task)
      task.cancel()
    }
  }

  private func end(_ task: URLSessionTask) {
    open.withLock { $0[task.taskIdentifier] = nil }
  }

  private func continuation(_ task: URLSessionTask) -> Continuation? {
    open.withLock { $0[task.taskIdentifier]?.continuation }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      continuation(dataTask)?.yield(.head(HTTPHead(response)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let (continuation, isTooMuch) = open.withLock { open in
      guard var answer = open[dataTask.taskIdentifier] else { return (nil as Continuation?, true) }
      answer.room -= data.count
      open[dataTask.taskIdentifier] = answer
      return (answer.continuation, answer.room < 0)
    }
    continuation?.yield(.body(Array(data)))
    guard isTooMuch else { return }
    end(dataTask)
    continuation?.finish()
    dataTask.cancel()
  }

  /// A redirection is not followed: it would carry the prompt, and the key, to another address.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let continuation = continuation(task)
    end(task)
    if error == nil { idle.put(task) }
    if let error {
      continuation?.finish(throwing: task.response == nil ? error : Self.endedEarly(error))
    } else {
      continuation?.finish()
    }
  }

  /// The error for a connection that ends after the head of an answer: systems differ in what they
  /// call it, and on Linux it is the same as for a server that is not there.
  private static func endedEarly(_ error: any Error) -> any Error {
    switch (error as? URLError)?.code {
    case nil, .cancelled?, .timedOut?: error
    default: URLError(.networkConnectionLost)
    }
  }
}
