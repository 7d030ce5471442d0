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
        .package(name: "BenchmarkPeers", path: "BenchmarkPeers"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenAL", pkgConfig: "openal", providers: [.apt(["libopenal-dev"])]),
        .target(
            name: "CCapacity",
            dependencies: ["COpenAL", .product(name: "CRenderCore", package: "swift-audio-session")],
            cSettings: [
                .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
            ]),
        // Bare JACK clients with detectors, and what watches apps from outside.
        .target(
            name: "CProbe", dependencies: [.product(name: "CSessionSocket", package: "swift-audio-session")],
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("m")]),
        // What all benchmarks say in the same way.
        .target(
            name: "Reporting",
            dependencies: [
                "Processes",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        // What benchmarks share that are several processes.
        .target(
            name: "Processes", dependencies: [.product(name: "CSessionSocket", package: "swift-audio-session")],
            swiftSettings: swift),
        // Media servers of the benchmarks' own, and what stands beside an app there.
        .target(name: "Servers", dependencies: ["CProbe", "Processes"], swiftSettings: swift),
        // A signal that states its position, and what happened to it.
        .target(name: "PositionSignals", swiftSettings: swift),
        // One page out of what the benchmarks wrote.
        .executableTarget(
            name: "report",
            dependencies: [
                "Processes", "Reporting",
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "latency",
            dependencies: [
                "CProbe", "Processes", "Reporting", "Servers",
                .product(name: "AudioPlayback", package: "swift-audio-session"),
                .product(name: "AudioRendering", package: "swift-audio-session"),
                .product(name: "AudioSessions", package: "swift-audio-session"),
                .product(name: "CSessionSocket", package: "swift-audio-session"),
                .product(name: "InterAppAudio", package: "swift-audio-session"),
                .product(name: "JackDriver", package: "swift-audio-session"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "capacity",
            dependencies: [
                "CCapacity", "COpenAL", "Processes", "Reporting",
                .product(name: "AudioRendering", package: "swift-audio-session"),
                .product(name: "CRenderCore", package: "swift-audio-session"),
                .product(name: "CSessionSocket", package: "swift-audio-session"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "arbitration",
            dependencies: [
                "Processes", "Reporting",
                .product(name: "CSessionSocket", package: "swift-audio-session"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "session",
            dependencies: [
                "Processes", "Reporting", "Servers",
                .product(name: "AudioRendering", package: "swift-audio-session"),
                .product(name: "AudioSessions", package: "swift-audio-session"),
                .product(name: "JackDriver", package: "swift-audio-session"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        // Programs that do not use the library.
        .executableTarget(
            name: "foreign",
            dependencies: [
                "CProbe", "PositionSignals", "Processes", "Reporting", "Servers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        // Next to other libraries (BenchmarkPeers/): the bound, and ours.
        .executableTarget(
            name: "peer-bare", dependencies: ["CProbe", .product(name: "PeerProtocol", package: "BenchmarkPeers")],
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("jack")]),
        .executableTarget(
            name: "peer-ours",
            dependencies: [
                .product(name: "PeerProtocol", package: "BenchmarkPeers"),
                .product(name: "AudioPlayback", package: "swift-audio-session"),
                .product(name: "AudioRendering", package: "swift-audio-session"),
                .product(name: "AudioSessions", package: "swift-audio-session"),
                .product(name: "JackDriver", package: "swift-audio-session"),
            ],
            swiftSettings: swift),
        .testTarget(name: "PositionSignalsTests", dependencies: ["PositionSignals"], swiftSettings: swift),
        .testTarget(name: "ProbeTests", dependencies: ["CProbe"], swiftSettings: swift),
        .testTarget(name: "ReportingTests", dependencies: ["Reporting"], swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
