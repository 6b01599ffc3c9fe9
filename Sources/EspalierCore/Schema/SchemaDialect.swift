// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A dialect of JSON Schema.
public struct SchemaDialect: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case foundationModels, draft2020, draft7, strict
  }

  package let kind: Kind

  /// Whether constraints that the dialect cannot say are left out, rather than an error. What a
  /// model gives back must then be checked against the schema itself.
  public private(set) var leavesOutUnsupportedConstraints = false

  private init(_ kind: Kind) { self.kind = kind }

  /// The dialect of FoundationModels: draft 2020-12 with `x-order`, which keeps the order of
  /// properties where key order is lost.
  public static let foundationModels = SchemaDialect(.foundationModels)

  /// JSON Schema, draft 2020-12.
  public static let draft2020 = SchemaDialect(.draft2020)

  /// JSON Schema, draft-07.
  public static let draft7 = SchemaDialect(.draft7)

  /// The strict subset of OpenAI's structured outputs, and of the servers that follow it: the root
  /// is an object, every property is required, an optional one may be `null`, and no object has
  /// further properties.
  public static let strict = SchemaDialect(.strict)

  /// The dialect without the constraints that it cannot say.
  ///
  /// ``GenerationSchema/unsupportedConstraints(in:)`` lists them.
  public func leavingOutUnsupportedConstraints() -> SchemaDialect {
    var dialect = self
    dialect.leavesOutUnsupportedConstraints = true
    return dialect
  }

  var definitionsKeyword: String { kind == .draft7 ? "definitions" : "$defs" }
}
