// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstraintEngine

/// The strongly connected components of a directed graph (Tarjan, 1972), without recursion: each
/// component comes after those that it leads to.
struct StrongComponents {
  private(set) var components: [[Int]] = []

  /// - Parameter edges: for each node the nodes that it leads to.
  /// - Complexity: linear in nodes and edges.
  init(of edges: [[Int]]) {
    var order = [Int](repeating: -1, count: edges.count)
    var lowest = [Int](repeating: 0, count: edges.count)
    var isOpen = [Bool](repeating: false, count: edges.count)
    var open: [Int] = []
    var next = 0
    for root in edges.indices where order[root] < 0 {
      var path: [(node: Int, edge: Int)] = [(root, 0)]
      while let (node, edge) = path.last {
        if edge == 0, order[node] < 0 {
          order[node] = next
          lowest[node] = next
          next += 1
          open.append(node)
          isOpen[node] = true
        }
        if edge < edges[node].count {
          path[path.count - 1].edge += 1
          let target = edges[node][edge]
          if order[target] < 0 {
            path.append((target, 0))
          } else if isOpen[target] {
            lowest[node] = min(lowest[node], order[target])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
        guard lowest[node] == order[node] else { continue }
        var component: [Int] = []
        while let member = open.popLast() {
          isOpen[member] = false
          component.append(member)
          if member == node { break }
        }
        components.append(component)
      }
    }
  }
}
