// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import Foundation
import Workloads

extension BenchClock: ExpressibleByArgument {}

/// Measures token masks the way the peers' script does: compile; for each instance a fresh matcher;
/// at each token a full mask, the bit of the next token, accept; a verdict for each instance.
@main
struct MaskBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "maskbench", abstract: "Measure token masks on a workload of JSON Schemas.")

  enum Policy: String, ExpressibleByArgument, CaseIterable {
    /// Properties in declared order, flexible white space.
    case generation
    /// Any order, any white space, any spelling.
    case validation
  }

  @Option(help: "The workload: one schema with its instances a line.") var workload: String
  @Option(help: "The vocabulary, as a .bin file.") var vocabulary: String
  @Option(help: "Which texts are in the language.") var policy = Policy.validation
  @Option(help: "A folder of documents that schemas refer to.") var remotes: String?
  @Option(help: "The URI of that folder.") var base = "http://localhost:1234/"
  @Option(help: "Where to write the results, as JSON.") var out: String?
  @Option(help: "Take only this many schemas.") var limit = Int.max
  @Option(help: "Take only the schemas whose id has this in it.") var only: String?
  @Option(help: "Take only so many instances of each schema; 1 measures grammars that are new.")
  var instances = Int.max
  @Flag(help: "Write all bits of each mask into memory of one's own, as for a GPU.")
  var copies = false
  @Option(help: "The most tokens of one schema, over all its instances.") var maxTokens = 20_000
  @Option(help: "Which clock to measure with.") var clock = BenchClock.cpu
  @Option(help: "Compare so many random tokens of each mask with what the matcher accepts.")
  var check = 0
  @Option(help: "The seed of the tokens to compare.") var seed: UInt64 = 1
  @Option(help: "The memory that a grammar may keep, in megabytes.") var memory = 64
  @Option(help: "The most alternatives that one place of a schema may have.")
  var alternatives = CompilationOptions.Limits().alternatives
  @Option(help: "The most states of the regular languages that have their transitions.")
  var states = CompilationOptions.Limits().states
  @Option(help: "Measure one warm grammar on so many threads instead.") var threads = 1
  @Option(help: "Measure masks within so many tokens more than the shortest completion instead.")
  var budget: Int?
  @Flag(help: "Give verdicts only: accept bytes without any mask.") var verdictsOnly = false
  @Flag(help: "Print every schema that is not fully right.") var verbose = false

  func run() throws {
    let start = clock.now()
    let vocabulary = try readVocabulary(vocabulary)
    let prepared = Double(clock.now() - start) / 1e6
    let resident = peakResidentMegabytes()
    var bits = TokenBitmask(vocabulary: vocabulary)
    var options = self.options
    options.documents = try remotes.map { try readDocuments($0, base: base) } ?? [:]
    var results: [SchemaResult] = []
    let lines = try String(contentsOfFile: workload, encoding: .utf8)
    var measurement = ThreadMeasurement(threads: threads)
    var taken = 0
    for (index, line) in lines.split(separator: "\n").enumerated() where taken < limit {
      let record = try JSONDecoder().decode(Record.self, from: Data(line.utf8))
      if let only, !record.id.contains(only) { continue }
      taken += 1
      if threads > 1 {
        guard let grammar = try? Grammar(jsonSchema: record.schema, options: options) else {
          continue
        }
        measurement.measure(grammar, vocabulary, record.tests.map(\.tokens))
        continue
      }
      let result = measure(record, index, options, vocabulary, &bits)
      if verbose, !result.isRight { report(result) }
      results.append(result)
    }
    if threads > 1 {
      print(
        "\(measurement.masks) masks, \(measurement.rate) million a second on one thread, "
          + "\(measurement.ratio) times as many on \(threads)")
      return
    }
    let summary = Summary(
      version: "\(policy)",
      workload: URL(fileURLWithPath: workload).lastPathComponent,
      tokenizer: URL(fileURLWithPath: self.vocabulary).lastPathComponent,
      schemas: results.count, compileErrors: results.count { $0.compileError != nil },
      passing: results.count { $0.isRight },
      falseRejects: results.reduce(0) { $0 + $1.falseRejects.count },
      falseAccepts: results.reduce(0) { $0 + $1.falseAccepts.count },
      initMilliseconds: prepared, residentAfterInit: resident,
      peakResident: peakResidentMegabytes())
    printSummary(summary, results)
    if let out {
      let data = try JSONEncoder().encode(ResultFile(summary: summary, schemas: results))
      try data.write(to: URL(fileURLWithPath: out))
    }
  }

  private var options: CompilationOptions {
    var options = CompilationOptions.validation
    if policy == .generation { options.propertyOrder = .declared }
    options.limits.memory = memory << 20
    options.limits.alternatives = alternatives
    options.limits.states = states
    return options
  }

  private func measure(
    _ record: Record, _ index: Int, _ options: CompilationOptions, _ vocabulary: Vocabulary,
    _ bits: inout TokenBitmask
  ) -> SchemaResult {
    var result = SchemaResult(
      id: record.id, split: record.split, i: index, tests: record.tests.count)
    var checker = MaskChecker(count: check, seed: seed, vocabulary: vocabulary)
    let start = clock.now()
    let grammar: Grammar
    do {
      grammar = try Grammar(jsonSchema: record.schema, options: options)
    } catch {
      result.compileError = "\(error)"
      return result
    }
    result.compileNanoseconds = clock.now() - start
    var row = [UInt32](repeating: 0, count: bits.words.count)
    var first = Matcher(grammar: grammar, vocabulary: vocabulary)
    if !verdictsOnly { first.fill(&bits) }
    result.firstMaskNanoseconds = clock.now() - start
    var taken = 0
    for (place, test) in record.tests.prefix(instances).enumerated() {
      var matcher = Matcher(grammar: grammar, vocabulary: vocabulary)
      var reason: String?
      var limit: GrammarError.Diagnostic?
      for (position, token) in test.tokens.enumerated() {
        let before = clock.now()
        var isAllowed = true
        var filled = before
        if let budget {
          _ = matcher.allowedTokens(within: matcher.shortestCompletionTokens().count + budget)
          filled = clock.now()
          limit = limit ?? matcher.reachedLimit
        } else if copies {
          var span = row.mutableSpan
          matcher.allowedTokens().copy(to: &span)
          filled = clock.now()
          isAllowed = row[token >> 5] >> UInt32(token & 31) & 1 == 1
          limit = limit ?? matcher.reachedLimit
        } else if !verdictsOnly {
          matcher.fill(&bits)
          filled = clock.now()
          isAllowed = bits[token]
          limit = limit ?? matcher.reachedLimit
        }
        if check > 0, !copies { checker.compare(matcher, bits, record.id, position) }
        do {
          if isAllowed { try matcher.accept(token) }
        } catch {
          isAllowed = false
          reason = "\(error) at token \(position)"
        }
        let after = clock.now()
        if !verdictsOnly {
          result.maskNanoseconds.append(filled - before)
          result.stepNanoseconds.append(after - before)
        }
        if !isAllowed {
          reason = reason ?? "token \(position) \(vocabulary.bytes(of: token).description)"
          break
        }
        taken += 1
        if taken >= maxTokens { break }
      }
      if taken >= maxTokens { break }
      if reason == nil, !matcher.canEnd() { reason = "end not allowed" }
      if let limit = limit ?? matcher.reachedLimit {
        result.undecided += 1
        result.limit = "\(limit)"
        continue
      }
      if let reason, test.valid { result.falseRejects.append(.init(index: place, reason: reason)) }
      if reason == nil, !test.valid { result.falseAccepts.append(place) }
    }
    checker.report()
    if verbose, grammar.dropCount > 0 {
      print("\(record.id): made room \(grammar.dropCount) times")
    }
    result.residentMegabytes = peakResidentMegabytes()
    return result
  }

  private func report(_ result: SchemaResult) {
    if let error = result.compileError {
      print("\(result.id): does not compile: \(error)")
    }
    if let limit = result.limit {
      print("\(result.id): \(result.undecided) instances undecided: \(limit)")
    }
    for reject in result.falseRejects {
      print("\(result.id): valid instance \(reject.index) refused: \(reject.reason)")
    }
    for accept in result.falseAccepts {
      print("\(result.id): invalid instance \(accept) accepted")
    }
  }

  private func printSummary(_ summary: Summary, _ results: [SchemaResult]) {
    print(
      "\(summary.schemas) schemas, \(summary.passing) fully right, "
        + "\(summary.compileErrors) not compiled, \(summary.falseRejects) valid refused, "
        + "\(summary.falseAccepts) invalid accepted, "
        + "\(results.reduce(0) { $0 + $1.undecided }) undecided; "
        + "vocabulary \(Int(summary.initMilliseconds)) ms; the clock's floor \(clock.floor) ns")
    func line(_ name: String, _ values: [Int]) {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return }
      func at(_ share: Double) -> Double {
        Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
      }
      let average = Double(sorted.reduce(0, +)) / Double(sorted.count) / 1000
      print(
        String(
          format: "%@ us: avg %.2f p25 %.2f p50 %.2f p90 %.2f p99 %.2f p99.9 %.1f max %.0f (n %d)",
          name, average, at(0.25), at(0.5), at(0.9), at(0.99), at(0.999), at(1), sorted.count))
    }
    line("first mask", results.compactMap(\.firstMaskNanoseconds))
    line("mask", results.flatMap(\.maskNanoseconds))
    line("step", results.flatMap(\.stepNanoseconds))
  }
}
