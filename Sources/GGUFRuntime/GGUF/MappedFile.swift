#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The bytes of a file, mapped into memory rather than read.
///
/// Invariants: `bytes` is mapped read-only and private from `init` to `deinit`, and nothing writes
/// through it, so that sharing between threads is sound.
final class MappedFile: Sendable {
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  init(path: String) throws(GGUFError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw GGUFError(field: "file", message: "cannot open '\(path)': check the path.")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw GGUFError(field: "file", message: "'\(path)' is not a regular file.")
    }
    let size = Int(status.st_size)
    guard size > 0 else { throw GGUFError(field: "file", message: "'\(path)' is empty.") }
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED
    else { throw GGUFError(field: "file", message: "cannot map '\(path)' into memory.") }
    bytes = UnsafeRawBufferPointer(start: base, count: size)
  }

  /// Lets the system drop the pages that were read; they are read again where they are needed.
  func releasePages(_ range: Range<Int>) {
    guard let base = bytes.baseAddress else { return }
    // A page that neighbours share is dropped with the first of them, and read again.
    let start = range.lowerBound & ~0xFFFF
    _ = madvise(
      UnsafeMutableRawPointer(mutating: base + start), range.upperBound - start,
      Int32(MADV_DONTNEED))
  }

  deinit {
    if let base = bytes.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
    }
  }
}
