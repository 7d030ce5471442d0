import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Two servers on one machine that act as two machines on a network: B records what A renders.
    /// The steps are those of Documentation/Network.md.
    @Suite("Network outputs", .jackdOnly("netjack2 and zita-njbridge are JACK tools; PipeWire has its own."))
    struct NetworkTests {
        private static let hertz = 1000.0
        let near: ServerName
        let far: ServerName

        init() throws {
            near = try ServerName()
            far = try ServerName()
        }

        @Test(
            "ROUTE-7: netjack2: a sine of A's engine arrives on B, and the driver lists the remote machine as a network device"
        )
        func netjack2() throws {
            let a = try JackServer(near)
            defer { a.stop() }
            let port = try Self.freePort()
            let loaded = try ChildProcess.run(
                "jack_load", ["netmanager", "-i", "-a 127.0.0.1 -p \(port)"], environment: a.environment)
            #expect(loaded.status == 0, "\(loaded.output)")
            let b = try JackServer(
                far, driver: ["net", "-a", "127.0.0.1", "-p", "\(port)", "-C", "2", "-P", "2", "-n", "kitchen"])
            defer { b.stop() }
            try expectPorts(of: ["kitchen"], on: a, "A")
            try expectPorts(of: ["system"], on: b, "B")
            try hear(from: a, through: "kitchen", to: "kitchen:to_slave_1", on: b, at: "system:capture_1", rate: 48_000)
        }

        @Test(
            "ROUTE-7: zita-njbridge: a sine arrives at its pitch on a server with another sample rate and buffer size")
        func zita() throws {
            let a = try JackServer(near)
            defer { a.stop() }
            let b = try JackServer(far, sampleRate: 44_100, periodFrames: 512)
            defer { b.stop() }
            let port = try Self.freePort()
            let receiver = try ChildProcess(
                "zita-n2j", ["--chan", "1,2", "--buff", "50", "127.0.0.1", "\(port)"], environment: b.environment)
            let sender = try ChildProcess(
                "zita-j2n", ["--chan", "2", "--float", "127.0.0.1", "\(port)"], environment: a.environment)
            defer {
                for bridge in [sender, receiver] {
                    bridge.send(SIGTERM)
                    bridge.reap()
                }
            }
            try expectPorts(of: ["zita-j2n"], on: a, "A")
            try expectPorts(of: ["zita-n2j"], on: b, "B")
            try hear(from: a, through: "zita-j2n", to: "zita-j2n:in_1", on: b, at: "zita-n2j:out_1", rate: 44_100)
        }

        /// Plays a sine on A and records it on B, whose sample rate is `rate`.
        private func hear(
            from a: JackServer, through device: String, to destination: String, on b: JackServer, at source: String,
            rate: Int
        ) throws {
            let player = try JackPlayer(
                JackDriver.Configuration(server: .named(a.name), clientName: "network-test", recovery: .never))
            defer { player.engine.close() }
            try player.engine.open()
            let sine = Signal.sine(frequency: Self.hertz, sampleRate: 48_000, frames: 48_000)
            let voice = try player.engine.play(
                .buffer(AudioBuffer([sine, sine]), loop: .forever), on: player.makeBus())
            try player.engine.start()
            let network = try #require(player.driver.devices?.first { $0.ports.contains { $0.name.contains(device) } })
            #expect(network.ports.allSatisfy { $0.type == .airPlay })
            #expect(network.ports.contains { $0.direction == .output && $0.channels == 2 })
            let linked = try ChildProcess.run(
                "jack_connect", ["network-test:out_1", destination], environment: a.environment)
            #expect(linked.status == 0, "\(linked.output)")
            // If packets are late when a bridge starts, as on a busy machine, it corrects its delay
            // by resampling, which changes the pitch for seconds.
            var heard: (intact: Int, levels: [Double]) = (0, [])
            for _ in 1...8 where heard.intact < 5 {
                heard = try record(player, on: b, at: source, rate: rate)
            }
            #expect(voice.state == .playing)
            #expect(heard.intact >= 5, "\(heard.intact) of \(heard.levels.count); \(heard.levels)")
        }

        /// Records a port of B while the player renders for 4 s. Returns the levels of the tenths
        /// of a second, and how many of these contain the sine at its pitch and level.
        private func record(
            _ player: JackPlayer, on b: JackServer, at source: String, rate: Int
        ) throws -> (intact: Int, levels: [Double]) {
            let air = try VirtualDevice("Air", kind: .builtInSpeaker, on: b.environment, outputs: 1, captures: true)
            let linked = try ChildProcess.run(
                "jack_connect", [source, "Air:playback_1"], environment: b.environment)
            #expect(linked.status == 0, "\(linked.output)")
            #expect(try player.waitForFrames(48_000 * 4))
            #expect(air.stop() == 0, "\(air.output)")
            let heard = try air.captured()[0]
            let parts = stride(from: 0, to: heard.count - rate / 10, by: rate / 10).map {
                Array(heard[$0..<($0 + rate / 10)])
            }
            let level = 0.5 / 2.0.squareRoot()
            let intact = parts.filter {
                abs(Signal.rms($0) - level) < 0.005
                    && abs(Signal.frequency(of: $0, near: Self.hertz, sampleRate: rate) - Self.hertz) < 1
            }
            return (intact.count, parts.map { Signal.rms($0) })
        }

        /// Waits until a server has exactly the recorded ports of these clients, at most 20 s.
        private func expectPorts(of clients: Set<String>, on server: JackServer, _ side: String) throws {
            let isMeant = { (line: String) in clients.contains(line.prefix { $0 != ":" }.description) }
            let expected = try Self.recorded(side).filter(isMeant)
            let deadline = Date(timeIntervalSinceNow: 20)
            var found: [String] = []
            while found != expected, Date() < deadline {
                found = try Self.list(server).filter(isMeant)
            }
            #expect(found == expected)
        }

        /// Returns the fixture's lines of a machine, without its letter, sorted.
        private static func recorded(_ side: String) throws -> [String] {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures/network-ports.txt"
            return readText(path).split(separator: "\n").filter { $0.hasPrefix(side + " ") }.map {
                String($0.dropFirst(2))
            }
            .sorted()
        }

        /// Returns a server's ports in the fixture's form, sorted: name, flags, aliases.
        private static func list(_ server: JackServer) throws -> [String] {
            let listing = try ChildProcess.run("jack_lsp", ["-A", "-p"], environment: server.environment).output
            var ports: [(name: String, aliases: [String], flags: String)] = []
            for line in listing.split(separator: "\n").map(String.init) {
                if line.hasPrefix("\tproperties: ") {
                    if !ports.isEmpty { ports[ports.count - 1].flags = String(line.dropFirst(13).dropLast()) }
                } else if line.hasPrefix("   ") {
                    if !ports.isEmpty { ports[ports.count - 1].aliases.append(String(line.dropFirst(3))) }
                } else {
                    ports.append((line, [], ""))
                }
            }
            return ports.map { ([$0.name, $0.flags] + $0.aliases).joined(separator: " ") }.sorted()
        }

        /// Returns a free UDP port.
        private static func freePort() throws -> UInt16 {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(socket, address, size) == 0 ? getsockname(socket, address, &size) : -1
                }
            }
            guard result == 0 else { throw TestFailure("Cannot find a free UDP port.") }
            return UInt16(bigEndian: address.sin_port)
        }
    }
}
