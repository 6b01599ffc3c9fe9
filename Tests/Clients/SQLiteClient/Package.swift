// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// What an app's package looks like that switches the trait of the database on. The script beside it
// says where the package is.
let package = Package(
  name: "SQLiteClient",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      url: Context.environment["ESPALIER_URL"] ?? "", from: "1.0.0-beta.1",
      traits: [.defaults, "SQLite"])
  ],
  targets: [
    .executableTarget(
      name: "SQLiteClient",
      dependencies: [
        .product(name: "Espalier", package: "espalier"),
        .product(name: "EspalierSQLite", package: "espalier"),
      ])
  ]
)
