// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import Foundation
import Workloads

/// Walks random allowed tokens through grammars and checks that every walk can end.
///
/// Most walks go freely for some tokens and then take the shortest completion; the others are held to
/// a budget from the start by the narrowed mask. A mask that allows nothing before the value
/// is complete, an allowed token that is refused, and a budget that is overrun are failures. Finished
/// values are written out for an independent validator.
@main
struct Walks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walks", abstract: "Random walks over allowed tokens: no dead ends.")

  @Option(help: "The workload: one schema a line; may be repeated.") var workload: [String]
  @Option(help: "The vocabulary, as a .bin file.") var vocabulary: String
  @Option(help: "A folder of documents that schemas refer to.") var remotes: String?
  @Option(help: "generation or validation.") var policy = "generation"
  @Option(help: "How many walks over each schema.") var walks = 100
  @Option(help: "The seed of the first walk; walk n of a schema has seed + n.") var seed = 1
  @Option(help: "The most tokens of the free part of a walk.") var tokens = 40
  @Option(help: "Every how many walks one is held to a budget, which costs more.")
  var budgetedEvery = 20
  @Option(help: "Take only the schemas whose id has this in it.") var only: String?
  @Flag(help: "Take every schema, not only those whose keywords need more than a grammar.")
  var all = false
  @Option(help: "Take only schemas whose place modulo `shards` is this.") var shard = 0
  @Option(help: "Into how many parts the work is cut.") var shards = 1
  @Option(help: "Where to write the finished values, one line each.") var out: String?

  func run() throws {
    let vocabulary = try readVocabulary(vocabulary)
    let documents = try remotes.map { try readDocuments($0, base: "http://localhost:1234/") } ?? [:]
    var options: CompilationOptions = policy == "generation" ? .generation : .validation
    options.documents = documents
    options.toleratesUnresolvedReferences = true
    var count = (schemas: 0, walks: 0, tokens: 0, failures: 0, notCompiled: 0)
    if let out { FileManager.default.createFile(atPath: out, contents: nil) }
    let sink = out.flatMap { FileHandle(forWritingAtPath: $0) }
    for path in workload {
      for (index, record) in try readWorkload(path).enumerated() where index % shards == shard {
        if let only, !record.id.contains(only) { continue }
        guard all || isHard(record.schema) else { continue }
        let grammar: Grammar
        do {
          grammar = try Grammar(jsonSchema: record.schema, options: options)
        } catch {
          count.notCompiled += 1
          print("\(record.id): does not compile: \(error)")
          continue
        }
        count.schemas += 1
        for walk in 0..<walks {
          count.walks += 1
          var stroll = Walk(
            Matcher(grammar: grammar, vocabulary: vocabulary), seed: UInt64(seed + walk))
          do {
            let isBudgeted = walk % budgetedEvery == budgetedEvery - 1
            let text = try isBudgeted ? stroll.budgeted(tokens) : stroll.free(tokens)
            let line = Finished(id: record.id, seed: seed + walk, text: text)
            if let sink { try sink.write(contentsOf: JSONEncoder().encode(line) + [0x0A]) }
          } catch {
            count.failures += 1
            let read = String(decoding: stroll.bytes, as: UTF8.self)
            print("\(record.id) seed \(seed + walk): \(error) after \(read)")
          }
          count.tokens += stroll.taken
        }
        fflush(nil)
      }
    }
    print(
      "\(policy): \(count.schemas) schemas, \(count.notCompiled) not compiled, "
        + "\(count.walks) walks, \(count.tokens) tokens, \(count.failures) failures; "
        + "seeds \(seed)..<\(seed + walks)")
  }

  private static let hardKeywords: Set<String> = [
    "not", "oneOf", "if", "dependencies", "dependentRequired", "dependentSchemas",
    "unevaluatedProperties", "unevaluatedItems", "contains", "uniqueItems", "patternProperties",
    "propertyNames", "minProperties", "maxProperties", "$dynamicRef",
  ]

  private func isHard(_ schema: String) -> Bool {
    func mentions(_ value: Any) -> Bool {
      if let object = value as? [String: Any] {
        return object.contains { Self.hardKeywords.contains($0.key) || mentions($0.value) }
      }
      return (value as? [Any])?.contains { mentions($0) } ?? false
    }
    let value = try? JSONSerialization.jsonObject(
      with: Data(schema.utf8), options: .fragmentsAllowed)
    return value.map { mentions($0) } ?? false
  }
}

/// A value that a walk has written.
struct Finished: Encodable {
  var id: String
  var seed: Int
  var text: String
}
