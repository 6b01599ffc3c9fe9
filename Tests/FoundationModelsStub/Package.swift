// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The sources of the product `EspalierFoundationModels`, compiled against a model of Apple's framework
// (`Sources/FoundationModels`: the part of its interface that they use, written from its documentation,
// with scripts for answers) and run on it. A package of its own: a target named FoundationModels in the
// root package would be there for whoever asks `canImport(FoundationModels)`.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "foundation-models-stub",
  platforms: [.macOS(.v15)],
  // With the package's own traits: what was compiled for it serves here too (`--scratch-path`).
  dependencies: [.package(name: "espalier", path: "../..")],
  targets: [
    .target(
      name: "FoundationModels",
      swiftSettings: settings + [.unsafeFlags(["-user-module-version", "2"])]),
    .target(
      name: "Bridge",
      dependencies: ["FoundationModels", .product(name: "EspalierCore", package: "espalier")],
      swiftSettings: settings),
    .testTarget(name: "BridgeTests", dependencies: ["Bridge"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
