// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// What an app's package looks like that depends on a version of this one, and needs no macros. The
// script beside it says where that is.
let package = Package(
  name: "CoreClient",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: Context.environment["ESPALIER_URL"] ?? "", from: "1.0.0-beta.1", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "EngineClient",
      dependencies: [.product(name: "ConstrainedDecoding", package: "espalier")]),
    .executableTarget(
      name: "CoreClient",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "EspalierServer", package: "espalier"),
      ]),
  ]
)
