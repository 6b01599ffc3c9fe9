/// Room for what one pass through the layers computes.
///
/// Invariants of the unsafe memory: each buffer has room for `capacity` rows; a workspace
/// lives within one call of the transformer.
final class Workspace {
  typealias Rows = UnsafeMutablePointer<Float>

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
