// swift-tools-version: 6.2
// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let settings = features + [.treatAllWarnings(as: .error)]

/// Code written as apps write it is compiled as an app's project has it: language mode 6 and nothing
/// else, but no warning may come out of a macro.
let appSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The engine and the model kernels are optimised in debug builds too, so that `swift run` and an
/// app's debug build answer at once. As whole modules, as a release build has them: file by file the
/// compiler took a tenth longer over the newcomer's build, and what it made a quarter longer to
/// compile a schema. With two threads, so that each file has the object that SwiftPM expects.
///
/// One pass is left out: an early search for loads that are made twice, which later passes repeat. It
/// took a tenth of the processor's time of the engine, and the code came out no larger without it.
func hotPathSettings(_ optimisation: String) -> [SwiftSetting] {
  settings + [
    .unsafeFlags(
      [
        optimisation, "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode",
        "-Xllvm", "-sil-disable-pass=mandatory-redundant-load-elimination",
      ],
      .when(configuration: .debug))
  ]
}

/// The kernels of local models for processors that have more than every processor of x86-64: the same
/// sources again, each time as a module of its own. Clang's driver would refuse `-mavx2` for ARM, where
/// a machine of x86-64 compiles for that; features that a processor does not know are left out.
func kernelTarget(
  _ name: String, define: String, features: [String], flags: [String] = []
) -> Target {
  .target(
    name: name, dependencies: ["GGUFKernels"],
    swiftSettings: hotPathSettings("-O") + [
      .define(define),
      .unsafeFlags(
        features.flatMap { feature in
          ["-Xclang", "-target-feature", "-Xclang", "+\(feature)"].flatMap { ["-Xcc", $0] }
        } + flags),
    ])
}

// Windows checks symbolic links out as text.
#if arch(x86_64) && !os(Windows)
  let kernelTargets = [
    kernelTarget("GGUFKernelsAVX2", define: "ESPALIER_AVX2", features: ["avx2"]),
    kernelTarget(
      "GGUFKernelsAVX512", define: "ESPALIER_AVX512",
      features: ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni"],
      // It takes multiply-adds apart again, for a sum that is there sooner.
      flags: ["-Xllvm", "-x86-machine-combiner=false"]),
  ]
#else
  let kernelTargets: [Target] = []
#endif

