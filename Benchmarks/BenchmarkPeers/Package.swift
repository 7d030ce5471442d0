// swift-tools-version: 6.2
import PackageDescription

// Programs that use other libraries, for comparison with the package. This is a package of its own,
// built program by program: if a library is missing, its program is not built, and the benchmarks
// still build.

/// A program, and the library that it uses (of Debian's packages libopenal-dev, portaudio19-dev,
/// librtaudio-dev and libsdl2-dev; SDL plays through libasound2-plugins).
func peer(_ name: String, _ library: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["PeerProtocol"],
        cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
        cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
        linkerSettings: [.linkedLibrary(library)])
}

let package = Package(
    name: "BenchmarkPeers",
    products: [.library(name: "PeerProtocol", targets: ["PeerProtocol"])],
    targets: [
        .target(
            name: "PeerProtocol",
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        peer("peer-openal", "openal"), peer("peer-portaudio", "portaudio"), peer("peer-rtaudio", "rtaudio"),
        peer("peer-sdl", "SDL2"),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
