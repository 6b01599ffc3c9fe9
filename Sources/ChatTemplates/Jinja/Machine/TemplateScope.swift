// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// The variables of a block, and the block around it.
final class TemplateScope {
  private(set) var names: [Int32] = []
  private(set) var values: [TemplateValue] = []
  let parent: TemplateScope?

  init(_ parent: TemplateScope?) { self.parent = parent }

  func place(of name: Int32) -> Int? {
    for index in names.indices where names[index] == name { return index }
    return nil
  }

  func set(_ name: Int32, _ value: TemplateValue) {
    if let place = place(of: name) {
      values[place] = value
    } else {
      names.append(name)
      values.append(value)
    }
  }
}