/// A product of swift-syntax, for the macros and their tests alone.
func macroProduct(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

/// Where this is the root package: there the command-line tool is a product under its name. SwiftPM
/// resolves what any product uses, whichever of them a client takes; so clients do not see it. A
/// dependency is read from a repository first, as if it were in `/`, and then from its checkout.
let isRoot =
  Context.packageDirectory != "/" && !Context.packageDirectory.contains("/checkouts/")
  && !Context.packageDirectory.contains("/registry/")
let command: [Product] =
  isRoot ? [.executable(name: "espalier", targets: ["EspalierCommand"])] : []

/// What `espalier serve` listens with: no client that names the package by address fetches it.
let httpServerPackage: [Package.Dependency] =
  isRoot ? [.package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1")] : []
let httpServer: [Target.Dependency] =
  isRoot
  ? [
    .product(name: "FlyingFox", package: "FlyingFox"),
    .product(name: "FlyingSocks", package: "FlyingFox"),
  ] : []

let package = Package(
  name: "espalier",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Espalier", targets: ["Espalier"]),
    .library(name: "EspalierCore", targets: ["EspalierCore"]),
    .library(name: "EspalierLocal", targets: ["EspalierLocal"]),
    .library(name: "EspalierServer", targets: ["EspalierServer"]),
    .library(name: "EspalierEvaluation", targets: ["EspalierEvaluation"]),
    .library(name: "EspalierFoundationModels", targets: ["EspalierFoundationModels"]),
    .library(name: "EspalierSQLite", targets: ["EspalierSQLite"]),
    .library(name: "ConstrainedDecoding", targets: ["ConstrainedDecoding"]),
  ] + command,
  // Examples are no products, for the same reason, and what the macros need hangs on a trait, which a
  // client of the engine or of the core switches off: `traits: []`.
  traits: [
    .trait(name: "Macros", description: "`@Generable` and `@Guide`, which need swift-syntax."),
    .trait(
      name: "SQLite",
      description: "Conversations and knowledge in SQLite, which need GRDB and the system's."),
    .default(enabledTraits: ["Macros"]),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ] + httpServerPackage,
  targets: [
    // For size: that takes 104 seconds of the processor's time instead of 127, and masks took as
    // long by the clock, with a third more instructions.
    .target(name: "ConstraintEngine", swiftSettings: hotPathSettings("-Osize")),
    // What stands over the engine and leaves the work to it: not optimised in debug builds, it compiles
    // in a quarter of the time.
    .target(
      name: "ConstrainedDecoding", dependencies: ["ConstraintEngine"], swiftSettings: settings),
    .target(
      name: "GrammarInspection", dependencies: ["ConstraintEngine", "ConstrainedDecoding"],
      swiftSettings: settings),
    .target(name: "IncrementalJSON", swiftSettings: hotPathSettings("-Osize")),
    .target(
      name: "EspalierCore", dependencies: ["ConstrainedDecoding", "IncrementalJSON"],
      swiftSettings: settings),
    .macro(
      name: "EspalierMacros",
      dependencies: [
        macroProduct("SwiftCompilerPlugin"),
        macroProduct("SwiftDiagnostics"),
        macroProduct("SwiftSyntax"),
        macroProduct("SwiftSyntaxBuilder"),
        macroProduct("SwiftSyntaxMacros"),
      ],
      swiftSettings: settings),
    // The version that `#if canImport(Espalier, _version: 2)` asks for: it holds what
    // FoundationModels has since 27, and apps tell the generations apart so.
    .target(
      name: "Espalier", dependencies: ["EspalierCore", "EspalierMacros"],
      swiftSettings: settings + [.unsafeFlags(["-user-module-version", "2"])]),
    // What of the local models needs neither the engine nor sessions: it is compiled beside these. Of
    // modules that are ready SwiftPM takes those whose names come last in the alphabet first: behind
    // the templates, neither the kernels nor the runtime come before the engine, for which all else
    // waits. Nor does a module whose name comes before the engine's. The
    // templates are not optimised in debug builds: they compile in a quarter of the time, and write a
    // conversation of 40 messages in 6 ms.
    .target(name: "ChatTemplates", swiftSettings: settings),
    .target(
      name: "GGUFKernels", dependencies: ["ChatTemplates"], swiftSettings: hotPathSettings("-O")),
    // For size: that takes a fifth less of the processor's time, and tokens come as fast, for the
    // kernels are not in it.
    .target(
      name: "GGUFRuntime",
      dependencies: ["ChatTemplates", "GGUFKernels"]
        + kernelTargets.map { .target(name: $0.name) },
      swiftSettings: hotPathSettings("-Osize")
        + (kernelTargets.isEmpty ? [] : [.define("ESPALIER_X86_KERNELS")])),
    // What goes over the logits of a whole vocabulary is in the runtime: the rest need not be optimised
    // in debug builds, and compiles in a quarter of the time.
    .target(
      name: "EspalierLocal",
      dependencies: ["EspalierCore", "ConstrainedDecoding", "ChatTemplates", "GGUFRuntime"],
      swiftSettings: settings),
    // Models behind servers, over Foundation's `URLSession`.
    .target(
      name: "EspalierServer", dependencies: ["EspalierCore", "ConstrainedDecoding"],
      swiftSettings: settings),
    // Apple's model behind sessions of this package, and the other way round; where there is no
    // FoundationModels, one function alone. `Tests/FoundationModelsStub` compiles and runs it against a
    // model of that framework's interface, with warnings as errors; the framework itself may warn.
    .target(
      name: "EspalierFoundationModels", dependencies: ["EspalierCore"], swiftSettings: features),
    // Optimised: it compares every vector with that of a question.
    .target(name: "VectorSearch", swiftSettings: hotPathSettings("-O")),
    // Conversations and knowledge in a database; empty without the trait. `Tests/SQLite` has its tests.
    .target(
      name: "EspalierSQLite",
      dependencies: [
        "EspalierCore", "VectorSearch",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ],
      swiftSettings: settings),
    // Counts what a model gets right; for tests and the command line.
    .target(
      name: "EspalierEvaluation", dependencies: ["EspalierCore", "ConstrainedDecoding"],
      swiftSettings: settings),
    .target(name: "Checksums", swiftSettings: hotPathSettings("-O")),
    // What the commands below have in common: which model, where it is fetched from, the output.
    .target(
      name: "CommandSupport", dependencies: ["Checksums", "EspalierServer"], swiftSettings: settings
    ),
    // What `espalier serve` runs; a library, for its tests.
    .target(
      name: "ModelServing",
      dependencies: ["EspalierCore", "EspalierServer", "ConstrainedDecoding"] + httpServer,
      swiftSettings: settings),
    .executableTarget(
      name: "EspalierCommand",
      dependencies: [
        "CommandSupport", "EspalierCore", "EspalierEvaluation", "EspalierLocal", "EspalierServer",
        "ConstrainedDecoding", "GrammarInspection", "ModelServing",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + httpServer,
      swiftSettings: settings),
    .executableTarget(
      name: "travel-companion",
      dependencies: [
        "CommandSupport", "Espalier", "EspalierLocal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/TravelCompanion",
      swiftSettings: settings),
    // What the tests look at is a library: an executable's module cannot be counted on to be there
    // when they are compiled.
    .target(
      name: "FoodLogs", dependencies: ["Espalier"], path: "Examples/DietLog/FoodLogs",
      swiftSettings: settings),
    .executableTarget(
      name: "diet-log",
      dependencies: [
        "CommandSupport", "Espalier", "EspalierLocal", "FoodLogs",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/DietLog/Command",
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["ConstrainedDecoding"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "ConstrainedDecodingTests",
      dependencies: [
        "ConstraintEngine", "ConstrainedDecoding", "GrammarInspection", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IncrementalJSONTests", dependencies: ["IncrementalJSON", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "EspalierCoreTests",
      dependencies: ["EspalierCore", "EspalierEvaluation", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "VectorSearchTests", dependencies: ["VectorSearch"], swiftSettings: settings),
    .testTarget(
      name: "EspalierLocalTests",
      dependencies: ["EspalierLocal", "ChatTemplates", "GGUFRuntime", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "EspalierServerTests",
      dependencies: ["ConstrainedDecoding", "EspalierCore", "EspalierServer"],
      swiftSettings: settings),
    .testTarget(
      name: "ChatTemplatesTests", dependencies: ["ChatTemplates"], swiftSettings: settings),
    .testTarget(
      name: "GGUFRuntimeTests", dependencies: ["ChatTemplates", "GGUFRuntime"],
      swiftSettings: settings),
    .testTarget(
      name: "EspalierTests", dependencies: ["Espalier", "TestSupport"], exclude: ["Golden"],
      swiftSettings: appSettings),
    // What a page shows need not use all that it makes: warnings are no errors here.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "ConstrainedDecoding", "Espalier", "EspalierEvaluation", "EspalierFoundationModels",
        "EspalierLocal", "EspalierServer", "ModelServing",
      ]),
    .testTarget(
      name: "AppSourcesTests", dependencies: ["Espalier"], swiftSettings: appSettings),
    .testTarget(
      name: "SourceCompatibilityTests", dependencies: ["Espalier"],
      swiftSettings: appSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "CommandSupport", "Checksums", "Espalier", "EspalierLocal", "EspalierServer", "FoodLogs",
        "ModelServing", "EspalierCommand", "travel-companion", "diet-log", "TestSupport",
      ] + httpServer,
      exclude: ["Recordings"],
      swiftSettings: settings),
    // One set of sources, as apps of 2027 write them, in language mode 6, in mode 5, and isolated to
    // the main actor by default: the folders of the last two hold links to the files of the first.
    .testTarget(
      name: "ReleaseSourcesTests", dependencies: ["Espalier"], swiftSettings: appSettings),
    .testTarget(
      name: "ReleaseSourcesMode5Tests", dependencies: ["Espalier"],
      swiftSettings: appSettings + [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "ReleaseSourcesMainActorTests", dependencies: ["Espalier"],
      swiftSettings: appSettings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "EspalierMainActorTests", dependencies: ["Espalier"],
      swiftSettings: appSettings + [.defaultIsolation(MainActor.self)]),
  ] + kernelTargets,
  swiftLanguageModes: [.v6]
)
