// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// A file that only grows: a line that says what it is, and records.
//
//     espalier conversations 1\n
//     │ E5 52 4C 0A │ length │ CRC-32 │ payload … │ 0A │ E5 52 4C 0A │ …
//
// Numbers have four bytes, the lowest first. The payload is JSON on one line, in UTF-8, where E5 is
// never followed by 52: a marker stands nowhere but at the beginning of a record. So the last records
// are found from the end of a file without reading the rest.
//
// A record that was being written when the process was killed is a beginning of one, at the end of
// the file, without the line feed that ends a record. It was never acknowledged: readers stop before
// it, and the next writer cuts it off. Anything else that is not a record is damage: an error, after
// which nothing of the file is changed.
//
// Example: in a file of 1,000 bytes the record at byte 868 has a payload of 300 bytes. Byte 999 is no
// line feed: 120 bytes of the payload were written when the writer was killed, and the next one goes
// on at byte 868. Were byte 999 a line feed, a whole record would have lost its length: damage.

/// Reads the records of a file that only grows.
struct RecordLog {
  static let version = 1
  static let header = Array("espalier conversations \(version)\n".utf8)
  static let marker: [UInt8] = [0xE5, 0x52, 0x4C, 0x0A]
  /// What ends a record; a payload has none.
  static let end = UInt8(ascii: "\n")
  /// The bytes of a record before its payload.
  static let frameSize = 12
  /// No payload is greater: a length beyond it is damage.
  static let payloadLimit = 1 << 30

  /// What stands at some place of a file.
  enum Found {
    case record(payload: Range<Int>)
    /// The beginning of a record that was not acknowledged.
    case unfinished
    case damage(String)
  }

  /// A record with its frame.
  static func record(_ payload: [UInt8]) -> [UInt8] {
    var bytes = marker
    bytes.reserveCapacity(frameSize + payload.count + 1)
    bytes += littleEndian(UInt32(truncatingIfNeeded: payload.count))
    bytes += littleEndian(CRC32.checksum(payload[...]))
    return bytes + payload + [end]
  }

  /// What stands at a place of some bytes that go on to the end of the file.
  static func find(at start: Int, in bytes: [UInt8]) -> Found {
    let rest = bytes.count - start
    guard rest > frameSize else {
      let isBeginning = zip(bytes[start...], marker).allSatisfy { $0 == $1 }
      return isBeginning || isUnwritten(bytes[start...])
        ? .unfinished : .damage("Expected a record.")
    }
    guard Array(bytes[start..<start + 4]) == marker else {
      return isUnwritten(bytes[start...]) ? .unfinished : .damage("Expected a record.")
    }
    let length = Int(number(in: bytes, at: start + 4))
    let payload = start + frameSize..<start + frameSize + length
    let isRecord =
      length <= payloadLimit && payload.upperBound < bytes.count
      && bytes[payload.upperBound] == end
      && CRC32.checksum(bytes[payload]) == number(in: bytes, at: start + 8)
    if isRecord { return .record(payload: payload) }
    // Nobody writes behind half a record, and half a record has no end.
    let isLast = firstMarker(in: bytes, from: start + frameSize) == nil
    return isLast && bytes.last != end
      ? .unfinished : .damage("A record does not have its length and its checksum.")
  }

  /// Whether bytes are those of a file that grew without being written, as after a power failure.
  private static func isUnwritten(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == 0 }
  }

  static func firstMarker(in bytes: [UInt8], from start: Int) -> Int? {
    var at = start
    while at + 4 <= bytes.count {
      if bytes[at] == marker[0], bytes[at + 1] == marker[1], bytes[at + 2] == marker[2],
        bytes[at + 3] == marker[3]
      {
        return at
      }
      at += 1
    }
    return nil
  }

  static func number(in bytes: [UInt8], at start: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }
}

/// The checksum of Ethernet and ZIP (ISO-HDLC).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { crc, _ in
      crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1
    }
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc = UInt32.max
    table.withUnsafeBufferPointer { table in
      bytes.withUnsafeBufferPointer { bytes in
        for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
      }
    }
    return ~crc
  }
}
