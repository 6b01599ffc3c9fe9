// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Why a template cannot be read, or a conversation not be written with it.
public struct ChatTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public var message: String
  /// The line of the template, from 1, where one is at fault.
  public var line: Int?
  /// Whether a limit was reached: with other words the same template would reach it, too.
  var isLimit = false

  public var description: String {
    "Chat template\(line.map { ", line \($0)" } ?? ""): \(message)"
  }
}
