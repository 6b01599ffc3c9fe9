// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The tests of what the macros expand to. A package of its own, for where a test target uses a macro's
// code, SwiftPM builds everything that is tested once more, for the tools. The sources of the macros are
// a link, and here a library.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

func syntax(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-syntax") }

let package = Package(
  name: "macro-tests",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0")
  ],
  targets: [
    // What makes a plug-in of them has an entry point of its own.
    .target(
      name: "EspalierMacros",
      dependencies: [
        syntax("SwiftDiagnostics"), syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"),
        syntax("SwiftSyntaxMacros"),
      ],
      exclude: ["EspalierMacrosPlugin.swift"],
      swiftSettings: settings),
    .testTarget(
      name: "EspalierMacrosTests",
      dependencies: [
        "EspalierMacros",
        syntax("SwiftDiagnostics"),
        syntax("SwiftParser"),
        syntax("SwiftSyntax"),
        syntax("SwiftSyntaxBuilder"),
        syntax("SwiftSyntaxMacroExpansion"),
        syntax("SwiftSyntaxMacros"),
        syntax("SwiftSyntaxMacrosGenericTestSupport"),
      ],
      exclude: ["Expansions"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
