import AudioSessionTypes
import DesktopBridge
import Foundation
import Platform
import TestRandom
import TestSupport
import Testing

/// Texts, numbers and calls that could break the player.
@Suite("desktop: hostile input", .serialized)
struct HostileTests {
    let served: ServedPlayer

    private static let markup = "\"quoted\" 'text' \\ {{title}} %s\n\t\u{1b}[31m\u{202e}"

    init() throws { served = try ServedPlayer() }

    @Test(
        "Texts of any kind are published",
        arguments: [
            ("a\0b\0", "ab"), ("\0", ""), ("", ""), (noncharacters, String(repeating: "\u{fffd}", count: 66)),
            (String(repeating: "x", count: 2_048), String(repeating: "x", count: 2_048)),
            (String(repeating: "🎧", count: 512), String(repeating: "🎧", count: 512)),
            (Self.markup, Self.markup),
        ])
    func texts(text: String, published: String) throws {
        let info = NowPlayingInfo(
            .playing, trackIdentifier: text, title: text, artist: text, album: text, artworkURL: text, duration: 10)
        var player = served.player(info)
        player.name = text
        player.desktopEntry = text
        try served.show(player)
        let name = try #require(served.bus.name)
        let client = try BusClient(served.desktop.address)
        func get(_ interface: String, _ property: String) throws -> BusClient.Value? {
            try client.call("org.freedesktop.DBus.Properties", "Get", [.text(interface), .text(property)], to: name)
        }
        #expect(try get("org.mpris.MediaPlayer2", "Identity") == .variant(.text(published)))
        #expect(try get("org.mpris.MediaPlayer2", "DesktopEntry") == .variant(.text(published)))
        let short = String(name.dropFirst("org.mpris.MediaPlayer2.".count))
        for key in ["xesam:title", "xesam:artist", "xesam:album", "mpris:artUrl"] {
            let output = try ChildProcess.run(
                "playerctl", ["--player", short, "metadata", key], environment: served.desktop.environment, seconds: 20)
            #expect(output.status == 0)
            #expect(output.output == published + "\n")
        }
    }

    @Test(
        "Numbers of any kind are published",
        arguments: [
            0, -0.0, 1e9, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ] as [Double])
    func numbers(number: Double) throws {
        let client = try BusClient(served.desktop.address)
        for state in NowPlayingInfo.PlaybackState.allCases {
            let info = NowPlayingInfo(state, title: "A", duration: number, position: number, rate: number)
            for time in [0, UInt64.max, DispatchTime.now().uptimeNanoseconds] {
                var player = served.player(info, number: .max)
                player.record = NowPlayingRecord(info: info, time: time)
                try served.show(player)
                guard case .integer(let position) = try client.get("Position"),
                    case .number(let rate) = try client.get("Rate"),
                    case .number(let least) = try client.get("MinimumRate"),
                    case .number(let greatest) = try client.get("MaximumRate")
                else { throw TestFailure("A property has another type.") }
                #expect(position >= 0)
                #expect(least <= rate && rate <= greatest && rate > 0 && rate.isFinite)
                #expect(try client.get("Metadata") == .other("a{sv}"))
            }
        }
    }

    @Test("Texts from the bus that sd-bus refuses are errors, and the player goes on")
    func texts() throws {
        try served.show(NowPlayingInfo(.playing, title: "A"))
        for text in ["\u{1b}[31m", noncharacters, String(repeating: "x", count: 100_000), "%s%n", ""] {
            let status = try served.desktop.set("LoopStatus", "string:" + text)
            #expect(status.status != 0)
            let uri = try served.desktop.call("org.mpris.MediaPlayer2.Player.OpenUri", "string:" + text)
            #expect(uri.status != 0)
        }
        #expect(try served.playerctl("status").output == "Playing")
    }

