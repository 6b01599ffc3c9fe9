// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A key for a server, asked for when a request is made and kept nowhere.
///
/// ```swift
/// let key = ServerAPIKey { try await keychain.read("openai") }
/// ```
///
/// No description, log, recording or error of this package holds a key: what a server says about one
/// is cleaned of it before anybody sees it.
public struct ServerAPIKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// The name of the header field.
  public var header: String
  /// What stands before the key in the field; nothing where nil.
  public var scheme: String?
  private let provide: @Sendable () async throws -> String?

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - header: The name of the header field.
  ///   - scheme: What stands before the key in the field; nothing where nil.
  ///   - provide: Gives the key, each time it is needed; nil for a request without one.
  public init(
    header: String = "Authorization", scheme: String? = "Bearer",
    _ provide: @escaping @Sendable () async throws -> String?
  ) {
    self.header = header
    self.scheme = scheme
    self.provide = provide
  }

  /// The key in a variable of the environment; none where it is not set.
  public static func environment(_ name: String) -> ServerAPIKey {
    ServerAPIKey { ProcessInfo.processInfo.environment[name] }
  }

  /// The key now, without white space around it; nil where there is none.
  ///
  /// - Throws: What the app's closure throws, and an error where the key cannot be a header's value.
  func value() async throws -> String? {
    guard let key = try await provide()?.trimmingCharacters(in: .whitespacesAndNewlines),
      !key.isEmpty
    else { return nil }
    guard key.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) else {
      throw ServerError(
        .unauthorized, server: "", problem: "The key holds characters that no header can carry.",
        suggestion: "Look at what gives the key: it may have read a whole file, or a person's name."
      )
    }
    return key
  }

  public var description: String { "ServerAPIKey(\(header))" }
  public var customMirror: Mirror { Mirror(self, children: ["header": header]) }
}
