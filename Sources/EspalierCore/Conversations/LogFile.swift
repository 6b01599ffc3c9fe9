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

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)

  /// A file of records that is open for one operation.
  struct LogFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// How many bytes the file had when it was opened.
    let size: Int

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - writes: Whether it is written; then it is made where it is not there.
    /// - Returns: nil where it is not there.
    /// - Throws: ``ConversationStoreError``.
    static func open(_ path: String, writes: Bool) throws -> LogFile? {
      let flags = (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC
      let descriptor = systemOpen(path, flags)
      if descriptor < 0 {
        if errno == ENOENT, !writes { return nil }
        throw systemError(writes ? .cannotWrite : .cannotRead, path)
      }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw ConversationStoreError(
          .cannotRead, place: path, problem: "This is not a regular file.",
          suggestion: "Choose another folder.")
      }
      return LogFile(descriptor: descriptor, path: path, size: Int(status.st_size))
    }

    deinit { close(descriptor) }

    // MARK: Reading

    /// The bytes from a place to the end.
    func bytes(from start: Int) throws -> [UInt8] {
      let count = max(0, size - start)
      // The standard library writes the count of no bytes to what all empty arrays share: harmless,
      // and a report of the thread sanitizer.
      guard count > 0 else { return [] }
      var found = 0
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        while found < count, let base = buffer.baseAddress {
          let step = pread(descriptor, base + found, count - found, off_t(start + found))
          if step < 0, errno == EINTR { continue }
          if step < 0 { failure = errno }
          guard step > 0 else { break }
          found += step
        }
        initialized = found
      }
      errno = failure
      guard failure == 0 else { throw Self.systemError(.cannotRead, path) }
      return bytes
    }

    /// Records at the end of a file, and where the last one ends.
    struct Tail {
      var payloads: [[UInt8]] = []
      /// The end of the last whole record; 0 where not even the header is whole.
      var end = 0
    }

    /// The last records: `count` of them, or more, or all.
    ///
    /// - Throws: ``ConversationStoreError`` where the file is damaged or of another version.
    /// - Complexity: Linear in the size of the records that are returned.
    func tail(_ count: Int) throws -> Tail {
      var window = count < 1_000 ? 16 << 10 : Int.max
      while true {
        let start = window < size ? size - window : 0
        if let tail = try tail(count, from: start) { return tail }
        window = window > size / 4 ? .max : window * 4
      }
    }

    /// The records of a part that reaches to the end; nil where it holds fewer than are wanted.
    private func tail(_ count: Int, from start: Int) throws -> Tail? {
      let bytes = try bytes(from: start)
      guard start > 0 else {
        guard try hasHeader(bytes) else { return Tail() }
        return try records(in: bytes, from: RecordLog.header.count, of: 0)
      }
      // What looks like a beginning may be none: the whole file says.
      guard let first = RecordLog.firstMarker(in: bytes, from: 0),
        let tail = try? records(in: bytes, from: first, of: start)
      else { return nil }
      return tail.payloads.count >= count ? tail : nil
    }

    /// The records from a place at which one begins.
    func records(from start: Int) throws -> Tail {
      try records(in: bytes(from: start), from: 0, of: start)
    }

    private func records(in bytes: [UInt8], from first: Int, of start: Int) throws -> Tail {
      var at = first
      var tail = Tail(end: start + at)
      while at < bytes.count {
        switch RecordLog.find(at: at, in: bytes) {
        case .record(let payload):
          tail.payloads.append(Array(bytes[payload]))
          at = payload.upperBound + 1
          tail.end = start + at
        case .unfinished: return tail
        case .damage(let problem):
          throw ConversationStoreError(
            .damaged, place: path, problem: "Damaged at byte \(start + at). \(problem)",
            suggestion: "Put a copy in its place that was saved whole, or move it away.")
        }
      }
      return tail
    }

    /// Whether the file begins as it must; not where it ends within its header, as one does whose
    /// writer was killed.
    private func hasHeader(_ bytes: [UInt8]) throws -> Bool {
      let header = RecordLog.header
      if bytes.starts(with: header) { return true }
      if header.starts(with: bytes) || bytes.allSatisfy({ $0 == 0 }) { return false }
      let words = header.prefix { $0 != UInt8(ascii: "1") }
      let version =
        bytes.starts(with: words)
        ? Int(
          String(
            decoding: bytes.dropFirst(words.count).prefix { $0 != UInt8(ascii: "\n") }.prefix(9),
            as: UTF8.self)) : nil
      guard let version, version > RecordLog.version else {
        throw ConversationStoreError(
          .damaged, place: path, problem: "This is no file of conversations.",
          suggestion: "Put a copy in its place that was saved whole, or move it away.")
      }
      throw ConversationStoreError(
        .newerVersion, place: path,
        problem: "It has version \(version), and this package reads \(RecordLog.version).",
        suggestion: "Update the app.")
    }

    // MARK: Writing

    /// Adds a record, and returns once it is on the disk.
    ///
    /// - Throws: ``ConversationStoreError``; then the file is as it was before.
    func append(_ payload: [UInt8]) throws {
      let end = try tail(1).end
      if end < size { try truncate(to: end) }
      let record = RecordLog.record(payload)
      do {
        try write(end == 0 ? RecordLog.header + record : record, at: end)
        try synchronize()
      } catch {
        try? truncate(to: end)
        throw error
      }
    }

    private func write(_ bytes: [UInt8], at start: Int) throws {
      var written = 0
      while written < bytes.count {
        let step = bytes.withUnsafeBytes { buffer in
          pwrite(
            descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written,
            off_t(start + written))
        }
        if step < 0, errno == EINTR { continue }
        guard step > 0 else { throw Self.systemError(.cannotWrite, path) }
        written += step
      }
    }

    private func truncate(to size: Int) throws {
      guard ftruncate(descriptor, off_t(size)) == 0 else {
        throw Self.systemError(.cannotWrite, path)
      }
    }

    private func synchronize() throws {
      #if canImport(Darwin)
        // `fsync` leaves bytes in the drive's own memory there.
        let isDone = fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
      #else
        let isDone = fdatasync(descriptor) == 0
      #endif
      guard isDone else { throw Self.systemError(.cannotWrite, path) }
    }

    // MARK: The system

    private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
      #if canImport(Darwin)
        Darwin.open(path, flags, 0o600)
      #elseif canImport(Glibc)
        Glibc.open(path, flags, 0o600)
      #elseif canImport(Musl)
        Musl.open(path, flags, 0o600)
      #else
        Android.open(path, flags, 0o600)
      #endif
    }

    static func systemError(
      _ kind: ConversationStoreError.Kind, _ path: String
    ) -> ConversationStoreError {
      let code = errno
      let words = String(cString: strerror(code))
      return ConversationStoreError(
        kind, place: path, problem: code == ENOSPC ? "The disk is full." : "\(words).",
        suggestion: code == ENOSPC ? "Make room, and try again." : "Check the path and its rights.")
    }

    /// Makes a name in a folder last.
    static func synchronizeFolder(_ path: String) {
      let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      fsync(descriptor)
      close(descriptor)
    }

    /// Runs some work while no other process writes in the same folder.
    static func exclusively<Result>(
      lock path: String, _ body: () throws -> Result
    ) throws -> Result {
      let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC)
      guard descriptor >= 0 else { throw systemError(.cannotWrite, path) }
      // Closing it, by the system where the process is killed, gives the lock back.
      defer { close(descriptor) }
      while flock(descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw systemError(.cannotWrite, path) }
      }
      return try body()
    }

    /// When a file was last written, in seconds since 1970; nil where it is not there.
    static func modificationTime(_ path: String) -> Double? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Removes a file; one that is not there is no error.
    static func remove(_ path: String) throws {
      guard unlink(path) == 0 || errno == ENOENT else { throw systemError(.cannotWrite, path) }
    }
  }

#endif
