// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The workspace of the last pass, for the next one: a pass of one token takes as long as some hundred
/// allocations of this size.
final class WorkspaceStore: Sendable {
  private let kept = Mutex<Workspace?>(nil)

  /// A workspace with room for some rows.
  func take(_ p: ModelParameters, capacity: Int) -> Workspace {
    let found = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    if let found, found.capacity >= capacity { return found }
    return Workspace(p, capacity: capacity)
  }

  /// Keeps a workspace that nobody uses any more.
  func giveBack(_ space: Workspace) {
    // A large one is soon made, beside what it is for, and takes much memory.
    if space.capacity <= 32 { kept.withLock { $0 = space } }
  }
}

/// Room for what one pass through the layers computes.
///
/// Invariants of the unsafe memory: each buffer has room for `capacity` rows. Unchecked, for pointers are
/// not sendable: one pass has a workspace at a time (``WorkspaceStore``).
final class Workspace: @unchecked Sendable {
  typealias Rows = UnsafeMutablePointer<Float>

  let capacity: Int
  let hidden: Rows
  let normalized: Rows
  let query: Rows
  let key: Rows
  let value: Rows
  /// What attention's results, or those of a recurrence, are gated with.
  let mixingGate: Rows
  /// What goes through a recurrence.
  let mixed: Rows
  /// For each head of a recurrence how much is forgotten, and how much is taken in.
  let decays: Rows
  let strengths: Rows
  let attended: Rows
  let projected: Rows
  let gate: Rows
  let up: Rows
  /// How well each expert fits.
  let scores: Rows
  /// The rows that an expert takes, and what it makes of them.
  let gathered: Rows
  let expertResult: Rows
  /// What a dense part beside experts makes of the rows.
  let denseResult: Rows
  /// What layers take in of each token, a part for each layer, and one part gated.
  let layerInputs: Rows
  let gatedInput: Rows
  /// Hidden rows side by side: those of all tokens, then the next of all tokens.
  let streams: Rows
  /// What goes around attention, and the few numbers that it goes through.
  let bypass: Rows
  let narrowBypass: Rows
  /// Numbers of one head of latent attention, before and after a product.
  let headInput: Rows
  let headOutput: Rows
  let wide: ActivationBlocks
  let attention: ActivationBlocks
  let feedForward: ActivationBlocks
  let narrow: ActivationBlocks

  init(_ p: ModelParameters, capacity: Int) {
    self.capacity = capacity
    func rows(_ width: Int) -> Rows { .allocate(capacity: width * capacity) }
    let mixture = p.mixture
    let inner = max(p.feedForwardWidth, mixture?.width ?? 0, mixture?.sharedWidth ?? 0)
    let isGated = p.architecture.gatesAttention || p.recurrence != nil
    hidden = rows(p.width)
    normalized = rows(p.width)
    let inputWidth = p.layerInputWidth ?? 0
    let bypassWidth = p.streams == nil ? 0 : p.bypassWidth
    query = rows(p.queryWidth)
    key = rows(p.keyWidth)
    value = rows(p.keyWidth)
    mixingGate = rows(isGated ? p.attendedWidth : 0)
    mixed = rows(p.mixedWidth)
    decays = rows(p.recurrentHeads)
    strengths = rows(p.recurrentHeads)
    attended = rows(p.attendedWidth)
    projected = rows(p.width)
    gate = rows(inner)
    up = rows(inner)
    scores = rows(mixture?.experts ?? 0)
    gathered = rows(mixture == nil ? 0 : p.width)
    expertResult = rows(mixture == nil ? 0 : p.width)
    denseResult = rows(mixture != nil && p.architecture == .gemma4 ? p.width : 0)
    layerInputs = rows(p.layers.count * inputWidth)
    gatedInput = rows(inputWidth)
    streams = rows((p.streams?.count ?? 0) * p.width)
    bypass = rows(p.streams == nil ? 0 : p.width)
    narrowBypass = rows(bypassWidth)
    let headWidth = p.latent.map { max($0.rank, $0.plain, $0.valueSize) } ?? 0
    headInput = rows(headWidth)
    headOutput = rows(headWidth)
    wide = ActivationBlocks(width: p.width, capacity: capacity)
    attention = ActivationBlocks(width: p.attendedWidth, capacity: capacity)
    feedForward = ActivationBlocks(width: inner, capacity: capacity)
    narrow = ActivationBlocks(
      width: max(inputWidth, bypassWidth, headWidth), capacity: capacity)
  }

  deinit {
    for buffer in [
      hidden, normalized, query, key, value, mixingGate, mixed, decays, strengths, attended,
      projected, gate, up, scores, gathered, expertResult, denseResult, layerInputs,
      gatedInput, streams, bypass, narrowBypass, headInput, headOutput,
    ] { buffer.deallocate() }
  }
}
