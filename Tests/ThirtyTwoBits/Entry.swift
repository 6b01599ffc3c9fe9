// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// What the host calls: compile a schema, then read texts.

nonisolated(unsafe) private var grammar: Grammar?
nonisolated(unsafe) private var message: [UInt8] = []

/// - Returns: Whether there is a grammar now; otherwise the message says why not.
@_expose(wasm, "compile") @_cdecl("compile")
public func compile(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  let schema = String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  do throws(GrammarError) {
    grammar = try Grammar(jsonSchema: schema, options: .validation)
    return true
  } catch {
    grammar = nil
    message = Array(error.diagnostics.map { $0.message }.joined(separator: "; ").utf8)
    return false
  }
}

/// - Returns: 1 where the text is a value of the grammar, 0 where it is not, 2 where a limit was met.
///   Before each byte the mask is asked whether it may come.
@_expose(wasm, "judge") @_cdecl("judge")
public func judge(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  guard let grammar else { return 0 }
  var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
  for byte in UnsafeBufferPointer(start: text, count: count) {
    let isAllowed = matcher.allowedTokens().contains(Int(byte))
    do throws(MatcherError) {
      try matcher.accept(Int(byte))
    } catch {
      message = Array(error.message.utf8)
      return error.limit == nil ? 0 : 2
    }
    if !isAllowed {
      message = Array("the mask lacks a byte that is accepted".utf8)
      return 3
    }
  }
  let canEnd = matcher.canEnd()
  return matcher.reachedLimit == nil ? (canEnd ? 1 : 0) : 2
}

@_expose(wasm, "messageCount") @_cdecl("messageCount")
public func messageCount() -> Int { message.count }

@_expose(wasm, "copyMessage") @_cdecl("copyMessage")
public func copyMessage(_ target: UnsafeMutablePointer<UInt8>) {
  for (place, byte) in message.enumerated() { target[place] = byte }
}
