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
  let attended: Rows
  let projected: Rows
  let gate: Rows
  let up: Rows
  let wide: ActivationBlocks
  let attention: ActivationBlocks
  let feedForward: ActivationBlocks

  init(_ p: ModelParameters, capacity: Int) {
    self.capacity = capacity
    func rows(_ width: Int) -> Rows { .allocate(capacity: width * capacity) }
    hidden = rows(p.width)
    normalized = rows(p.width)
    query = rows(p.heads * p.headSize)
    key = rows(p.keyValueHeads * p.headSize)
    value = rows(p.keyValueHeads * p.headSize)
    attended = rows(p.heads * p.headSize)
    projected = rows(p.width)
    gate = rows(p.feedForwardWidth)
    up = rows(p.feedForwardWidth)
    wide = ActivationBlocks(width: p.width, capacity: capacity)
    attention = ActivationBlocks(width: p.heads * p.headSize, capacity: capacity)
    feedForward = ActivationBlocks(width: p.feedForwardWidth, capacity: capacity)
  }

  deinit {
    for buffer in [
      hidden, normalized, query, key, value, attended, projected, gate, up,
    ] { buffer.deallocate() }
  }
}
