// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ChatTemplates
import EspalierCore

/// What a request means for the reasoning of a model.
struct ReasoningPlan: Sendable {
  /// How the model marks its reasoning; nil where it does not reason on this request.
  let syntax: ReasoningSyntax?
  /// Whether it reasons even where it would rather begin to answer.
  let isRequired: Bool
  /// The greatest number of tokens.
  let budget: Int
  /// What the template is told.
  let variables: [String: ChatTemplate.Variable]

  init(
    _ syntax: ReasoningSyntax?, level: ContextOptions.ReasoningLevel?, options: ReasoningOptions
  ) {
    var isOff = !options.isEnabled
    if case .custom(let name)? = level, ["none", "off"].contains(name.lowercased()) {
      isOff = true
    }
    var variables: [String: ChatTemplate.Variable] = [:]
    if let toggle = syntax?.toggle, isOff || level != nil {
      variables[toggle.variable] = .boolean(toggle.on != isOff)
    }
    if let variable = syntax?.effortVariable, !isOff, let effort = Self.effort(level) {
      variables[variable] = .text(effort)
    }
    let isOn = !isOff && (level != nil || syntax?.toggle?.isOnByDefault != false)
    self.syntax = isOn ? syntax : nil
    isRequired = isOn && level != nil
    self.variables = variables
    budget = max(0, Self.budget(level, options))
  }

  private static func effort(_ level: ContextOptions.ReasoningLevel?) -> String? {
    switch level {
    case .light?: "low"
    case .moderate?: "medium"
    case .deep?: "high"
    case .custom(let name)?: name
    case nil: nil
    }
  }

  private static func budget(
    _ level: ContextOptions.ReasoningLevel?, _ options: ReasoningOptions
  ) -> Int {
    switch level {
    case .light?: options.lightBudget
    case .moderate?: options.moderateBudget
    case .deep?: options.deepBudget
    case .custom?, nil: options.standardBudget
    }
  }
}
