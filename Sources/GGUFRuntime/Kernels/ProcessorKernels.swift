// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

package import GGUFKernels

#if ESPALIER_X86_KERNELS && arch(x86_64)
  import GGUFKernelsAVX2
  import GGUFKernelsAVX512
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The kinds of processors for which the kernels of local models are compiled.
///
/// All give the same numbers, bit by bit; they differ in speed.
public enum ProcessorKernels: String, Sendable, Hashable, CaseIterable {
  /// What every processor of the architecture has: SSE2 on x86-64, NEON on ARM.
  case baseline
  /// x86-64 with AVX2.
  case avx2
  /// x86-64 with AVX-512: F, BW, DQ, VL and VNNI.
  case avx512

  /// The fastest that this processor has; found out once.
  public static let best: ProcessorKernels = available.last ?? .baseline

  /// Those that this processor has, the slowest first.
  public static let available: [ProcessorKernels] = {
    #if ESPALIER_X86_KERNELS && arch(x86_64)
      let features = ProcessorFeatures.names
      var kernels: [ProcessorKernels] = [.baseline]
      if features.isSuperset(of: ["avx", "avx2"]) { kernels.append(.avx2) }
      let wide: Set<String> = ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"]
      if kernels.count == 2, features.isSuperset(of: wide) { kernels.append(.avx512) }
      return kernels
    #else
      return [.baseline]
    #endif
  }()

  /// The kernels; the baseline's where this processor does not have them.
  package var set: any KernelSet.Type {
    #if ESPALIER_X86_KERNELS && arch(x86_64)
      guard Self.available.contains(self) else { return GGUFKernels.Kernels.self }
      switch self {
      case .baseline: return GGUFKernels.Kernels.self
      case .avx2: return GGUFKernelsAVX2.Kernels.self
      case .avx512: return GGUFKernelsAVX512.Kernels.self
      }
    #else
      return GGUFKernels.Kernels.self
    #endif
  }
}

/// What the system says that the processor has, by the names of Linux.
enum ProcessorFeatures {
  static let names: Set<String> = {
    #if canImport(Darwin)
      let keys = [
        "avx2": "hw.optional.avx2_0", "avx": "hw.optional.avx1_0",
        "avx512f": "hw.optional.avx512f", "avx512bw": "hw.optional.avx512bw",
        "avx512dq": "hw.optional.avx512dq", "avx512vl": "hw.optional.avx512vl",
        "avx512_vnni": "hw.optional.avx512vnni",
      ]
      return Set(
        keys.filter { _, key in
          var (value, size) = (Int32(0), MemoryLayout<Int32>.size)
          return sysctlbyname(key, &value, &size, nil, 0) == 0 && value == 1
        }.keys)
    #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
      // The kernel lists only what it lets programs use.
      guard let file = fopen("/proc/cpuinfo", "re") else { return [] }
      defer { fclose(file) }
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(line) }
      while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
        guard text.hasPrefix("flags") else { continue }
        return Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
      }
      return []
    #else
      return []
    #endif
  }()
}
