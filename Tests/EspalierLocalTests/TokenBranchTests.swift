// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import EspalierLocal

/// What a model says after tokens that may follow, which no sequence has read.
@Suite struct TokenBranchTests {
  private let branches = [
    TokenBranch(token: 11, parent: nil), TokenBranch(token: 12, parent: 0),
    TokenBranch(token: 13, parent: nil), TokenBranch(token: 14, parent: 1),
  ]

  private func withModel(
    _ architecture: String, contextSize: Int = 64, _ body: (GGUFTokenModel) throws -> Void
  ) throws {
    let writer = TinyModel.writer(
      architecture: architecture, shape: TinyModel.Shape.showing(architecture, .wide))
    try withTemporaryFile(writer.file()) { path in
      try body(GGUFTokenModel(path: path, options: .init(contextSize: contextSize)))
    }
  }

  /// Also after tokens that were read ahead, and by a model whose recurrences read level by level.
  @Test(arguments: ["llama", "lfm2"])
  func theLogitsAreThoseOfEachBranchAlone(architecture: String) throws {
    try withModel(architecture) { model in
      var context = model.makeContext()
      _ = try context.append([1, 2, 3], expecting: [4, 5])
      let asked = [[20, 21, 22], [], [23], [24, 25]]
      let found = try context.logits(of: asked, after: branches)
      for (place, path) in [[11], [11, 12], [13], [11, 12, 14]].enumerated() {
        var alone = model.makeContext()
        try alone.append([1, 2, 3] + path)
        var logits: [Float] = []
        alone.nextLogits(of: asked[place], into: &logits)
        #expect(found[place] == logits, "branch \(place)")
      }
      #expect(context.tokens == [1, 2, 3])
    }
  }

  @Test(arguments: ["llama", "lfm2"])
  func whatCannotBeReadIsAnError(architecture: String) throws {
    try withModel(architecture, contextSize: 5) { model in
      var context = model.makeContext()
      try context.append([1, 2, 3])
      #expect(throws: TokenModelError.contextOverflow(needed: 6, contextSize: 5)) {
        try context.logits(of: [[], [], [], []], after: branches)
      }
      #expect(throws: TokenModelError.unknownToken(-1)) {
        try context.logits(of: [[1]], after: [TokenBranch(token: -1, parent: nil)])
      }
    }
  }
}
