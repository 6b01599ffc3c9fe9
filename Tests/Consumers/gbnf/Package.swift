// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "gbnf-verdicts",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "espalier", path: "../../..", traits: [])],
  targets: [
    .executableTarget(
      name: "gbnf-verdicts",
      dependencies: [.product(name: "ConstrainedDecoding", package: "espalier")])
  ],
  swiftLanguageModes: [.v6])
