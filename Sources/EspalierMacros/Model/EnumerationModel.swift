// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// An enumeration as `@Generable` sees it.
struct EnumerationModel {
  let type: TypeModel
  let cases: [Conditional<EnumerationCase>]
  let hasStringRawValues: Bool
  let hasPayloads: Bool
  let isIndirect: Bool
  /// Whether associated values may be missing, because errors were reported of them.
  let isIncomplete: Bool

  /// Reads an enumeration; nil where it has no cases.
  init?(
    _ declaration: EnumDeclSyntax, use: MacroUse, problems: inout ProblemCollector
  ) {
    type = TypeModel(
      declaration, use: use, isGeneric: declaration.genericParameterClause != nil)
    var collector = problems
    let access = type.access
    cases = Array(declaration.memberBlock.members).conditional { member in
      guard let caseDeclaration = member.as(EnumCaseDeclSyntax.self) else { return [] }
      return caseDeclaration.elements.map {
        EnumerationCase(
          $0, in: caseDeclaration, use: use, access: access, problems: &collector)
      }
    }
    collector.reportDuplicates(in: cases)
    if cases.isEmpty { collector.report(.emptyEnumeration(declaration)) }
    problems = collector
    guard !cases.isEmpty else { return nil }
    let rawType = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    hasStringRawValues = rawType == "String" || rawType == "Swift.String"
    isIncomplete = collector.hasErrors
    hasPayloads = isIncomplete || cases.contains { $0.contains { !$0.payload.isEmpty } }
    isIndirect = declaration.modifiers.contains { $0.name.tokenKind == .keyword(.indirect) }
  }
}

/// A case of an enumeration.
struct EnumerationCase {
  /// The name as Swift code says it, with backticks where it has them.
  let name: String
  /// The name in JSON.
  let key: String
  let payload: [AssociatedValue]
  let isIndirect: Bool
  let token: TokenSyntax

  struct AssociatedValue {
    /// The label as it is written, or nil.
    let label: TokenSyntax?
    let property: PropertyModel

    /// The label in a call. It may be a keyword, and the compiler warns of one that is escaped;
    /// `inout` alone has to be.
    fileprivate var callLabel: String? {
      label.map { $0.plainText == "inout" ? $0.text : $0.plainText }
    }
  }

  fileprivate init(
    _ element: EnumCaseElementSyntax, in declaration: EnumCaseDeclSyntax, use: MacroUse,
    access: String, problems: inout ProblemCollector
  ) {
    name = element.name.text
    key = element.name.plainText
    token = element.name
    isIndirect = declaration.modifiers.contains { $0.name.tokenKind == .keyword(.indirect) }
    let named = element.parameterClause?.parameters.compactMap(\.nameInJSON?.plainText) ?? []
    var free = UnlabelledKeys(taken: Set(named))
    var seen: Set<String> = ["type"]
    var payload: [AssociatedValue] = []
    for parameter in element.parameterClause?.parameters ?? [] {
      let label = parameter.firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 }
      let named = parameter.nameInJSON
      let key = named?.plainText ?? free.next()
      if !seen.insert(key).inserted {
        problems.report(
          .duplicateName(
            named ?? element.name,
            kind: key == "type" ? "value (the one that names the case)" : "associated value"))
      }
      if let problem = parameter.type.problem(in: use.typeName) {
        problems.report(problem)
        continue
      }
      let type = PropertyType(parameter.type)
      let name = "value\(payload.count)"
      payload.append(
        AssociatedValue(
          label: label,
          property: PropertyModel(
            name: name, key: key, type: type,
            check: use.check(of: type, named: "\(element.name.plainText)_\(name)", access: access),
            guides: GuideModel(), access: "", token: named ?? element.name)))
    }
    self.payload = payload
  }

  /// The pattern that takes the case apart into `value0`, `value1`…
  var pattern: String {
    payload.isEmpty
      ? ".\(name)"
      : ".\(name)(\(payload.map { "let \($0.property.name)" }.joined(separator: ", ")))"
  }

  /// The expression that makes the case of content; of the twin whose values may not have arrived,
  /// if it is partial.
  func construction(isPartial: Bool) -> String {
    guard !payload.isEmpty else { return ".\(name)" }
    let arguments = payload.map { value in
      (value.callLabel.map { "\($0): " } ?? "") + "try "
        + (isPartial ? value.property.partialReading : value.property.reading)
    }
    return ".\(name)(\(arguments.joined(separator: ", ")))"
  }

  /// The declaration of the case with values that may not have arrived.
  var partialDeclaration: String {
    guard !payload.isEmpty else { return "case \(name)" }
    let values = payload.map { value in
      (value.label.map { "\($0.text): " } ?? "") + value.property.partialType
    }
    return "\(isIndirect ? "indirect " : "")case \(name)(\(values.joined(separator: ", ")))"
  }
}

/// The keys of associated values without a name: `value`, `value1` and so on, without those taken.
private struct UnlabelledKeys {
  let taken: Set<String>
  private var count = 0

  init(taken: Set<String>) { self.taken = taken }

  mutating func next() -> String {
    while true {
      let key = count == 0 ? "value" : "value\(count)"
      count += 1
      if !taken.contains(key) { return key }
    }
  }
}

extension EnumCaseParameterSyntax {
  /// The label of an associated value, or else its name within the case.
  fileprivate var nameInJSON: TokenSyntax? {
    firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 } ?? secondName
  }
}

extension ProblemCollector {
  fileprivate mutating func reportDuplicates(in cases: [Conditional<EnumerationCase>]) {
    var seen: Set<String> = []
    for case .element(let element) in cases where !seen.insert(element.key).inserted {
      report(.duplicateName(element.token, kind: "case"))
    }
  }
}
