import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Tests of sample rate changes during playback, and of invalid ones.
    @Suite("The sample rate of a server", .jackdOnly("The managed server is a jackd; PipeWire has tests of its own."))
    struct ServerRateTests {
        let name: ServerName
        let server: ManagedServer

        init() throws {
            name = try ServerName()
            server = ManagedServer(name: name.text, sampleRate: 48_000, periodFrames: 256, device: .none, idleExit: 1)
        }

        private func player() throws -> JackPlayer {
            try JackPlayer(
                JackDriver.Configuration(
                    server: .managed, clientName: "rate-test", recovery: .never, managedServer: server))
        }

        /// Closes the player, and waits until the server has ended, too.
        private func end(_ player: JackPlayer) throws {
            let process = try serverProcess()
            player.engine.close()
            kill(process, SIGTERM)
            try ChildProcess.run("tail", ["--pid=\(process)", "-s", "0.02", "-f", "/dev/null"])
        }

        private func serverProcess() throws -> pid_t {
            let control = try #require(ControlPeer.path(of: name.text))
            return try #require(try ControlPeer(control).process)
        }

        @Test("HW-1, HW-2: the managed server changes its sample rate during playback; buffer size and device stay")
        func changes() throws {
            let (player, other) = (try self.player(), try self.player())
            _ = try player.start()
            _ = try other.start()
            #expect(try player.engine.requestPeriod(frames: 240) == 240)
            for rate in [44_100, 96_000, 8_000, 48_000] {
                #expect(try player.driver.requestSampleRate(rate) == rate)
                #expect(player.engine.format?.sampleRate == rate && player.engine.format?.periodFrames == 240)
                #expect(
                    other.waitForEvent {
                        if case .formatChanged(let format) = $0 { format.sampleRate == rate } else { false }
                    })
                #expect(try player.waitForFrames(1000) && other.waitForFrames(1000))
            }
            #expect(player.losses == 0 && other.losses == 0)
            #expect(try server.start().outputs == 2, "the device is still open")
            other.engine.close()
            try end(player)
        }

        @Test("After a rate change, the device's ports are registered again, and their connections are restored")
        func links() throws {
            let player = try player()
            _ = try player.start()
            func links() throws -> String {
                try ChildProcess.run(
                    "jack_lsp", ["-c", "rate-test:"], environment: ["JACK_DEFAULT_SERVER": name.text]
                ).output
            }
            let before = try links()
            #expect(before.contains("system:playback_1") && before.contains("system:playback_2"))
            for rate in [44_100, 48_000, 96_000] {
                #expect(try server.setSampleRate(rate) == rate)
                #expect(
                    player.waitForEvent {
                        if case .formatChanged(let format) = $0 { format.sampleRate == rate } else { false }
                    })
                #expect(try player.waitForFrames(rate / 2))
                #expect(try eventually { try links() == before })
            }
            try end(player)
        }

        @Test("Simultaneous requests are served one after the other, and each reports a rate that the server had")
        func race() async throws {
            let player = try player()
            _ = try player.start()
            let rates = [32_000, 44_100, 88_200, 96_000]
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for rate in rates + rates { group.addTask { [server] in try server.setSampleRate(rate) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == (rates + rates).sorted())
            #expect(rates.contains(try server.start().sampleRate))
            #expect(try player.waitForFrames(1000))
            try end(player)
        }

        @Test("A jackd that is not managed keeps its rate; the refusal suggests a fix")
        func outside() throws {
            let jackd = try JackServer(name)
            defer { jackd.stop() }
            let player = try JackPlayer(
                JackDriver.Configuration(server: .named(name.text), clientName: "rate-test", recovery: .never))
            _ = try player.start()
            #expect(try player.driver.requestSampleRate(48_000) == 48_000)
            let error = #expect(throws: DriverError.self) { try player.driver.requestSampleRate(44_100) }
            #expect(
                error?.description
                    == """
                    The audio server refused a rate of 44100 Hz: its sample rate is fixed at 48000 Hz, and other rates are \
                    resampled; restart it with '-r 44100', or use the managed server.
                    """)
            #expect(player.engine.format?.sampleRate == 48_000)
            player.engine.close()
        }

        @Test("HW-4: an out-of-range rate is refused, and a missing server is reported")
        func absurd() throws {
            for limit in [10, .infinity, .nan, 1e300, -1] {
                #expect(throws: DriverError.noJackServer(name.text)) {
                    try server.setSampleRate(44_100, within: limit)
                }
            }
            for rate in [-1, 0, 7_999, 384_001, .max] {
                let error = #expect(throws: DriverError.self) { try server.setSampleRate(rate) }
                #expect(error?.description.contains("rates range from 8,000 to 384,000 Hz") == true)
            }
        }

        @Test("A server that does not answer delays a request only up to its timeout")
        func frozen() throws {
            let player = try player()
            _ = try player.start()
            let process = try serverProcess()
            kill(process, SIGSTOP)
            #expect(throws: DriverError.timedOut(call: "a rate of 44100 Hz", seconds: 0.2)) {
                try server.setSampleRate(44_100, within: 0.2)
            }
            kill(process, SIGCONT)
            #expect(try server.setSampleRate(96_000) == 96_000)
            try end(player)
        }
    }
}
