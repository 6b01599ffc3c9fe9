// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that what only benchmarks need stays out of the library.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  // `--traits SQLite` lets `conversations` and `retrieval` measure what needs GRDB and SQLite's header.
  traits: ["SQLite"],
  dependencies: [
    .package(
      name: "espalier", path: "..",
      traits: [.trait(name: "SQLite", condition: .when(traits: ["SQLite"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "maskbench",
      dependencies: [
        "Workloads",
        .product(name: "ConstrainedDecoding", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "Workloads",
      dependencies: [.product(name: "ConstrainedDecoding", package: "espalier")]),
    .executableTarget(
      name: "keywords",
      dependencies: [
        "Workloads",
        .product(name: "ConstrainedDecoding", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "walks",
      dependencies: [
        "Workloads",
        .product(name: "ConstrainedDecoding", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "sessionbench",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "conversations",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(
          name: "EspalierSQLite", package: "espalier", condition: .when(traits: ["SQLite"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "retrieval",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "EspalierLocal", package: "espalier"),
        .product(
          name: "EspalierSQLite", package: "espalier", condition: .when(traits: ["SQLite"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "clientbench",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "EspalierServer", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "localbench",
      dependencies: [
        .product(name: "ConstrainedDecoding", package: "espalier"),
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "EspalierLocal", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "partialparsing",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "emittedgrammars",
      dependencies: [.product(name: "ConstrainedDecoding", package: "espalier")]),
    .executableTarget(
      name: "streamvalidation",
      dependencies: [.product(name: "ConstrainedDecoding", package: "espalier")]),
  ],
  swiftLanguageModes: [.v6]
)
