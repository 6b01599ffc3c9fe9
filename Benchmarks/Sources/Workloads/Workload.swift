// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line of a workload file: a schema with instances.
public struct WorkloadRecord: Decodable, Sendable {
  /// An instance and whether the schema takes it.
  public struct Instance: Decodable, Sendable {
    public var valid: Bool
    public var text: String
  }

  public var id: String
  /// The group that the schema belongs to: a keyword file of a test suite, a data set.
  public var split: String
  public var schema: String
  public var tests: [Instance]
}

/// Reads a workload file.
public func readWorkload(_ path: String) throws -> [WorkloadRecord] {
  try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
    try JSONDecoder().decode(WorkloadRecord.self, from: Data($0.utf8))
  }
}

/// Reads the documents of a folder, by the URI that they have below a base.
public func readDocuments(_ folder: String, base: String) throws -> [String: String] {
  var result: [String: String] = [:]
  let root = URL(fileURLWithPath: folder)
  guard let names = FileManager.default.enumerator(atPath: folder) else { return result }
  for case let name as String in names where name.hasSuffix(".json") {
    result[base + name] = try String(
      contentsOf: root.appendingPathComponent(name), encoding: .utf8)
  }
  return result
}
