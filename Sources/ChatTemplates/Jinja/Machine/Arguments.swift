// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The arguments of a call.
struct Arguments {
  var values: [TemplateValue] = []
  var named: [(name: TemplateText, value: TemplateValue)] = []
  var caller: TemplateValue?

  /// The arguments by their place in a list of parameters.
  func bound(
    to parameters: [StaticString], of function: String
  ) throws(ChatTemplateError) -> [TemplateValue?] {
    var result = [TemplateValue?](repeating: nil, count: parameters.count)
    guard values.count <= parameters.count else {
      throw ChatTemplateError(
        message: "'\(function)' takes at most \(parameters.count) arguments.", line: nil)
    }
    for (index, value) in values.enumerated() { result[index] = value }
    for (name, value) in named {
      let place = parameters.firstIndex { parameter in
        parameter.withUTF8Buffer { $0.elementsEqual(name.bytes) }
      }
      guard let place, result[place] == nil else {
        throw ChatTemplateError(
          message: "'\(function)' takes no argument '\(name.string)'.", line: nil)
      }
      result[place] = value
    }
    return result
  }
}
