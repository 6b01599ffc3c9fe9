// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The fuzz targets for libFuzzer, all in one executable that `run` builds; `ESPALIER_FUZZ_TARGET` says
// which one runs. A target ends by itself, or a broken promise traps: libFuzzer reports that with the
// input.

import Foundation

private let targets: [String: @Sendable (UnsafeBufferPointer<UInt8>) -> Void] = [
  "schema": fuzzSchema, "regex": fuzzRegex, "gbnf": fuzzGBNF, "tokens": fuzzTokens,
  "vocabulary": fuzzVocabulary, "gguf": fuzzGGUF, "templates": fuzzTemplate,
  "recording": fuzzRecording, "cache": fuzzCache, "transcript": fuzzTranscript,
  "arguments": fuzzArguments,
]

private let target: @Sendable (UnsafeBufferPointer<UInt8>) -> Void = {
  let name = ProcessInfo.processInfo.environment["ESPALIER_FUZZ_TARGET"] ?? ""
  guard let target = targets[name] else {
    fatalError("ESPALIER_FUZZ_TARGET is '\(name)', not one of \(targets.keys.sorted())")
  }
  return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  target(UnsafeBufferPointer(start: start, count: count))
  return 0
}
