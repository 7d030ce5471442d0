// swift-tools-version: 6.2
import PackageDescription

let swift: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "swift-audio-session", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenAL", pkgConfig: "openal", providers: [.apt(["libopenal-dev"])]),
        .target(
            name: "CCapacity",
            dependencies: ["COpenAL", .product(name: "CRenderCore", package: "swift-audio-session")],
            cSettings: [
                .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            ]),
        // What all benchmarks say in the same way.
        .target(name: "Reporting", swiftSettings: swift),
        .executableTarget(
            name: "capacity",
            dependencies: [
                "CCapacity", "Reporting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "arbitration",
            dependencies: [
                "Reporting",
                .product(name: "CSessionSocket", package: "swift-audio-session"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
