// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: warnings are errors, and imports are internal unless they are
/// declared public.
let swift: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Settings of code that an app would contain: the language's defaults, with warnings as errors.
let app: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Settings of every C target: warnings are errors, and the compiler checks the functions that the
/// render cycle calls (see rcore_base.h).
let c: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("function-effects"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "swift-audio-session",
    products: [
        .library(name: "CRenderCore", targets: ["CRenderCore"]),
        .library(name: "CSessionSocket", targets: ["CSessionSocket", "CSessionGate"]),
        .library(name: "CAudioSession", targets: ["CAudioSession"]),
        .library(name: "AudioSessions", targets: ["AudioSessions"]),
        .library(name: "AudioPlayback", targets: ["AudioPlayback"]),
        .library(name: "AudioDecoding", targets: ["AudioDecoding"]),
        .library(name: "AudioInstruments", targets: ["AudioInstruments"]),
        .library(name: "InterAppAudio", targets: ["InterAppAudio"]),
        .library(name: "AudioRendering", targets: ["AudioRendering"]),
        .library(name: "JackDriver", targets: ["JackDriver"]),
        .library(name: "AVFAudio", targets: ["AVFAudio", "AVFoundation"]),
        .executable(name: "player", targets: ["player"]),
        .executable(name: "recorder", targets: ["recorder"]),
        .executable(name: "audiosession", targets: ["audiosession"]),
        .executable(name: "audiosession-server", targets: ["audiosession-server"]),
        .executable(name: "audiosession-device", targets: ["audiosession-device"]),
        .executable(name: "audiosession-hand", targets: ["audiosession-hand"]),
        .executable(name: "audiosession-mpris", targets: ["audiosession-mpris"]),
        .executable(name: "audiosession-adopt", targets: ["audiosession-adopt"]),
        .executable(name: "audiosession-desktop", targets: ["audiosession-desktop"]),
        .executable(name: "audiosession-conformance", targets: ["audiosession-conformance"]),
        .executable(name: "audiosessiond", targets: ["audiosessiond"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        // Real-time code in C.
        .target(name: "CSessionGate", cSettings: c),
        .target(name: "CSessionSocket", dependencies: ["CSessionGate"], cSettings: c),
        .target(name: "CRenderCore", dependencies: ["CSessionGate"], cSettings: c + [.headerSearchPath(".")]),
        .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
        .target(name: "CJackDriver", dependencies: ["CRenderCore", "CJack"], cSettings: c),

        // The session for programs in C that have their own engine.
        .systemLibrary(name: "CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        .target(
            name: "CAudioSession", dependencies: ["CRenderCore", "CSessionGate", "CSessionSocket", "CJSON"],
            cSettings: c + [.headerSearchPath("../CRenderCore")], linkerSettings: [.linkedLibrary("m")]),

        // System libraries.
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "CEbur128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
        // SoundTouch has no C interface. It needs the package libsoundtouch-dev.
        .target(
            name: "CTimeStretch",
            cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("SoundTouch")]),
        // FFmpeg's libavformat; the module map also links libavcodec and libavutil, on which it
        // depends.
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev"])]),
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        .systemLibrary(name: "CPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

        // The types that every layer speaks of: devices, ports, categories, options, reasons.
        .target(name: "AudioSessionTypes", swiftSettings: swift),

        // Operating system services for all Swift targets, and for C.
        .target(name: "Platform", swiftSettings: swift),
        .target(name: "CPlatform", cSettings: c),

        // Rendering, from the mixer graph to the driver.
        .target(
            name: "AudioRendering",
            dependencies: [
                "AudioSessionTypes", "CRenderCore", "CSndFile", "CSoxr", "CEbur128", "CTimeStretch", "Platform",
            ],
            swiftSettings: swift),
        .target(
            name: "JackDriver",
            dependencies: ["AudioRendering", "AudioSessionTypes", "CJackDriver", "CSessionSocket", "Platform"],
            swiftSettings: swift),

        // Sessions, from the rules to the API for apps.
        .target(name: "SessionPolicy", dependencies: ["AudioSessionTypes"], swiftSettings: swift),
        .target(
            name: "SessionArbiter", dependencies: ["SessionPolicy", "CSessionGate", "CSessionSocket", "Platform"],
            swiftSettings: swift),
        // The service and its settings file. Apps do not link it.
        .target(
            name: "ArbiterService",
            dependencies: [
                "SessionArbiter", "SessionPolicy", "CSessionSocket", "Platform",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swift),
        .target(
            name: "AudioSessions",
            dependencies: [
                "AudioSessionTypes", "SessionPolicy", "SessionArbiter", "AudioRendering", "JackDriver", "Platform",
            ],
            swiftSettings: swift),
        .target(
            name: "AudioPlayback", dependencies: ["AudioSessionTypes", "AudioSessions", "AudioRendering", "Platform"],
            swiftSettings: swift),
        // Decodes by FFmpeg what libsndfile cannot. Nothing else depends on it.
        .target(
            name: "AudioDecoding", dependencies: ["AudioPlayback", "AudioRendering", "CFFmpeg", "Platform"],
            swiftSettings: swift),
        // MIDI files, and files of instruments: SFZ and SoundFont.
        .target(
            name: "AudioInstruments", dependencies: ["AudioRendering", "Platform"],
            swiftSettings: swift),
        // Sound from one app to another and back.
        .target(
            name: "InterAppAudio", dependencies: ["AudioRendering", "AudioSessionTypes", "AudioSessions", "Platform"],
            swiftSettings: swift),
        .target(name: "AVFAudio", dependencies: ["AudioSessions", "AudioPlayback"], swiftSettings: swift),
        .target(name: "AVFoundation", dependencies: ["AVFAudio"], swiftSettings: swift),

        // The desktop: now-playing information and media keys. Apps do not link it.
        .target(name: "CDesktopBus", dependencies: ["CSystemd"], cSettings: c),
        .target(
            name: "DesktopBridge", dependencies: ["AudioSessionTypes", "CDesktopBus", "Platform"],
            swiftSettings: swift),

        // Programs that do not use this library, adopted as sessions.
        .target(
            name: "ForeignPrograms",
            dependencies: ["ArbiterService", "DesktopBridge", "Platform", "SessionArbiter", "SessionPolicy"],
            swiftSettings: swift),

        // Events of the desktop, reported to the arbiter.
        .target(name: "DesktopEvents", dependencies: ["DesktopBridge", "SessionPolicy"], swiftSettings: swift),

        // Programs.
        .target(
            name: "ProgramSupport",
            dependencies: [
                "CPlatform", "Platform", "SessionArbiter",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        // The same for programs that have sessions and a screen.
        .target(
            name: "SessionProgramSupport",
            dependencies: [
                "AudioSessions", "AudioRendering", "CNcurses", "JackDriver", "Platform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "player",
            dependencies: [
                "AudioPlayback", "AudioSessions", "AudioRendering", "JackDriver", "Platform", "ProgramSupport",
                "SessionProgramSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "recorder",
            dependencies: [
                "AudioPlayback", "AudioSessions", "AudioRendering", "JackDriver", "Platform", "ProgramSupport",
                "SessionProgramSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .target(
            name: "SessionCommands",
            dependencies: [
                "ArbiterService", "AudioRendering", "CSessionSocket", "DesktopBridge", "JackDriver", "Platform",
                "SessionArbiter", "SessionPolicy",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosession",
            dependencies: [
                "ArbiterService", "JackDriver", "Platform", "ProgramSupport", "SessionArbiter", "SessionPolicy",
                "SessionCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosessiond",
            dependencies: [
                "ArbiterService", "SessionArbiter", "CPlatform", "Platform", "ProgramSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosession-mpris",
            dependencies: [
                "DesktopBridge", "Platform", "ProgramSupport", "SessionArbiter", "SessionPolicy",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosession-adopt",
            dependencies: [
                "ArbiterService", "DesktopBridge", "ForeignPrograms", "Platform", "ProgramSupport", "SessionArbiter",
                "SessionPolicy",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosession-desktop",
            dependencies: [
                "ArbiterService", "DesktopBridge", "DesktopEvents", "Platform", "ProgramSupport", "SessionArbiter",
                "SessionPolicy",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        // Tests clients of the protocol, in any language.
        .target(
            name: "ProtocolConformance",
            dependencies: ["CSessionSocket", "Platform", "SessionArbiter", "SessionPolicy"], swiftSettings: swift),
        .executableTarget(
            name: "audiosession-conformance",
            dependencies: [
                "Platform", "ProgramSupport", "ProtocolConformance",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "FirstSound", dependencies: ["AudioPlayback", "AudioSessions"], path: "Examples/FirstSound",
            swiftSettings: swift),
        .executableTarget(
            name: "MediaFile", dependencies: ["AudioDecoding", "AudioPlayback", "AudioRendering", "AudioSessions"],
            path: "Examples/MediaFile", swiftSettings: swift),
        .executableTarget(
            name: "Sampler", dependencies: ["AudioInstruments", "AudioRendering", "AudioSessions"],
            path: "Examples/Sampler",
            swiftSettings: swift),
        .executableTarget(
            name: "StepSequencer",
            dependencies: [
                "AudioRendering", "AudioSessions",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/StepSequencer", swiftSettings: swift),
        .executableTarget(
            name: "EffectNode", dependencies: ["AudioRendering", "CEcho", "InterAppAudio"],
            path: "Examples/EffectNode", swiftSettings: swift),
        .executableTarget(
            name: "NodeHost", dependencies: ["AudioRendering", "AudioSessions", "InterAppAudio"],
            path: "Examples/NodeHost", swiftSettings: swift),
        .executableTarget(
            name: "RenderCallback", dependencies: ["AudioSessions", "AudioRendering"],
            path: "Examples/RenderCallback", swiftSettings: swift),
        .executableTarget(
            name: "join", dependencies: ["CAudioSession", "CJack"], path: "Examples/Join", exclude: ["CMakeLists.txt"],
            cSettings: c),
        .target(name: "CEcho", dependencies: ["CRenderCore"], path: "Examples/Echo", cSettings: c),
        .executableTarget(
            name: "Stems", dependencies: ["AudioRendering", "AudioSessions", "CEcho"], path: "Examples/Stems",
            swiftSettings: swift),
        // Example code of an app, with the settings of an app: without InternalImportsByDefault.
        .target(
            name: "Recipes", dependencies: ["AudioPlayback", "AudioSessions", "AudioRendering"],
            path: "Examples/Recipes", swiftSettings: app),
        // The same with OpenAL. It needs the package libopenal-dev.
        .target(
            name: "COpenALLoopback", path: "Examples/OpenAL/Loopback", cSettings: c,
            linkerSettings: [.linkedLibrary("openal")]),
        .target(
            name: "OpenALRecipe", dependencies: ["AudioSessions", "AudioRendering", "COpenALLoopback", "Recipes"],
            path: "Examples/OpenAL/Recipe", swiftSettings: app),
        .executableTarget(
            name: "OpenALGame", dependencies: ["AudioSessions", "COpenALLoopback", "OpenALRecipe"],
            path: "Examples/OpenAL/Game", swiftSettings: app),
        .executableTarget(
            name: "audiosession-server", dependencies: ["CPlatform", "CSessionSocket"], cSettings: c,
            linkerSettings: [.linkedLibrary("jackserver")]),
        // Alters the streams of other programs on PipeWire.
        .executableTarget(
            name: "audiosession-hand", dependencies: ["CPipeWire", "CPlatform"], cSettings: c,
            linkerSettings: [.linkedLibrary("m")]),
        // Virtual devices, for tests and for trying routes without hardware.
        .executableTarget(
            name: "audiosession-device",
            dependencies: ["CJack", "CJackDriver", "CPlatform", "CRenderCore", "CSndFile"],
            cSettings: c, linkerSettings: [.linkedLibrary("m")]),

        // Tests. Those of CRenderCore are written in C and run by CTest (CMakeLists.txt).
        // Has no dependencies, so that Scripts/mutate can build SessionPolicyTests alone and often.
        .target(name: "TestRandom", path: "Tests/Support/TestRandom", swiftSettings: swift),
        .target(name: "CTestEnvironment", path: "Tests/Support/CTestEnvironment", cSettings: c),
        .target(
            name: "CMIDIProbe", dependencies: ["CJack"], path: "Tests/Support/CMIDIProbe", cSettings: c),
        .target(
            name: "TestSupport",
            dependencies: [
                "AudioRendering", "AudioSessionTypes", "CSessionGate", "CSessionSocket", "CTestEnvironment",
                "JackDriver", "Platform",
            ],
            path: "Tests/Support/TestSupport", swiftSettings: swift),
        .target(
            name: "PolicyExploration", dependencies: ["SessionPolicy"], path: "Tests/Support/PolicyExploration",
            swiftSettings: swift),
        .executableTarget(
            name: "policy-explorer", dependencies: ["PolicyExploration", "TestRandom"],
            path: "Tests/Programs/PolicyExplorer",
            swiftSettings: swift),
        // Publishes a node, or hosts one, for tests of other processes.
        .executableTarget(
            name: "node-helper",
            dependencies: ["AudioRendering", "AudioSessions", "InterAppAudio", "JackDriver"],
            path: "Tests/Programs/NodeHelper", swiftSettings: swift),
        .executableTarget(name: "hang-helper", path: "Tests/Programs/HangHelper", cSettings: c),
        // Runs on the fake libjack (Tests/Support/FakeJack), which the loader finds at run time.
        .executableTarget(
            name: "fault-runner",
            dependencies: [
                "AudioPlayback", "AudioRendering", "AudioSessions", "JackDriver", "Platform", "TestRandom",
                "TestSupport",
            ],
            path: "Tests/Programs/FaultRunner", swiftSettings: swift),
        .executableTarget(
            name: "session-soak",
            dependencies: [
                "AudioPlayback", "AudioRendering", "AudioSessions", "CTestEnvironment", "JackDriver", "Platform",
                "TestRandom", "TestSupport",
            ],
            path: "Tests/Programs/SoakProgram", swiftSettings: swift),
        .target(
            name: "ArbiterTesting",
            dependencies: [
                "ArbiterService", "CSessionGate", "CSessionSocket", "Platform", "SessionArbiter", "SessionPolicy",
                "TestRandom",
            ],
            path: "Tests/Support/ArbiterTesting", swiftSettings: swift),
        .executableTarget(
            name: "arbiter-test-client", dependencies: ["ArbiterTesting", "SessionArbiter"],
            path: "Tests/Programs/ArbiterTestClient",
            swiftSettings: swift),
        // Plays in a session of the C library, or of the Swift library, until SIGTERM.
        .executableTarget(
            name: "c-session-client", dependencies: ["CAudioSession"], path: "Tests/Programs/CSessionClient",
            cSettings: c),
        .executableTarget(
            name: "swift-session-client", dependencies: ["SessionArbiter", "SessionPolicy"],
            path: "Tests/Programs/SwiftSessionClient", swiftSettings: swift),
        .executableTarget(
            name: "arbiter-fuzzer", dependencies: ["ArbiterTesting", "TestRandom"],
            path: "Tests/Programs/ArbiterFuzzer", swiftSettings: swift),
        .executableTarget(
            name: "arbiter-chaos",
            dependencies: [
                "ArbiterTesting", "AudioRendering", "AudioSessions", "PolicyExploration", "SessionArbiter",
                "SessionPolicy", "TestRandom", "TestSupport",
            ],
            path: "Tests/Programs/ArbiterChaos", swiftSettings: swift),
        .target(
            name: "FakeArbiter",
            dependencies: ["CSessionSocket", "Platform", "SessionArbiter", "SessionPolicy", "TestSupport"],
            path: "Tests/Support/FakeArbiter", swiftSettings: swift),
        .testTarget(
            name: "SessionPolicyTests", dependencies: ["PolicyExploration", "SessionPolicy", "TestRandom"],
            path: "Tests/Unit/SessionPolicyTests", swiftSettings: swift),
        .testTarget(
            name: "SessionArbiterTests",
            dependencies: [
                "ArbiterService", "SessionArbiter", "SessionPolicy", "CSessionGate", "CSessionSocket", "FakeArbiter",
                "Platform", "TestSupport",
            ],
            path: "Tests/Unit/SessionArbiterTests", swiftSettings: swift),
        .testTarget(
            name: "ArbiterServiceTests",
            dependencies: [
                "ArbiterTesting", "AudioRendering", "AudioSessions", "CAudioSession", "CSessionGate", "CSessionSocket",
                "FakeArbiter", "Platform", "SessionArbiter", "SessionPolicy", "TestRandom", "TestSupport",
            ],
            path: "Tests/Integration/ArbiterServiceTests", swiftSettings: swift),
        .testTarget(
            name: "AudioRenderingTests",
            dependencies: ["AudioRendering", "CRenderCore", "Platform", "TestRandom", "TestSupport"],
            path: "Tests/Unit/AudioRenderingTests", swiftSettings: swift),
        .testTarget(
            name: "AudioSessionsTests",
            dependencies: [
                "AudioSessions", "AudioPlayback", "AudioRendering", "COpenALLoopback", "OpenALRecipe", "Platform",
                "Recipes",
                "SessionArbiter", "SessionPolicy", "TestRandom", "TestSupport",
            ],
            path: "Tests/Unit/AudioSessionsTests", swiftSettings: swift),
        .executableTarget(
            name: "recording-helper",
            dependencies: ["AudioPlayback", "AudioRendering", "AudioSessions", "SessionArbiter"],
            path: "Tests/Programs/RecordingHelper", swiftSettings: swift),
        .testTarget(
            name: "AudioPlaybackTests",
            dependencies: [
                "AudioPlayback", "AudioSessions", "AudioRendering", "Platform", "SessionArbiter", "SessionPolicy",
                "TestRandom", "TestSupport",
            ],
            path: "Tests/Unit/AudioPlaybackTests", swiftSettings: swift),
        .testTarget(
            name: "ForeignProgramsTests",
            dependencies: [
                "ArbiterService", "DesktopBridge", "ForeignPrograms", "Platform", "SessionArbiter", "SessionPolicy",
                "TestRandom", "TestSupport",
            ],
            path: "Tests/Unit/ForeignProgramsTests", swiftSettings: swift),
        .testTarget(
            name: "DesktopEventsTests",
            dependencies: [
                "DesktopBridge", "DesktopEvents", "Platform", "SessionArbiter", "SessionPolicy", "TestRandom",
            ],
            path: "Tests/Unit/DesktopEventsTests", swiftSettings: swift),
        .testTarget(
            name: "AudioDecodingTests",
            dependencies: ["AudioDecoding", "AudioPlayback", "AudioRendering", "TestRandom", "TestSupport"],
            path: "Tests/Unit/AudioDecodingTests", swiftSettings: swift),
        .testTarget(
            name: "AudioInstrumentsTests",
            dependencies: ["AudioInstruments", "AudioRendering", "TestRandom", "TestSupport"],
            path: "Tests/Unit/AudioInstrumentsTests", swiftSettings: swift),
        .testTarget(
            name: "SourceCompatibilityTests",
            dependencies: ["AVFoundation", "AVFAudio", "AudioRendering", "AudioSessions", "TestSupport"],
            path: "Tests/Unit/SourceCompatibilityTests", swiftSettings: app),
        .testTarget(
            name: "JackDriverTests",
            dependencies: [
                "JackDriver", "AudioRendering", "AudioPlayback", "AudioSessions", "InterAppAudio", "SessionArbiter",
                "SessionPolicy", "CJackDriver", "CMIDIProbe", "COpenALLoopback", "CSessionSocket", "OpenALRecipe",
                "Platform",
                "TestRandom",
                "TestSupport",
            ],
            path: "Tests/Integration/JackDriverTests", exclude: ["Fixtures"], swiftSettings: swift),
        .testTarget(
            name: "SessionCommandsTests",
            dependencies: [
                "ArbiterService", "AudioRendering", "DesktopBridge", "FakeArbiter", "JackDriver", "SessionArbiter",
                "SessionPolicy", "SessionCommands", "TestRandom", "TestSupport",
            ],
            path: "Tests/Unit/SessionCommandsTests", swiftSettings: swift),
        .testTarget(
            name: "FaultTests", dependencies: ["AudioRendering", "TestRandom", "TestSupport"],
            path: "Tests/Integration/FaultTests",
            swiftSettings: swift),
        .testTarget(
            name: "PlayerTests", dependencies: ["AudioRendering", "AudioSessionTypes", "TestSupport"],
            path: "Tests/Integration/PlayerTests",
            swiftSettings: swift),
        .testTarget(
            name: "ForeignProgramTests", dependencies: ["AudioRendering", "Platform", "TestRandom", "TestSupport"],
            path: "Tests/Integration/ForeignProgramTests", swiftSettings: swift),
        .testTarget(
            name: "DesktopBridgeTests",
            dependencies: [
                "AudioSessionTypes", "CSystemd", "DesktopBridge", "Platform", "TestRandom", "TestSupport",
            ],
            path: "Tests/Integration/DesktopBridgeTests", swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
