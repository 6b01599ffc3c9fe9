/// Attention of some positions to themselves and those before.
///
/// Invariants of the unsafe memory: `keys` and `values` have a row for every position up to the
/// last one asked about; heads write to rows of their own.
struct Attention {
  let parameters: ModelParameters
  let keys: UnsafePointer<Float>
  let values: UnsafePointer<Float>
  let window: Int?

  func run(_ space: Workspace, _ count: Int, _ start: Int, _ team: ThreadTeam) {
    nonisolated(unsafe) let space = space
    nonisolated(unsafe) let attention = self
    team.forEachRange(
      of: parameters.heads, costOfOne: count * (start + count) * parameters.headSize
    ) { range in
      for head in range {
        let scores = space.scores + head * (start + count)
        for position in 0..<count {
          attention.attend(head, position, start + position, space, scores)
        }
      }
    }
  }

  private func attend(
    _ head: Int, _ row: Int, _ position: Int, _ space: Workspace, _ scores: Workspace.Rows
  ) {
    let p = parameters
    let size = p.headSize
    let stride = p.keyValueHeads * size
    let shared = head / (p.heads / p.keyValueHeads) * size
    let query = space.query + (row * p.heads + head) * size
    let scale = 1 / Float(size).squareRoot()
    let first = window.map { max(0, position - $0 + 1) } ?? 0
    for i in first...position {
      scores[i] = GroupProducts.floats(query, keys + i * stride + shared, size) * scale
    }
    VectorMath.softmax(scores + first, position - first + 1)
    let output = space.attended + (row * p.heads + head) * size
    output.update(repeating: 0, count: size)
    for i in first...position {
      let weight = scores[i]
      let value = values + i * stride + shared
      for j in 0..<size { output[j] += weight * value[j] }
    }
  }
}
