// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import EspalierLocal
@testable import GGUFRuntime

/// Sequences that are read together get the bits that each gets alone, with every kind of kernels and
/// any number of threads.
@Suite struct BatchTests {
  /// The hidden numbers after each step of some sequences: first prompts of several lengths, then one
  /// token at a time.
  private func steps(
    _ file: GGUFFile, _ kernels: ProcessorKernels, threads: Int, together: Bool, chunk: Int,
    precision: CachePrecision = .float32
  ) throws -> [[[Float]]] {
    var parameters = try ModelParameters(metadata: file.metadata)
    parameters.cachePrecision = precision
    let transformer = try Transformer(
      file: file, parameters: parameters, Compute(kernels, threads: threads))
    let prompts = [3, 40, 17].map { count in (0..<count).map { ($0 * 7 + count) % 250 } }
    var caches = prompts.map { _ in KeyValueCache(parameters) }
    var results: [[[Float]]] = prompts.map { _ in [] }
    func read(_ tokens: [(Int, ArraySlice<Int>)]) throws {
      var readings = tokens.map { Transformer.Reading($0.1, after: caches[$0.0]) }
      try transformer.read(&readings)
      for ((index, _), reading) in zip(tokens, readings) {
        caches[index] = reading.cache
        results[index].append(reading.states[0])
      }
    }
    for index in prompts.indices {
      var rest = prompts[index][...]
      while !rest.isEmpty {
        try read([(index, rest.prefix(chunk))])
        if rest.count > chunk { results[index].removeLast() }
        rest = rest.dropFirst(chunk)
      }
    }
    for step in 0..<5 {
      let tokens = prompts.indices.map { ($0, [(step * 31 + $0) % 250][...]) }
      if together { try read(tokens) } else { for token in tokens { try read([token]) } }
    }
    return results
  }

