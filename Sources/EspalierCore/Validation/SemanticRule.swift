// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How bad it is that a value breaks a rule.
public enum RuleSeverity: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// It breaks none.
  case passed
  /// Worth knowing.
  case warning
  /// A person should look at it.
  case needsReview
  /// The value is of no use.
  case failed

  public static func < (left: RuleSeverity, right: RuleSeverity) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A rule that a schema cannot say: the end is after the beginning, the sum is the sum.
public struct SemanticRule<Value>: Sendable {
  /// The name of the rule.
  public var name: String
  /// How bad it is to break it.
  public var severity: RuleSeverity
  /// What is wrong with a value, in words for the model; nil where nothing is.
  public var problem: @Sendable (Value) -> String?

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - name: The name of the rule.
  ///   - severity: How bad it is to break it.
  ///   - problem: What is wrong with a value, in words for the model; nil where nothing is.
  public init(
    _ name: String, severity: RuleSeverity = .failed,
    problem: @escaping @Sendable (Value) -> String?
  ) {
    self.name = name
    self.severity = severity
    self.problem = problem
  }
}

/// A type whose values have rules that a schema cannot say.
public protocol SemanticallyValidated {
  /// The rules.
  static var semanticRules: [SemanticRule<Self>] { get }
}

/// What rules say of a value.
public struct ValidationReport: Sendable, Hashable {
  /// A rule that the value breaks.
  public struct Finding: Sendable, Hashable {
    /// The name of the rule.
    public var rule: String
    /// How bad it is.
    public var severity: RuleSeverity
    /// What is wrong.
    public var problem: String
  }

  /// The rules that the value breaks.
  public var findings: [Finding]

  /// The worst of them.
  public var severity: RuleSeverity { findings.map(\.severity).max() ?? .passed }

  /// Looks at a value.
  public init<Value>(of value: Value, rules: [SemanticRule<Value>]) {
    findings = rules.compactMap { rule in
      rule.problem(value).map {
        Finding(rule: rule.name, severity: rule.severity, problem: $0)
      }
    }
  }
}
