// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if ESPALIER_AVX2 || ESPALIER_AVX512
  package import GGUFKernels
#endif

// Attention of queries that share a head of keys and values, four at a time.
//
// Keys stand in pages of 16 positions, number by number: a vector holds the same number of the keys
// of several positions. So a score is a sum within a lane, and four queries read each vector of keys
// once. Values stand position by position: a vector holds numbers of one value, and the weights of
// four queries are spread beside it.
//
// Positions that a query does not see get the weight 0, whichever queries it is computed with, and
// the weights of a query are added up by their positions modulo 16. So a query's result does not
// depend on the others.

extension Kernels {
  package static func attend(_ queries: AttentionQueries, _ memory: AttentionMemory) {
    var first = queries.range.lowerBound
    while first < queries.range.upperBound {
      let count = min(4, queries.range.upperBound &- first)
      attendFour(queries, first, count, memory)
      first &+= count
    }
  }

  /// The positions that a query sees.
  @inline(__always)
  private static func seen(_ queries: AttentionQueries, _ query: Int) -> (first: Int, last: Int) {
    let last = queries.firstPosition &+ query / queries.heads
    guard let window = queries.window else { return (0, last) }
    return (max(0, last &- window &+ 1), last)
  }

  @inline(__always)
  private static func place(_ queries: AttentionQueries, _ query: Int) -> Int {
    query / queries.heads &* queries.stride &+ query % queries.heads &* queries.size
  }

  private static func attendFour(
    _ queries: AttentionQueries, _ first: Int, _ count: Int, _ memory: AttentionMemory
  ) {
    // The last query stands in for those that are missing.
    let last = first &+ count &- 1
    let ids = (first, min(first &+ 1, last), min(first &+ 2, last), last)
    let pages = (seen(queries, first).first &>> 4)...(seen(queries, last).last &>> 4)
    let capacity = memory.capacity
    if count == 1 {
      scoresOfOne(queries.input + place(queries, first), queries, pages, memory)
    } else {
      scoresOfFour(
        (
          queries.input + place(queries, ids.0), queries.input + place(queries, ids.1),
          queries.input + place(queries, ids.2), queries.input + place(queries, ids.3)
        ), queries, pages, memory)
    }
    let size = (queries.size &+ 15) & ~15
    let outputs = memory.scratch + 4 &* capacity
    for query in first...last {
      let scores = memory.scratch + (query &- first) &* capacity
      let inverse = softmax(
        scores, pages, seen(queries, query), queries.softCap,
        sink: queries.sinks?[query % queries.heads])
      // Weighted with the inverse at the end, which saves a product for each position.
      outputs[4 &* size &+ query &- first] = inverse
    }
    if count == 1 {
      mixOne(pages, seen(queries, last).last, size, memory, outputs)
    } else {
      for missing in count..<4 where missing < 4 {
        let from = memory.scratch + (count &- 1) &* capacity
        let target = memory.scratch + missing &* capacity
        let start = pages.lowerBound &* 16
        (target + start).update(from: from + start, count: pages.count &* 16)
      }
      mixFour(pages, seen(queries, last).last, size, memory, outputs)
    }
    for query in first...last {
      let source = outputs + (query &- first) &* size
      let inverse = outputs[4 &* size &+ query &- first]
      let target = queries.output + place(queries, query)
      var i = 0
      while i < queries.size {
        target[i] = source[i] * inverse
        i &+= 1
      }
    }
  }

  private static func scoresOfFour(
    _ q: (
      UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>
    ), _ queries: AttentionQueries, _ pages: ClosedRange<Int>, _ memory: AttentionMemory
  ) {
    let rowBytes = memory.capacity &* 4
    let scores = UnsafeMutableRawPointer(memory.scratch)
    let (size, scale) = (queries.size, queries.scale)
    var page = pages.lowerBound
    while page <= pages.upperBound {
      let keys = UnsafeRawPointer(memory.pages[page] + memory.keys)
      var part = 0
      while part < 16 {
        var (a, b, c, d) = (Lanes(), Lanes(), Lanes(), Lanes())
        var i = 0
        while i < size {
          let key = keys.lanes(i &* 64 &+ part &* 4)
          a += key * q.0[i]
          b += key * q.1[i]
          c += key * q.2[i]
          d += key * q.3[i]
          i &+= 1
        }
        let place = (page &* 16 &+ part) &* 4
        scores.storeBytes(of: a * scale, toByteOffset: place, as: Lanes.self)
        scores.storeBytes(of: b * scale, toByteOffset: place &+ rowBytes, as: Lanes.self)
        scores.storeBytes(of: c * scale, toByteOffset: place &+ 2 &* rowBytes, as: Lanes.self)
        scores.storeBytes(of: d * scale, toByteOffset: place &+ 3 &* rowBytes, as: Lanes.self)
        part &+= laneCount
      }
      page &+= 1
    }
  }

