// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a file cannot be read as a model.
public struct GGUFError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What an app can do something about.
  public enum Kind: Sendable, Hashable {
    /// There is no such file, it is a folder or empty, it may not be read, or it changed while it was
    /// read: another path is needed.
    case unreadable
    /// It is whole and no model for this purpose: another kind of file, an adapter, or a model that makes
    /// vectors where one that writes is asked for.
    case otherContent
    /// It is a model that this version does not run: its family, its tokenizer or the form of its
    /// numbers is not known.
    case unsupported
    /// It is cut, its parts do not belong together, or it contradicts itself: it has to be fetched again.
    case damaged
  }

  /// What kind of fault it is.
  public var kind: Kind
  /// The field of the file, the metadata key or the tensor that is wrong.
  public var field: String
  /// Where in the file, in bytes from its start; nil where no one place is at fault.
  public var offset: Int?
  /// What was expected, and what was found.
  public var message: String

  /// Creates an error.
  public init(
    _ kind: Kind = .damaged, field: String, offset: Int? = nil, message: String
  ) {
    self.kind = kind
    self.field = field
    self.offset = offset
    self.message = message
  }

  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "GGUF: \(field)\(place): \(message)"
  }
}
