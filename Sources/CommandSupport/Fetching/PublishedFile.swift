// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A model file that a server hands out at an address of its own.
package struct PublishedFile: Sendable, Hashable {
  /// Where the file is.
  package var url: URL
  /// The name that it gets in the models' folder.
  package var fileName: String
  /// The file's SHA-256 digest in hexadecimal digits; nil where nobody knows it.
  package var sha256: String?

  /// Creates a description of a file.
  ///
  /// - Parameters:
  ///   - url: Where the file is.
  ///   - fileName: The name that it gets; the last part of the address where nil.
  ///   - sha256: The file's SHA-256 digest in hexadecimal digits; nil where nobody knows it.
  /// - Throws: ``FileFetchError`` where the address, the name or the digest is none.
  package init(url: String, fileName: String? = nil, sha256: String? = nil) throws {
    guard let address = URL(string: url), ["http", "https"].contains(address.scheme?.lowercased()),
      address.host?.isEmpty == false
    else { throw FileFetchError.notAnAddress(url) }
    self.url = address
    self.fileName = fileName ?? address.lastPathComponent
    // It becomes a part of a path, so it must not lead elsewhere.
    guard self.fileName.hasSuffix(".gguf"), !self.fileName.hasPrefix("."),
      !self.fileName.contains(where: { "/\\\0".contains($0) })
    else { throw FileFetchError.notAFileName(self.fileName) }
    if let sha256 {
      guard sha256.utf8.count == 64, sha256.allSatisfy(\.isHexDigit) else {
        throw FileFetchError.notADigest(sha256)
      }
    }
    self.sha256 = sha256?.lowercased()
  }

  /// All parts of a model in several files (`NAME-00001-of-00003.gguf`), this one among them; this one
  /// alone where it is whole by itself.
  package var parts: [PublishedFile] {
    guard let match = fileName.firstMatch(of: /-(\d{5})-of-(\d{5})\.gguf$/),
      let count = Int(match.2), 2...10_000 ~= count,
      let place = url.lastPathComponent.range(of: match.0)
    else { return [self] }
    return (1...count).map { number in
      let digits = String(number)
      let ending = "-\(String(repeating: "0", count: 5 - digits.count))\(digits)-of-\(match.2).gguf"
      var part = self
      var last = url.lastPathComponent
      last.replaceSubrange(place, with: ending)
      part.url = url.deletingLastPathComponent().appending(path: last)
      part.fileName = fileName.replacing(match.0, with: ending)
      if part.fileName != fileName { part.sha256 = nil }
      return part
    }
  }
}

/// Why a file could not be fetched from an address.
package enum FileFetchError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text is no address of a file.
  case notAnAddress(String)
  /// The text cannot be the name of a model file.
  case notAFileName(String)
  /// The text is no digest.
  case notADigest(String)
  /// The server answered with a status that is no success.
  case refused(url: String, status: Int, file: String)
  /// The connection was not made, or ended early; the next fetch goes on from there.
  case interrupted(url: String, reason: String, completed: Int)
  /// The disk has no room for the file.
  case noSpace(path: String, needed: Int, available: Int)
  /// What the server sends is no GGUF file.
  case notAModel(url: String, kind: String)
  /// A file of this name is there already, and is another one.
  case otherFile(path: String, expected: String, found: String)
  /// The file is not the one that was asked for; it was deleted.
  case wrongDigest(expected: String, found: String)

  package var description: String {
    switch self {
    case .notAnAddress(let text):
      "'\(text)' is no address of a file: expected http://HOST/PATH or https://HOST/PATH."
    case .notAFileName(let text):
      "'\(text)' cannot be the name of a model file: expected a name that ends with '.gguf', as "
        + "--name gives it."
    case .notADigest(let text):
      "'\(text)' is no SHA-256 digest: expected 64 hexadecimal digits."
    case .refused(let url, let status, let file):
      "\(url) answers with status \(status)"
        + (status == 401 || status == 403
          ? ": it asks for an account. Download the file in a browser, and put it at '\(file)'."
          : ". Look at the address in a browser.")
    case .interrupted(let url, let reason, let completed):
      "The download from \(url) stopped after \(completed) bytes: \(reason). "
        + "The same command goes on from there."
    case .noSpace(let path, let needed, let available):
      "The rest of '\(path)' has \(needed) bytes, but its disk has \(available) left. Make room, or "
        + "set XDG_CACHE_HOME to a folder of another disk. The same command goes on from there."
    case .notAModel(let url, let kind):
      "\(url) is no GGUF file: the server sends \(kind). The address must be the file's own, not "
        + "that of a page about it"
        + (url.contains("/blob/") ? ": '/resolve/' in the place of '/blob/'." : ".")
    case .otherFile(let path, let expected, let found):
      "There is a file '\(path)' already. Its SHA-256 digest is \(found), expected \(expected). "
        + "Delete it, or give the new one another name with --name."
    case .wrongDigest(let expected, let found):
      "The file's SHA-256 digest is \(found), expected \(expected). It was deleted: fetch it again."
    }
  }
}