  private static func scoresOfOne(
    _ q: UnsafePointer<Float>, _ queries: AttentionQueries, _ pages: ClosedRange<Int>,
    _ memory: AttentionMemory
  ) {
    let scores = UnsafeMutableRawPointer(memory.scratch)
    let (size, scale) = (queries.size, queries.scale)
    var page = pages.lowerBound
    while page <= pages.upperBound {
      let keys = UnsafeRawPointer(memory.pages[page] + memory.keys)
      var part = 0
      while part < 16 {
        var a = Lanes()
        var i = 0
        while i < size {
          a += keys.lanes(i &* 64 &+ part &* 4) * q[i]
          i &+= 1
        }
        scores.storeBytes(
          of: a * scale, toByteOffset: (page &* 16 &+ part) &* 4, as: Lanes.self)
        part &+= laneCount
      }
      page &+= 1
    }
  }

  /// Turns the scores of the positions seen into weights, and those of the others into 0.
  ///
  /// - Returns: What the weights are to be multiplied with, so that they add up to one.
  private static func softmax(
    _ scores: UnsafeMutablePointer<Float>, _ pages: ClosedRange<Int>,
    _ seen: (first: Int, last: Int), _ softCap: Float?, sink: Float?
  ) -> Float {
    let start = pages.lowerBound &* 16
    let end = pages.upperBound &* 16 &+ 16
    let raw = UnsafeMutableRawPointer(scores)
    if let softCap {
      var i = start
      while i < end {
        let x = UnsafeRawPointer(raw).lanes(i &* 4)
        raw.storeBytes(
          of: tangent(x / softCap) * softCap, toByteOffset: i &* 4, as: Lanes.self)
        i &+= laneCount
      }
    }
    var i = start
    while i < seen.first {
      scores[i] = -.infinity
      i &+= 1
    }
    i = seen.last &+ 1
    while i < end {
      scores[i] = -.infinity
      i &+= 1
    }
    var greatest = sink ?? -.infinity
    var most = Lanes(repeating: greatest)
    i = start
    while i < end {
      let x = UnsafeRawPointer(raw).lanes(i &* 4)
      most.replace(with: x, where: x .> most)
      i &+= laneCount
    }
    for lane in 0..<laneCount where most[lane] > greatest { greatest = most[lane] }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 64) { buffer in
      guard let totals = buffer.baseAddress else { return 1 }
      var part = 0
      while part < 16 {
        var total = Lanes()
        var i = start &+ part
        while i < end {
          let weight = exponential(UnsafeRawPointer(raw).lanes(i &* 4) - greatest)
          raw.storeBytes(of: weight, toByteOffset: i &* 4, as: Lanes.self)
          total += weight
          i &+= 16
        }
        totals.storeBytes(of: total, toByteOffset: part &* 4, as: Lanes.self)
        part &+= laneCount
      }
      var total = sum(totals.assumingMemoryBound(to: Float.self))
      if let sink { total += exponential(Lanes(repeating: sink - greatest))[0] }
      return 1 / total
    }
  }

  private static func mixFour(
    _ pages: ClosedRange<Int>, _ last: Int, _ size: Int, _ memory: AttentionMemory,
    _ outputs: UnsafeMutablePointer<Float>
  ) {
    let capacity = memory.capacity
    let (w0, w1) = (UnsafePointer(memory.scratch), UnsafePointer(memory.scratch + capacity))
    let (w2, w3) = (w0 + 2 &* capacity, w0 + 3 &* capacity)
    let target = UnsafeMutableRawPointer(outputs)
    var part = 0
    while part < size {
      var (a, b, c, d) = (Lanes(), Lanes(), Lanes(), Lanes())
      var page = pages.lowerBound
      while page <= pages.upperBound {
        let values = UnsafeRawPointer(memory.pages[page] + memory.values) + part &* 4
        let count = min(16, last &+ 1 &- page &* 16)
        var i = 0
        while i < count {
          let value = values.lanes(i &* size &* 4)
          let place = page &* 16 &+ i
          a += value * w0[place]
          b += value * w1[place]
          c += value * w2[place]
          d += value * w3[place]
          i &+= 1
        }
        page &+= 1
      }
      target.storeBytes(of: a, toByteOffset: part &* 4, as: Lanes.self)
      target.storeBytes(of: b, toByteOffset: (size &+ part) &* 4, as: Lanes.self)
      target.storeBytes(of: c, toByteOffset: (2 &* size &+ part) &* 4, as: Lanes.self)
      target.storeBytes(of: d, toByteOffset: (3 &* size &+ part) &* 4, as: Lanes.self)
      part &+= laneCount
    }
  }

  private static func mixOne(
    _ pages: ClosedRange<Int>, _ last: Int, _ size: Int, _ memory: AttentionMemory,
    _ outputs: UnsafeMutablePointer<Float>
  ) {
    let weights = UnsafePointer(memory.scratch)
    var part = 0
    while part < size {
      var a = Lanes()
      var page = pages.lowerBound
      while page <= pages.upperBound {
        let values = UnsafeRawPointer(memory.pages[page] + memory.values) + part &* 4
        let count = min(16, last &+ 1 &- page &* 16)
        var i = 0
        while i < count {
          a += values.lanes(i &* size &* 4) * weights[page &* 16 &+ i]
          i &+= 1
        }
        page &+= 1
      }
      UnsafeMutableRawPointer(outputs).storeBytes(
        of: a, toByteOffset: part &* 4, as: Lanes.self)
      part &+= laneCount
    }
  }
}