  @Test(
    arguments: [
      "llama", "gemma2", "gemma3", "gemma3n", "gemma4", "phi3", "gpt-oss", "lfm2moe", "qwen35moe",
      "nemotron_h_moe", "deepseek2",
    ],
    [GGUFTensorType.q4_1, .f32])
  func aBatchGivesTheBitsOfEachAlone(architecture: String, type: GGUFTensorType) throws {
    var shape = TinyModel.Shape.wide
    shape.inputWidth = 32
    shape = .showing(architecture, shape)
    let writer = TinyModel.writer(architecture: architecture, shape: shape, type: type)
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      let expected = try steps(file, .baseline, threads: 1, together: false, chunk: 1)
      for kernels in ProcessorKernels.available {
        for (threads, together, chunk) in [(1, true, 64), (2, true, 5), (3, false, 16)] {
          let found = try steps(
            file, kernels, threads: threads, together: together, chunk: chunk)
          #expect(found == expected, "\(kernels), \(threads) threads, chunks of \(chunk)")
        }
      }
    }
  }

  /// What is kept as whole numbers is unpacked in one way, and is close to what was computed. (Not so
  /// in a mixture, where a small difference can choose another expert.)
  @Test(arguments: ["llama", "gemma3", "gemma4", "lfm2"], [CachePrecision.int16, .int8])
  func packedCachesGiveTheBitsOfEachAlone(architecture: String, precision: CachePrecision) throws {
    let shape = TinyModel.Shape.showing(architecture, .wide)
    let writer = TinyModel.writer(architecture: architecture, shape: shape, type: .f32)
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      let exact = try steps(file, .baseline, threads: 1, together: false, chunk: 16)
      let expected = try steps(
        file, .baseline, threads: 1, together: false, chunk: 1, precision: precision)
      let differences = zip(exact.joined().joined(), expected.joined().joined())
        .map { abs($0 - $1) }
      // Hidden numbers are near one; 15 bits or 7 are left of each key and value, and errors add up.
      let greatest = try #require(differences.max())
      #expect(0 < greatest && greatest < (precision == .int16 ? 0.002 : 0.4))
      for kernels in ProcessorKernels.available {
        let found = try steps(
          file, kernels, threads: 2, together: true, chunk: 64, precision: precision)
        #expect(found == expected, "\(kernels)")
      }
    }
  }

  /// Every token of a tree sees the sequence and the tokens that lead to it, and nothing else.
  @Test(
    arguments: ["llama", "gemma2", "gemma3", "gpt-oss"], CachePrecision.allCases)
  func aTreeGivesTheBitsOfEachBranchAlone(
    architecture: String, precision: CachePrecision
  ) throws {
    let shape = TinyModel.Shape.showing(architecture, .wide)
    let writer = TinyModel.writer(architecture: architecture, shape: shape, type: .q4_1)
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      var parameters = try ModelParameters(metadata: file.metadata)
      parameters.cachePrecision = precision
      let branches: [(token: Int, parent: Int?)] = [
        (11, nil), (12, 0), (13, nil), (14, 1), (12, 2), (14, 1), (15, 5), (16, 6), (17, 7),
      ]
      for threads in [1, 3] {
        let transformer = try Transformer(
          file: file, parameters: parameters, Compute(.best, threads: threads))
        // With and without positions after the last full page, and with nothing before.
        for count in [0, 1, 15, 16, 41] {
          let tokens = (0..<count).map { ($0 * 7 + 3) % 250 }
          var cache = KeyValueCache(parameters)
          if count > 0 {
            var readings = [Transformer.Reading(tokens[...], after: cache)]
            try transformer.read(&readings)
            cache = readings[0].cache
          }
          var tree = TokenTree()
          for branch in branches { tree.append(branch.token, after: branch.parent) }
          let found = try transformer.read(tree, after: cache)
          for (index, state) in found.enumerated() {
            var path: [Int] = []
            var next: Int? = index
            while let place = next {
              path.insert(branches[place].token, at: 0)
              next = branches[place].parent
            }
            var readings = [Transformer.Reading(path[...], after: cache)]
            try transformer.read(&readings)
            #expect(state == readings[0].states[0], "branch \(index) after \(count) tokens")
          }
        }
      }
    }
  }

  /// Forks share pages until they part, and going back does not change what others remember.
  @Test(arguments: CachePrecision.allCases)
  func forksGoOnApart(precision: CachePrecision) throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let file = try GGUFFile(path: path)
      var parameters = try ModelParameters(metadata: file.metadata)
      parameters.cachePrecision = precision
      let transformer = try Transformer(file: file, parameters: parameters)
      func read(_ tokens: [Int], _ cache: inout KeyValueCache) throws -> [Float] {
        var readings = [Transformer.Reading(tokens[...], after: cache)]
        try transformer.read(&readings)
        cache = readings[0].cache
        return readings[0].states[0]
      }
      func alone(_ tokens: [Int]) throws -> [Float] {
        var cache = KeyValueCache(transformer.parameters)
        return try read(tokens, &cache)
      }
      let shared = Array(1...21)
      var first = KeyValueCache(parameters)
      _ = try read(shared, &first)
      var second = first
      var third = first
      third.truncate(to: 7)
      #expect(try read([90, 91], &first) == alone(shared + [90, 91]))
      #expect(try read([80], &second) == alone(shared + [80]))
      #expect(try read([70, 71], &third) == alone(Array(1...7) + [70, 71]))
      #expect(try read([92], &first) == alone(shared + [90, 91, 92]))
      #expect(try read([81], &second) == alone(shared + [80, 81]))
    }
  }

  /// Layers without attention cannot go back to every place: what they forgot is read again.
  @Test(arguments: ["lfm2", "qwen35", "granitehybrid", "nemotron_h"], [3, 70, 128, 150, 400])
  func goingBackGivesTheNumbersOfASequenceAlone(architecture: String, place: Int) throws {
    let writer = TinyModel.writer(architecture: architecture, shape: .showing(architecture))
    try withTemporaryFile(writer.file()) { path in
      let model = try GGUFTokenModel(path: path)
      let tokens = (0..<420).map { ($0 * 7) % 250 }
      func logits(_ context: inout GGUFTokenModel.Context) -> [Float] {
        var logits: [Float] = []
        context.nextLogits(into: &logits)
        return logits
      }
      var context = model.makeContext()
      try context.append(tokens)
      var fork = context
      fork.rollback(to: place)
      #expect(fork.tokens.count == place)
      try fork.append([5, 6])
      var alone = model.makeContext()
      try alone.append(Array(tokens[..<place]) + [5, 6])
      #expect(fork.tokens == alone.tokens)
      #expect(logits(&fork) == logits(&alone))
      // The sequence that the fork came from goes on where it was, together with it.
      var both = [context, fork]
      let errors = GGUFTokenModel.Context.append(
        [[9], [9]], to: &both, preparingLogits: [true, true])
      #expect(errors.allSatisfy { $0 == nil })
      try context.append([9])
      try alone.append([9])
      #expect(logits(&both[0]) == logits(&context))
      #expect(logits(&both[1]) == logits(&alone))
    }
  }
}
