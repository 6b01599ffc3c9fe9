// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// What an app's package looks like that depends on a version of this one. The script beside it says
// where that is.
let package = Package(
  name: "MacroClient",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: Context.environment["ESPALIER_URL"] ?? "", from: "1.0.0-beta.1")
  ],
  targets: [
    .executableTarget(
      name: "MacroClient", dependencies: [.product(name: "Espalier", package: "espalier")])
  ]
)

// For `swift-syntax-versions`, which builds the macros with each of the versions they support.
if let version = Context.environment["SWIFT_SYNTAX_VERSION"].flatMap(Version.init) {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-syntax", exact: version))
}
