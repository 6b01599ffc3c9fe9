// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import GGUFKernels

/// What the numbers of a model are computed with: the kernels of the processor, and threads.
package struct Compute: Sendable {
  /// The kernels.
  let kernels: any KernelSet.Type
  /// Who shares the work.
  let team: ThreadTeam

  package init(_ kernels: ProcessorKernels = .best, threads: Int = 1) {
    self.kernels = kernels.set
    team = ThreadTeam(count: threads)
  }
}
