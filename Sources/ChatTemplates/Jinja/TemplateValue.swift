/// A value in a template.
indirect enum TemplateValue: Sendable {
  case undefined
  case none
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(TemplateText)
  case list([TemplateValue])
  case object(TemplateObject)
  /// Variables that statements inside loops may set, by its number in the renderer.
  case namespace(Int)
  case function(TemplateFunction)

  static func string(_ text: String) -> TemplateValue { .text(TemplateText(text)) }
}

/// An object whose keys keep their order.
struct TemplateObject: Sendable {
  private(set) var keys: [String] = []
  private var values: [String: TemplateValue] = [:]

  init() {}

  init(_ members: KeyValuePairs<String, TemplateValue>) {
    for (key, value) in members { self[key] = value }
  }

  subscript(key: String) -> TemplateValue? {
    get { values[key] }
    set {
      if values.updateValue(newValue ?? .none, forKey: key) == nil { keys.append(key) }
    }
  }
}

/// What can be called.
enum TemplateFunction: Sendable {
  case range, namespace, dict, raiseException, timeNow
  case macro(TemplateMacro)
  /// A method of a value: `content.strip()`.
  case method(TemplateValue, String)
}

/// A macro of a template.
struct TemplateMacro: Sendable {
  var parameters: [(name: String, value: TemplateExpression?)]
  var body: [TemplateNode]
}

extension TemplateValue {
  /// Whether a condition of the value holds: what Python calls its truth.
  var isTrue: Bool {
    switch self {
    case .undefined, .none: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .number(let value): value != 0
    case .text(let text): !text.elements.isEmpty
    case .list(let items): !items.isEmpty
    case .object(let object): !object.keys.isEmpty
    case .namespace, .function: true
    }
  }

  /// What the value says where it is put out.
  var text: TemplateText {
    switch self {
    case .undefined: TemplateText("")
    case .none: TemplateText("None")
    case .bool(let value): TemplateText(value ? "True" : "False")
    case .integer(let value): TemplateText(String(value))
    case .number(let value): TemplateText(String(value))
    case .text(let text): text
    case .list, .object: json(indent: nil)
    case .namespace, .function: TemplateText("")
    }
  }

  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  static func areEqual(_ left: TemplateValue, _ right: TemplateValue) -> Bool {
    switch (left, right) {
    case (.undefined, .undefined), (.none, .none): true
    case (.text(let left), .text(let right)): left == right
    case (.list(let left), .list(let right)): left.elementsEqual(right, by: areEqual)
    case (.object(let left), .object(let right)):
      left.keys.count == right.keys.count
        && left.keys.allSatisfy { key in
          guard let one = left[key], let other = right[key] else { return false }
          return areEqual(one, other)
        }
    default: left.double != nil && left.double == right.double
    }
  }

  /// The items that a loop goes over.
  var items: [TemplateValue]? {
    switch self {
    case .list(let items): items
    case .object(let object): object.keys.map(TemplateValue.string)
    case .text(let text): text.elements.map { .text(TemplateText([$0])) }
    case .undefined: []
    default: nil
    }
  }

  /// The value as JSON, as `tojson` writes it.
  func json(indent: Int?, depth: Int = 0) -> TemplateText {
    let line = indent.map { "\n" + String(repeating: " ", count: $0 * (depth + 1)) } ?? ""
    let end = indent.map { "\n" + String(repeating: " ", count: $0 * depth) } ?? ""
    let separator = TemplateText(indent == nil ? ", " : "," + line)
    func block(_ open: String, _ parts: [TemplateText], _ close: String) -> TemplateText {
      guard !parts.isEmpty else { return TemplateText(open + close) }
      let inner = TemplateText.joined(parts, separator: separator)
      return TemplateText(
        TemplateText(open + line).elements + inner.elements + TemplateText(end + close).elements)
    }
    switch self {
    case .undefined, .none, .namespace, .function: return TemplateText("null")
    case .bool(let value): return TemplateText(value ? "true" : "false")
    case .integer, .number: return text
    case .text(let text):
      let quoted = text.mapped(\.escapedForJSON)
      return TemplateText(
        TemplateText("\"").elements + quoted.elements + TemplateText("\"").elements)
    case .list(let items):
      return block("[", items.map { $0.json(indent: indent, depth: depth + 1) }, "]")
    case .object(let object):
      return block(
        "{",
        object.keys.map { key in
          let value = (object[key] ?? .none).json(indent: indent, depth: depth + 1)
          return TemplateText(
            TemplateText("\"\(key.escapedForJSON)\": ").elements + value.elements)
        }, "}")
    }
  }
}
