// swift-tools-version: 6.2
import PackageDescription

// Programs that use other libraries, for comparison with the package. This is a package of its own,
// built program by program: if a library is missing, its program is not built, and the benchmarks
// still build.

let warnings: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

let package = Package(
    name: "BenchmarkPeers",
    products: [.library(name: "PeerProtocol", targets: ["PeerProtocol"])],
    targets: [
        .systemLibrary(name: "COpenAL", pkgConfig: "openal", providers: [.apt(["libopenal-dev"])]),
        .systemLibrary(name: "CPortAudio", pkgConfig: "portaudio-2.0", providers: [.apt(["portaudio19-dev"])]),
        .systemLibrary(name: "CRtAudio", pkgConfig: "rtaudio", providers: [.apt(["librtaudio-dev"])]),
        .systemLibrary(name: "CSDL", pkgConfig: "sdl2", providers: [.apt(["libsdl2-dev", "libasound2-plugins"])]),
        .target(name: "PeerProtocol", cSettings: warnings),
        .executableTarget(name: "peer-openal", dependencies: ["PeerProtocol", "COpenAL"], cSettings: warnings),
        .executableTarget(name: "peer-portaudio", dependencies: ["PeerProtocol", "CPortAudio"], cSettings: warnings),
        .executableTarget(
            name: "peer-rtaudio", dependencies: ["PeerProtocol", "CRtAudio"],
            cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        .executableTarget(name: "peer-sdl", dependencies: ["PeerProtocol", "CSDL"], cSettings: warnings),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
