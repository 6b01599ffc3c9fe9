// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One answer of a server, written to the end of a file as it arrives.
///
/// A download that was stopped goes on with a range (RFC 9110, section 14) where the server says that
/// the file is still the same one (`If-Range` with its strong `ETag`); otherwise it begins anew.
struct FileDownload {
  let source: PublishedFile
  /// Where the bytes go.
  let target: URL
  /// Where the file will be, for people who have to fetch it themselves.
  let destination: String
  /// How many seconds the server may say nothing.
  let silenceLimit: Double
  /// Called with the number of bytes that are there, and of all, where the server says it.
  let progress: @Sendable (Int, Int?) -> Void

  /// The file beside the bytes that says which version they are of.
  private var version: URL { target.appendingPathExtension("version") }

  /// Downloads what is missing.
  ///
  /// - Throws: ``FileFetchError``, `CancellationError`, or what the file system throws.
  func run() async throws {
    let files = FileManager.default
    var known = try? String(contentsOf: version, encoding: .utf8)
    if known == nil || !files.fileExists(atPath: target.path) {
      known = nil
      guard files.createFile(atPath: target.path, contents: nil) else {
        throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: target.path])
      }
    }
    let handle = try FileHandle(forWritingTo: target)
    let start = Int(try handle.seekToEnd())
    var request = URLRequest(url: source.url, timeoutInterval: silenceLimit)
    // A range counts the bytes of the file, so that they may not be packed.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let known, start > 0 {
      request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range")
      request.setValue(known, forHTTPHeaderField: "If-Range")
    }
    let writer = DownloadWriter(self, handle: handle, start: start)
    let session = URLSession(configuration: .ephemeral, delegate: writer, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: request)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        writer.begin(continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Makes sure that the disk has room for bytes, where the system says how much it has: a download
  /// that fills it would stop the user's other programs, too.
  fileprivate func checkRoom(for count: Int) throws {
    let folder = target.deletingLastPathComponent().path
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let available = (attributes?[.systemFreeSize] as? NSNumber)?.intValue,
      count > available
    else { return }
    throw FileFetchError.noSpace(path: destination, needed: count, available: available)
  }

  /// Keeps the version of the bytes that follow; none where the server does not name one exactly.
  fileprivate func keep(version tag: String?) throws {
    if let tag, tag.hasPrefix("\"") {
      try Data(tag.utf8).write(to: version)
    } else if FileManager.default.fileExists(atPath: version.path) {
      try FileManager.default.removeItem(at: version)
    }
  }
}

/// Writes what arrives.
private final class DownloadWriter: NSObject, URLSessionDataDelegate {
  private struct State {
    var continuation: CheckedContinuation<Void, any Error>?
    var handle: FileHandle
    var completed: Int
    var total: Int?
    /// What is wrong with the answer, which then is not read any further.
    var problem: (any Error)?
    var kind = "something else"
  }

  private let download: FileDownload
  private let state: Mutex<State>

  init(_ download: FileDownload, handle: sending FileHandle, start: Int) {
    self.download = download
    state = Mutex(State(handle: handle, completed: start))
  }

  func begin(_ continuation: CheckedContinuation<Void, any Error>) {
    state.withLock { $0.continuation = continuation }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isRight = state.withLock { state in
      do {
        try read(response, &state)
        return true
      } catch {
        state.problem = error
        return false
      }
    }
    completionHandler(isRight ? .allow : .cancel)
  }

  private func read(_ response: URLResponse, _ state: inout State) throws {
    guard let response = response as? HTTPURLResponse else { return }
    state.kind = response.mimeType ?? state.kind
    switch response.statusCode {
    case 206:
      // The rest is what was asked for.
      let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
      guard range.hasPrefix("bytes \(state.completed)-") else {
        // The next time it begins anew, or it would end here again.
        try download.keep(version: nil)
        throw interruption(state, "the server sent '\(range)'")
      }
      state.total = Self.size(response)
      if let total = state.total { try download.checkRoom(for: max(0, total) - state.completed) }
    case 200...299:
      try state.handle.truncate(atOffset: 0)
      state.completed = 0
      state.total = response.expectedContentLength > 0 ? Int(response.expectedContentLength) : nil
      try download.keep(version: response.value(forHTTPHeaderField: "ETag"))
      if let total = state.total { try download.checkRoom(for: total) }
    case 416 where Self.size(response) == state.completed:
      // There is nothing after what is there.
      throw Whole()
    default:
      throw FileFetchError.refused(
        url: download.source.url.absoluteString, status: response.statusCode,
        file: download.destination)
    }
  }

  /// The size of the whole file: `bytes 200-999/1000`, `bytes */1000`.
  private static func size(_ response: HTTPURLResponse) -> Int? {
    response.value(forHTTPHeaderField: "Content-Range")?.split(separator: "/").last
      .flatMap { Int($0) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isRight = state.withLock { state in
      guard state.problem == nil else { return false }
      do {
        if state.completed == 0, !data.starts(with: Array("GGUF".utf8).prefix(data.count)) {
          throw FileFetchError.notAModel(
            url: download.source.url.absoluteString, kind: state.kind)
        }
        try state.handle.write(contentsOf: data)
        state.completed += data.count
        download.progress(state.completed, state.total)
        return true
      } catch {
        state.problem = error
        return false
      }
    }
    if !isRight { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let (continuation, result) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.continuation, Result<Void, any Error> { try end(state, error) })
    }
    continuation?.resume(with: result)
  }

  private func end(_ state: State, _ error: (any Error)?) throws {
    try state.handle.close()
    if state.problem is Whole { return }
    if let problem = state.problem { throw problem }
    if let error {
      if (error as? URLError)?.code == .cancelled { throw CancellationError() }
      throw interruption(state, Self.words(error))
    }
    guard state.total ?? state.completed == state.completed else {
      throw interruption(state, "the connection ended")
    }
  }

  /// Foundation on Linux has no more than a number for a connection that ended or fell silent.
  private static func words(_ error: any Error) -> String {
    (error as? URLError)?.code == .timedOut
      ? "the connection ended, or nothing more came in time" : error.localizedDescription
  }

  private func interruption(_ state: State, _ reason: String) -> FileFetchError {
    .interrupted(
      url: download.source.url.absoluteString, reason: reason, completed: state.completed)
  }

  /// All was there before.
  private struct Whole: Error {}
}
