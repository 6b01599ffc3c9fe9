// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The limits that work on a schema can reach.
extension Obligations {
  /// What stopped the work, if anything did.
  package var reachedFailure: ObligationFailure? {
    if let failure { return failure }
    switch languages.reachedLimit {
    case .states:
      return ObligationFailure(
        keyword: "pattern", pointer: "#",
        message: "the regular languages of the schema need more than \(languages.stateLimit) "
          + "states; simplify patterns with counted or overlapping parts, or raise the limit "
          + "`states`")
    case .compileTime: return timeFailure
    case nil: return nil
    }
  }

  var timeFailure: ObligationFailure {
    ObligationFailure(
      keyword: "", pointer: "#",
      message: "compiling takes more than \(options.limits.compileTime); simplify the schema, or "
        + "raise the limit `compileTime`")
  }
}

extension GrammarError.Diagnostic {
  package init(_ failure: ObligationFailure) {
    self.init(keyword: failure.keyword, location: failure.pointer, message: failure.message)
  }
}
