// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz targets of the engine.

import ConstrainedDecoding
import Foundation
import Synchronization

@testable import ConstraintEngine

/// Small limits, so that an input's work is bounded well below libFuzzer's time limit.
private func options(_ selector: UInt8) -> CompilationOptions {
  var options: CompilationOptions = selector & 1 == 0 ? .generation : .validation
  if selector & 2 != 0 { options.whitespace = .bounded(2) }
  if selector & 4 != 0 { options.propertyOrder = .any }
  options.limits.alternatives = 64
  options.limits.states = 2_000
  if selector & 8 != 0 { options.limits.memory = 20_000 }
  return options
}

/// Choices taken from the input, and zeros once it is used up.
private struct Choices {
  var bytes: ArraySlice<UInt8>

  mutating func next() -> Int { Int(bytes.popFirst() ?? 0) }
}

/// Walks through a grammar: every mask agrees with what is accepted, nothing leads to a dead end,
/// and the shortest completion completes.
private func walk(_ grammar: Grammar, _ vocabulary: Vocabulary, _ choices: inout Choices) {
  var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
  for _ in 0..<24 {
    let tokens = matcher.allowedTokens().tokens
    if matcher.reachedLimit != nil { return }
    precondition(!tokens.isEmpty, "a dead end")
    let any = choices.next() % vocabulary.count
    var fork = matcher
    let isAccepted = (try? fork.accept(any)) != nil
    if fork.reachedLimit != nil { return }
    precondition(isAccepted == tokens.contains(any), "the mask and accept differ on \(any)")
    let token = tokens[choices.next() % tokens.count]
    if token == vocabulary.endOfSequence { break }
    do {
      try matcher.accept(token)
    } catch {
      if matcher.reachedLimit != nil { return }
      preconditionFailure("an allowed token is refused: \(error)")
    }
    if choices.next() % 8 == 0 { matcher.rollback(1) }
  }
  let rest = matcher.shortestCompletion()
  if matcher.reachedLimit != nil || (rest.isEmpty && !matcher.canEnd()) { return }
  do {
    if !rest.isEmpty { try matcher.accept(bytes: rest) }
  } catch {
    if matcher.reachedLimit != nil { return }
    preconditionFailure("the shortest completion is refused: \(error)")
  }
  let canEnd = matcher.canEnd()
  precondition(
    canEnd || matcher.reachedLimit != nil, "the shortest completion does not complete")
}

/// The text up to the first zero byte, and what follows it.
private func split(_ bytes: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>) {
  let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
  return (String(decoding: bytes[..<end], as: UTF8.self), bytes[end...].dropFirst())
}

private let tokens: Vocabulary = {
  let pieces = [
    "\"", "{", "}", "[", "]", ":", ",", " ", "\\", "\\u", "a", "ab", "b", "1", "12", "-", ".", "e",
    "true", "null", "é", "\":", "\",\"", "\":\"", "\"a\":", "}}", "],",
  ]
  let bytes = (0..<256).map { [UInt8($0)] } + pieces.map { Array($0.utf8) } + [[]]
  return (try? Vocabulary(tokens: bytes, endOfSequence: bytes.count - 1)) ?? .singleBytes
}()

private let grammars: [Grammar] = [
  #"{}"#, #"{"type":"string","maxLength":3}"#, #"{"type":"string","pattern":"^a+b?$"}"#,
  #"{"type":"object","properties":{"a":{"type":"string"},"ab":{"type":"integer"}}}"#,
  #"{"type":"array","items":{"enum":["a","b",1.5,null]},"uniqueItems":true}"#,
  #"{"type":"number","multipleOf":0.5,"minimum":-3,"exclusiveMaximum":120}"#,
  #"{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"enum":["b",1]}}}]}"#,
].flatMap { schema in
  [0, 1, 2].compactMap { try? Grammar(jsonSchema: schema, options: options($0)) }
}

func fuzzSchema(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)[...]
  guard let selector = bytes.first else { return }
  let (text, rest) = split(bytes.dropFirst())
  guard let grammar = try? Grammar(jsonSchema: text, options: options(selector)) else { return }
  var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
  if matcher.allowedTokens().count == 0 { return }
  var choices = Choices(bytes: rest)
  walk(grammar, tokens, &choices)
}

func fuzzRegex(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)[...]
  let (text, rest) = split(bytes)
  guard let grammar = try? Grammar(regularExpression: text, options: options(0)) else { return }
  var choices = Choices(bytes: rest)
  walk(grammar, tokens, &choices)
}

func fuzzGBNF(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)[...]
  let (text, rest) = split(bytes)
  guard let grammar = try? Grammar(gbnf: text, vocabulary: tokens, options: options(0)) else {
    return
  }
  var choices = Choices(bytes: rest)
  walk(grammar, tokens, &choices)
}

func fuzzTokens(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)[...]
  var choices = Choices(bytes: bytes)
  walk(grammars[choices.next() % grammars.count], tokens, &choices)
}

func fuzzVocabulary(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)[...]
  var choices = Choices(bytes: bytes)
  let selector = choices.next()
  var texts: [[UInt8]] = []
  var special: Set<Int> = []
  let count = choices.next() % 64 + 1
  for id in 0..<count {
    let length = choices.next()
    if length & 0x80 != 0 { special.insert(id) }
    texts.append((0..<length % 8).map { _ in UInt8(choices.next()) })
  }
  let end = choices.next()
  guard let vocabulary = try? Vocabulary(tokens: texts, specialTokens: special, endOfSequence: end)
  else { return }
  let grammar = grammars[selector % grammars.count]
  var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
  for _ in 0..<8 {
    let mask = matcher.allowedTokens()
    for token in -1...vocabulary.count {
      var fork = matcher
      let isAccepted = (try? fork.accept(token)) != nil
      precondition(mask.contains(token) == isAccepted, "the mask and accept differ on \(token)")
    }
    let allowed = mask.tokens
    precondition(allowed.count == mask.count, "the count of a mask")
    guard !allowed.isEmpty else { return }
    let token = allowed[choices.next() % allowed.count]
    if token == vocabulary.endOfSequence { return }
    guard (try? matcher.accept(token)) != nil else { preconditionFailure("refused") }
  }
}
