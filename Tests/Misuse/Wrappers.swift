// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// Wrappers that a value of the model's cannot be stored through: found when the code is complete, so
// that it is a file of its own. The comments are as in `Misuse.swift`.

@propertyWrapper struct Clamped {
  var wrappedValue: Int
  init(wrappedValue: Int) { self.wrappedValue = min(wrappedValue, 5) }
}

@propertyWrapper struct Within {
  var wrappedValue: Int
  init(wrappedValue: Int, _ range: ClosedRange<Int>) { self.wrappedValue = wrappedValue }
}

@propertyWrapper struct Setting {
  var wrappedValue: Int { 1 }
  init(_ name: String) {}
}

@Generable struct Wrapped {
  @Clamped var size: Int
}

@Generable struct WrappedWithArguments {
  @Within(1...5) var size: Int  // error: missing argument for parameter 'wrappedValue' in call
}

@Generable struct NotSettable {
  @Setting("size") var size: Int  // error: 'size' is a get-only property
}