    /// Returns a random value: of the type that a property has, or another one.
    private func value(_ random: inout SeededGenerator) -> BusClient.Value {
        let numbers = [0, -0.0, 1, 2.5, -1, 4, 1e300, .infinity, .nan, .leastNonzeroMagnitude]
        let integers: [Int64] = [0, 1, -1, 5_000_000, .max, .min, 100_000_000]
        let texts = [
            "", "None", "Track", "Playlist", "🎧", "org.mpris.MediaPlayer2", String(repeating: "y", count: 9_000),
        ]
        switch random.below(6) {
        case 0: return .text(random.pick(texts))
        case 1: return .object(random.pick(["/", "/a", "/org/mpris/MediaPlayer2/TrackList/NoTrack"]))
        case 2: return .integer(random.pick(integers))
        case 3: return .number(random.pick(numbers))
        case 4: return .flag(random.oneIn(2))
        default: return .variant(.text("v"))
        }
    }

    @Test("Thousands of random calls get a reply or an error each; every command arrives once")
    func calls() throws {
        var random = SeededGenerator(seed: TestSeed.current)
        let client = try BusClient(served.desktop.address)
        let interfaces = [
            "org.mpris.MediaPlayer2", "org.mpris.MediaPlayer2.Player", "org.freedesktop.DBus.Properties",
        ]
        let commands = ["Raise", "Quit", "Next", "Previous", "Pause", "PlayPause", "Stop", "Play", "Seek"]
        let members = commands + ["SetPosition", "OpenUri", "Get", "GetAll", "Set", "Nothing"]
        let properties = ["LoopStatus", "Rate", "Shuffle", "Volume", "Position", "Metadata", "CanQuit", "None"]
        let errors = [
            "NotSupported", "Failed", "InvalidArgs", "UnknownMethod", "UnknownProperty", "UnknownInterface",
            "PropertyReadOnly", "UnknownObject",
        ].map { "org.freedesktop.DBus.Error." + $0 }
        try served.show(NowPlayingInfo(.playing, title: "A", duration: 100))
        var expected = 0
        let count = TestLength.times(5_000, long: 50_000)
        for number in 0..<count {
            if random.oneIn(10) {
                let info = NowPlayingInfo(
                    random.pick(NowPlayingInfo.PlaybackState.allCases), title: "\(number % 3)",
                    duration: random.pick([nil, 1, .infinity]), position: Double(random.below(100)),
                    rate: random.pick([1, 2, .nan]))
                try served.show(random.oneIn(5) ? nil : info, number: UInt64(random.below(3)))
            }
            let call: (interface: String, member: String, arguments: [BusClient.Value])
            if random.oneIn(3) {
                call = (
                    interfaces[2], "Set",
                    [.text(random.pick(interfaces)), .text(random.pick(properties)), .variant(value(&random))]
                )
            } else {
                let arguments = (0..<random.below(3)).map { _ in value(&random) }
                call = (random.pick(interfaces), random.pick(members), arguments)
            }
            do {
                try client.call(
                    call.interface, call.member, call.arguments,
                    path: random.oneIn(50) ? "/org/mpris" : "/org/mpris/MediaPlayer2")
                if commands.contains(call.member) { expected += 1 }
                if call.member == "Set" { expected += 1 }
            } catch let failure as BusClient.Failure {
                #expect(errors.contains(failure.name), "\(call): \(failure), \(TestSeed.text)")
            }
        }
        #expect(served.commands.noted.count == expected, "\(TestSeed.text)")
        #expect(expected > count / 50)
        try served.show(NowPlayingInfo(.paused, title: "end"))
        #expect(try served.playerctl("metadata", "title").output == "end")
    }

    @Test("While nothing happens, the thread that serves the bus is not woken")
    func wakeUps() throws {
        try served.show(NowPlayingInfo(.playing, title: "A", duration: 1_000))
        #expect(try served.playerctl("status").output == "Playing")
        func waits() throws -> Int {
            try #require(OtherProcess.threads(of: getpid()).first { $0.name == "mpris" }).waits
        }
        // Repeated, because the end of playerctl's connection wakes it.
        var least = Int.max
        for _ in 0..<5 where least > 0 {
            let before = try waits()
            poll(nil, 0, 500)
            least = min(least, try waits() - before)
        }
        #expect(least == 0)
        let before = try waits()
        try served.show(NowPlayingInfo(.paused, title: "A", duration: 1_000))
        #expect(try eventually { try waits() > before })
    }
}
