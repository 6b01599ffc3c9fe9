// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  #error("Model files are read with POSIX calls, which this platform does not have.")
#endif

/// A regular file that is open for reading, of a size that was asked for when it was opened.
///
/// The file is read, not mapped: a file that becomes shorter while it is mapped ends the process
/// (`SIGBUS`) with the next byte that is looked at, and nobody can catch that. A file that becomes
/// shorter while it is read is an error. Once a model is loaded nothing of its file is needed, but for what stays in it
/// (`StoredRows`).
final class ModelFile: Sendable {
  private let descriptor: Int32
  private let path: String
  /// How many bytes the file had when it was opened.
  let size: Int

  init(path: String) throws(GGUFError) {
    // Without waiting: opening a pipe (FIFO) waits until somebody writes to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let message =
        switch errno {
        case ENOENT, ENOTDIR: "there is no file '\(path)'."
        case EACCES: "'\(path)' may not be read by this user."
        case let code: "cannot open '\(path)' (error \(code)): check the path."
        }
      throw GGUFError(.unreadable, field: "file", message: message)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw GGUFError(
        .unreadable, field: "file",
        message: status.st_mode & S_IFMT == S_IFDIR
          ? "'\(path)' is a folder: give the path of a GGUF file in it."
          : "'\(path)' is not a regular file.")
    }
    guard status.st_size > 0 else {
      close(descriptor)
      throw GGUFError(.unreadable, field: "file", message: "'\(path)' is empty.")
    }
    self.descriptor = descriptor
    self.path = path
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The bytes of a range.
  ///
  /// - Throws: `GGUFError` where the file does not have them any more, or cannot be read.
  func bytes(in range: Range<Int>) throws(GGUFError) -> [UInt8] {
    var found = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      found = read(at: range.lowerBound, upTo: UnsafeMutableRawBufferPointer(buffer))
      count = found
    }
    guard found == range.count else {
      throw GGUFError(
        .unreadable, field: "file", offset: range.lowerBound + found,
        message: "'\(path)' had \(size) bytes when it was opened and ends here now, or cannot be "
          + "read: it was changed while it was in use. Load it again.")
    }
    return bytes
  }

  /// Fills memory with the bytes at a place; false where the file does not have as many.
  func read(at place: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    read(at: place, upTo: target) == target.count
  }

  private func read(at place: Int, upTo target: UnsafeMutableRawBufferPointer) -> Int {
    var found = 0
    while found < target.count, let base = target.baseAddress {
      let step = pread(descriptor, base + found, target.count - found, off_t(place + found))
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { break }
      found += step
    }
    return found
  }
}
