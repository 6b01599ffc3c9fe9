// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// One line of a workload file.
struct Record: Decodable {
  struct Test: Decodable {
    var valid: Bool
    var text: String
    var tokens: [Int]
  }

  var id: String
  var split: String
  var schema: String
  var tests: [Test]
}

/// What one schema gave, in the form that the peers' results have.
struct SchemaResult: Encodable {
  var id: String
  var split: String
  var i: Int
  var tests: Int
  var maskNanoseconds: [Int] = []
  var stepNanoseconds: [Int] = []
  var falseRejects: [FalseReject] = []
  var falseAccepts: [Int] = []
  /// How many instances met a limit.
  var undecided = 0
  /// The limit that the last of them met.
  var limit: String?
  var compileError: String?
  var compileNanoseconds: Int?
  var firstMaskNanoseconds: Int?
  var residentMegabytes = 0.0

  enum CodingKeys: String, CodingKey {
    case id, split, i, tests
    case maskNanoseconds = "mask_ns"
    case stepNanoseconds = "step_ns"
    case falseRejects = "false_reject"
    case falseAccepts = "false_accept"
    case undecided, limit
    case compileError = "compile_error"
    case compileNanoseconds = "compile_ns"
    case firstMaskNanoseconds = "ttfm_ns"
    case residentMegabytes = "rss_mb"
  }

  /// A valid instance that was refused: which, and why.
  struct FalseReject: Encodable {
    var index: Int
    var reason: String

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(index)
      try container.encode(reason)
    }
  }

  var isRight: Bool {
    compileError == nil && falseRejects.isEmpty && falseAccepts.isEmpty && undecided == 0
  }
}

/// The head of a result file.
struct Summary: Encodable {
  var engine = "espalier"
  var version: String
  var workload: String
  var tokenizer: String
  var schemas: Int
  var compileErrors: Int
  var passing: Int
  var falseRejects: Int
  var falseAccepts: Int
  var initMilliseconds: Double
  var residentAfterInit: Double
  var peakResident: Double

  enum CodingKeys: String, CodingKey {
    case engine, version, workload, tokenizer, schemas, passing
    case compileErrors = "compile_errors"
    case falseRejects = "false_rejects"
    case falseAccepts = "false_accepts"
    case initMilliseconds = "init_ms"
    case residentAfterInit = "rss_after_init_mb"
    case peakResident = "peak_rss_mb"
  }
}

struct ResultFile: Encodable {
  var summary: Summary
  var schemas: [SchemaResult]
}
