// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The tests of the product `EspalierSQLite`. A package of its own, as only one that switches the trait
// on resolves GRDB, and only where the system has SQLite's header (libsqlite3-dev on Debian) can it be
// built.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "sqlite-tests",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "espalier", path: "../..", traits: ["SQLite"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .testTarget(
      name: "EspalierSQLiteTests",
      dependencies: [
        .product(name: "EspalierCore", package: "espalier"),
        .product(name: "EspalierSQLite", package: "espalier"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings)
  ],
  swiftLanguageModes: [.v6]
)
