// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Strings that are being read, between two scalars.
///
/// What tokens do inside is found without the stack: for strings with any content by ``StringSplit``, for
/// others by ``inside(_:allowsAnyText:_:)``. The stack decides only which rests may follow the closing quote
/// (``restRow(_:_:)``).
///
/// Worked example: after `{"name":"A` the tokens `nn`, `"` and `",` are looked at. `nn` stays inside. The
/// others have the prefix that is empty and the rests that are empty and `,`. If another member may come
/// both are allowed, otherwise only `"`.
extension MaskBuilder {
  /// A string with any content, perhaps of a bounded length.
  mutating func addString(_ frame: Frame, _ automaton: inout Automaton) {
    let split = index.split
    base = split.inside
    if frame.d != .max, Int(frame.d) < split.limited.count { base = split.limited[Int(frame.d)] }
    let most = frame.d == .max ? Int32.max : Int32(clamping: frame.d)
    guard frame.c <= UInt32(split.maximumScalars), Int32(frame.c) <= most else { return }
    let scalars = Int32(frame.c)...most
    let isBounded = frame.c > 0 || frame.d != .max
    var after: [StackID] = []
    var closing = frame
    closing.c = 0
    automaton.step(string: closing, 0x22, into: &after)
    if after.count > 1 { isAmbiguous = true }
    var rows = after.map { restRow($0, &automaton) }
    if !isBounded, let row = rows.popLast() { base = closedBase(row) }
    for row in rows {
      var found: [UInt32] = []
      swap(&found, &added)
      forEachRest(row) { rest in
        for place in Int(split.restStarts[rest])..<Int(split.restStarts[rest + 1])
        where !isBounded || scalars.contains(split.closingByRest[place].scalars) {
          found.append(UInt32(bitPattern: split.closingByRest[place].token))
        }
      }
      swap(&found, &added)
    }
  }

  /// A string that is held to a language.
  mutating func addPattern(_ frame: Frame, _ automaton: inout Automaton) {
    let inside = inside(
      InsidePosition(reader: .string, state: frame.a, minimum: frame.c, maximum: frame.d),
      &automaton)
    base = inside.base
    added += inside.added
    if inside.closing.isEmpty { return }
    if frame.e != 0, frame.e != TextTable.unknown {
      // What comes after depends on the value, for which the array or object asked.
      for (prefix, _) in inside.closing {
        var text = frame.e
        for byte in index.split.text(of: prefix) { text = automaton.texts.append(byte, to: text) }
        var after: [StackID] = []
        let value = automaton.values.id(of: .string(text))
        automaton.complete(frame.parent, value, into: &after)
        if after.count > 1 { isAmbiguous = true }
        addClosers(after.map { restRow($0, &automaton) }, prefix)
      }
      return
    }
    var after: [StackID] = []
    let value = frame.e == 0 ? .max : automaton.values.id(of: .string(frame.e))
    automaton.complete(frame.parent, value, into: &after)
    if base === index.split.inside, after.count == 1,
      inside.closing.count == index.split.prefixStarts.count - 1
    {
      base = closedBase(restRow(after[0], &automaton))
      return
    }
    if after.count > 1 { isAmbiguous = true }
    let rows = after.map { restRow($0, &automaton) }
    for (prefix, _) in inside.closing { addClosers(rows, prefix) }
  }

  /// The tokens that close a string or key after a prefix and go on with a rest of one of some rows.
  mutating func addClosers(_ rows: [Int], _ prefix: Int32) {
    let split = index.split
    for row in rows {
      for place in split.entries(after: prefix)
      where accepts(rest: split.closingByPrefix[place].rest, row) {
        added.append(UInt32(bitPattern: split.closingByPrefix[place].token))
      }
    }
  }
}
