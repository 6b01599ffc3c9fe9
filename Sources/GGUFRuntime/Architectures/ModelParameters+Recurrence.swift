// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// What layers have in the place of attention to keys and values.
extension ModelParameters {
  static func latent(
    _ reader: MetadataReader, _ headSize: Int, _ rope: Rotations.Shape
  ) throws(GGUFError) -> LatentShape {
    let rank = try reader.integer("attention.kv_lora_rank", in: 1...65536)
    guard reader.has("attention.key_length_mla") else {
      throw reader.error(
        "attention.key_length_mla",
        "the file is of an old form, whose matrices are others: convert the model anew, or take a "
          + "newer file.")
    }
    let querySize = try reader.integer("attention.key_length_mla", in: 2...65536)
    let queryRank = try reader.integer("attention.q_lora_rank", in: 0...65536, default: 0)
    let latent = LatentShape(
      queryRank: queryRank > 0 ? queryRank : nil, rank: rank, turned: rope.size,
      plain: querySize - rope.size,
      valueSize: try reader.integer("attention.value_length_mla", in: 1...65536))
    guard headSize == rank + rope.size, latent.plain > 0,
      [rank, latent.plain, latent.valueSize, queryRank].allSatisfy({ $0 % 32 == 0 })
    else {
      throw reader.error(
        "attention.key_length",
        "\(headSize) numbers of a key are not \(rank) and \(rope.size) that are turned, or a size of "
          + "\(rank), \(latent.plain), \(latent.valueSize), \(queryRank) is no multiple of 32.")
    }
    return latent
  }

  static func recurrence(
    _ reader: MetadataReader, _ architecture: Architecture, layers: Int
  ) throws(GGUFError) -> (Recurrence?, [Bool]) {
    switch architecture {
    case .lfm2, .lfm2moe:
      // A layer without heads of keys and values has no attention.
      let heads = try reader.integers("attention.head_count_kv", layers: layers, in: 0...4096)
      let length = try reader.integer("shortconv.l_cache", in: 2...64)
      return (.convolution(length: length), heads.map { $0 == 0 })
    case .qwen35, .qwen35moe:
      let period = try reader.integer("full_attention_interval", in: 1...1024, default: 4)
      let delta = DeltaShape(
        length: try reader.integer("ssm.conv_kernel", in: 2...64),
        size: try reader.integer("ssm.state_size", in: 1...1024),
        keyHeads: try reader.integer("ssm.group_count", in: 1...1024),
        valueHeads: try reader.integer("ssm.time_step_rank", in: 1...1024))
      let inner = try reader.integer("ssm.inner_size", in: 1...(1 << 20))
      guard inner == delta.valueWidth, delta.valueHeads % delta.keyHeads == 0,
        delta.size % 16 == 0
      else {
        throw reader.error(
          "ssm.inner_size",
          "\(inner) is not \(delta.valueHeads) heads of \(delta.size), a multiple of 16, for "
            + "\(delta.keyHeads) heads of keys.")
      }
      return (.deltaRule(delta), (0..<layers).map { ($0 + 1) % period != 0 })
    case .graniteHybrid:
      let heads = try reader.integers("attention.head_count_kv", layers: layers, in: 0...4096)
      return (.scan(try scan(reader)), heads.map { $0 == 0 })
    case .nemotronH, .nemotronHMoE:
      // Nor has one with a feed-forward part a recurrence.
      let heads = try reader.integers("attention.head_count_kv", layers: layers, in: 0...4096)
      let widths = try reader.integers("feed_forward_length", layers: layers, in: 0...(1 << 22))
      return (.scan(try scan(reader)), zip(heads, widths).map { $0 == 0 && $1 == 0 })
    default: return (nil, Array(repeating: false, count: layers))
    }
  }

  private static func scan(_ reader: MetadataReader) throws(GGUFError) -> ScanShape {
    let inner = try reader.integer("ssm.inner_size", in: 1...(1 << 20))
    let heads = try reader.integer("ssm.time_step_rank", in: 1...4096)
    let scan = ScanShape(
      length: try reader.integer("ssm.conv_kernel", in: 2...64), heads: heads,
      headSize: inner / heads, groups: try reader.integer("ssm.group_count", in: 1...1024),
      size: try reader.integer("ssm.state_size", in: 1...4096))
    guard inner == scan.valueWidth, scan.headSize % 16 == 0, heads % scan.groups == 0 else {
      throw reader.error(
        "ssm.inner_size",
        "\(inner) is not \(heads) heads of a multiple of 16, in \(scan.groups) groups.")
    }
    return scan
  }
}
