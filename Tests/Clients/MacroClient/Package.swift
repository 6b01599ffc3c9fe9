// swift-tools-version: 6.2
import PackageDescription

// What an app's package looks like that depends on a version of this one. The script beside it says
// where that is.
let package = Package(
  name: "MacroClient",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: Context.environment["ESPALIER_URL"] ?? "", from: "1.0.0")
  ],
  targets: [
    .executableTarget(
      name: "MacroClient", dependencies: [.product(name: "Espalier", package: "espalier")])
  ]
)
