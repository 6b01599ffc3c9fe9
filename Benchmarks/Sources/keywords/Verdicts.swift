// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Workloads

/// What an engine says of each schema of a suite.
struct EngineVerdicts: Codable {
  var engine: String
  var schemas: [SchemaVerdict]
}

/// What an engine says of one schema's instances.
struct SchemaVerdict: Codable {
  var id: String
  var file: String
  var instances: Int
  /// Valid instances that were refused, by their place.
  var refused: [Int] = []
  /// Invalid instances that were accepted.
  var accepted: [Int] = []
  /// Why the schema was not compiled.
  var error: String?
}

/// A result file as the script for other engines writes it.
struct PeerFile: Decodable {
  struct Summary: Decodable {
    var engine: String
  }

  struct Schema: Decodable {
    var id: String
    var refused: [Reject]?
    var accepted: [Int]?
    var compileError: String?
    var failed: String?

    enum CodingKeys: String, CodingKey {
      case id, failed
      case refused = "false_reject"
      case accepted = "false_accept"
      case compileError = "compile_error"
    }
  }

  /// A refused instance: its place and a reason.
  struct Reject: Decodable {
    var index: Int

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      index = try container.decode(Int.self)
    }
  }

  var summary: Summary
  var schemas: [Schema]

  func verdicts(on records: [WorkloadRecord]) -> EngineVerdicts {
    var byID: [String: Schema] = [:]
    for schema in schemas { byID[schema.id] = schema }
    return EngineVerdicts(
      engine: summary.engine,
      schemas: records.map { record in
        let mine = byID[record.id]
        return SchemaVerdict(
          id: record.id, file: record.split, instances: record.tests.count,
          refused: mine?.refused?.map(\.index) ?? [], accepted: mine?.accepted ?? [],
          error: mine == nil ? "no result" : mine?.compileError ?? mine?.failed)
      })
  }
}
