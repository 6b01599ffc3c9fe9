// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

// Numbers of a token that each layer takes in (gemma4, gemma3n).
//
// A second embedding has a short row for each layer. To it comes a product of the token's hidden
// numbers, made once before the first layer:
//
//     input[layer] = (norm(projection[layer] · hidden / √width) + embedding[layer] · √length) / √2
//
// and at the end of each layer
//
//     hidden += norm(projection · (gelu(gate · hidden) · input[layer]))
//
// Source: Gemma 3n's model card (per-layer embeddings), and llama.cpp's graphs of both families.

extension Transformer {
  /// From the rows of the second embedding to what the layers take in.
  func finishLayerInputs(_ count: Int, _ space: Workspace) {
    guard let inputs = weights.layerInputs, let length = parameters.layerInputWidth else { return }
    let all = inputs.embedding.columns
    space.wide.fill(from: space.hidden, positions: count, width: parameters.width, compute)
    let products = Workspace.Rows.allocate(capacity: count * all)
    defer { products.deallocate() }
    inputs.projection.multiply(space.wide, into: products, compute)
    // Pointers are not sendable. Each worker writes places of its own, and the call waits for all.
    nonisolated(unsafe) let (target, source) = (space.layerInputs, products)
    let scale = 1 / Float(parameters.width).squareRoot()
    let embeddingScale = Float(length).squareRoot()
    let half = Float(0.5).squareRoot()
    forEachRow(count, cost: 8 * all) { row in
      for place in stride(from: row * all, to: (row + 1) * all, by: length) {
        let product = source + place
        for i in 0..<length { product[i] *= scale }
        compute.kernels.normalize(
          product, inputs.norm, length, epsilon: parameters.normEpsilon, into: product)
        let input = target + place
        for i in 0..<length { input[i] = (product[i] + input[i] * embeddingScale) * half }
      }
    }
  }

  /// Adds what a layer makes of the token's numbers to the hidden rows, or to those streams that its
  /// products did not change.
  func takeIn(
    _ input: TransformerWeights.LayerInput, of layer: TransformerWeights.Layer, _ index: Int,
    _ count: Int, _ space: Workspace
  ) {
    guard let length = parameters.layerInputWidth else { return }
    let width = parameters.width
    if let forecast = layer.forecast { scaleActiveStream(forecast, count, space) }
    space.wide.fill(
      from: layer.forecast == nil ? space.hidden : space.normalized, positions: count,
      width: width, compute)
    input.gate.multiply(space.wide, into: space.gatedInput, compute)
    let all = parameters.layers.count * length
    forEachRow(count, cost: 16 * length) { row in
      compute.kernels.geGLU(
        space.gatedInput + row * length, space.layerInputs + row * all + index * length, length)
    }
    space.narrow.fill(from: space.gatedInput, positions: count, width: length, compute)
    input.projection.multiply(space.narrow, into: space.projected, compute)
    normalize(space.projected, input.norm, count, into: space.projected)
    if layer.forecast == nil {
      compute.kernels.add(space.projected, count * width, to: space.hidden)
    } else {
      addToOtherStreams(count, space)
    }
  }
}
