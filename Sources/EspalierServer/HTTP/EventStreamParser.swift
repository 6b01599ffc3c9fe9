// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Cuts the bytes of a streamed answer into its events, wherever the network has split them.
///
/// Two framings are read. *Server-sent events*: fields on lines, an empty line ends an event, lines
/// that begin with a colon are comments. *Lines*: every line is an event (Ollama's native route).
///
/// Example: the pieces `da`, `ta: {"a"`, `:1}\n`, `\n: ping\n\nda`, `ta: [DONE]\n\n` are the events
/// `{"a":1}` and `[DONE]`. A line may end with `\n`, `\r\n` or `\r`; of `\r\n` that a split tears
/// apart, the second half is no line of its own.
///
/// Servers are read as they are: an event that the end of the stream cuts off before its empty line
/// counts, and so does a bare JSON object on a line, which some servers write in place of an event
/// when they fail.
package struct EventStreamParser: Sendable {
  /// How events are told apart.
  package enum Framing: Sendable, Hashable {
    /// Server-sent events.
    case serverSentEvents
    /// A line for each event.
    case lines
  }

  /// One event.
  package struct Event: Sendable, Equatable {
    /// What the server calls the event; empty where it says nothing.
    package var name: String
    /// The data: lines of one event are joined by a line feed.
    package var data: String
  }

  /// An event that is longer than any that a server of models sends.
  package struct TooLong: Error, Equatable {
    /// The greatest number of bytes.
    package var limit: Int
  }

  private let framing: Framing
  private let limit: Int
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var name = ""
  private var hasData = false
  private var skipsLineFeed = false
  private var isAtStart = true

  /// Starts a stream.
  ///
  /// - Parameters:
  ///   - framing: How events are told apart.
  ///   - limit: The greatest number of bytes of an event.
  package init(_ framing: Framing = .serverSentEvents, limit: Int = 16 << 20) {
    self.framing = framing
    self.limit = limit
  }

  /// Reads some more bytes.
  ///
  /// - Returns: The events that end in them.
  /// - Throws: ``TooLong`` where an event has more bytes than the limit.
  /// - Complexity: Linear in the bytes.
  package mutating func append(_ bytes: [UInt8]) throws(TooLong) -> [Event] {
    var events: [Event] = []
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte == 0x0A || byte == 0x0D else {
        skipsLineFeed = false
        continue
      }
      if byte == 0x0A, skipsLineFeed {
        skipsLineFeed = false
        start = index + 1
        continue
      }
      skipsLineFeed = byte == 0x0D
      line.append(contentsOf: bytes[start..<index])
      start = index + 1
      if let event = endLine() { events.append(event) }
    }
    line.append(contentsOf: bytes[start...])
    guard line.count <= limit, data.count <= limit else { throw TooLong(limit: limit) }
    return events
  }

  /// Ends the stream.
  ///
  /// - Returns: The event that was cut off, where there is one.
  package mutating func finish() -> Event? {
    if !line.isEmpty, let event = endLine() { return event }
    return endEvent()
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    if framing == .lines {
      guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
      return Event(name: "", data: String(decoding: line, as: UTF8.self))
    }
    guard let first = line.first else { return endEvent() }
    if first == UInt8(ascii: ":") { return nil }
    if first == UInt8(ascii: "{") {
      return Event(name: name, data: String(decoding: line, as: UTF8.self))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    var value = line[min(colon + 1, line.count)...]
    if value.first == 0x20 { value.removeFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      if hasData { data.append(0x0A) }
      data.append(contentsOf: value)
      hasData = true
    case "event": name = String(decoding: value, as: UTF8.self)
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> Event? {
    defer {
      data.removeAll(keepingCapacity: true)
      hasData = false
      name = ""
    }
    guard hasData else { return nil }
    return Event(name: name, data: String(decoding: data, as: UTF8.self))
  }
}
