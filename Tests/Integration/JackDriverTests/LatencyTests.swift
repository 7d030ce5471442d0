import AudioRendering
import AudioSessions
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Compares the latencies that a session reports with what JACK's own tool reports for the
    /// ports.
    @Suite("Latencies")
    struct LatencyTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        /// Returns the greatest latency of a port in a direction, as reported by jack_lsp.
        private func latency(of port: String, _ way: String, on server: JackServer) throws -> Int? {
            let listing = try ChildProcess.run("jack_lsp", ["-l", port], environment: server.environment).output
            let line = listing.split(separator: "\n").first { $0.contains("port \(way) latency") }
            return line.flatMap { $0.split(separator: " ").compactMap { Int($0) }.last }
        }

        @Test(
            "HW-1: outputLatency and inputLatency match what jack_lsp reports for the route's ports and for ours",
            .jackdOnly("PipeWire's null sink has no inputs and reports no latency."))
        func session() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let driver = JackDriver(
                configuration: .init(
                    server: .named(server.name), clientName: "latency-test", inputs: nil, recovery: .never))
            let host = AudioSessionHost(driver: driver)
            let session = try AudioSession(host: host)
            try session.setCategory(.playAndRecord)
            try session.setActive(true)
            let rate = session.sampleRate
            func agrees(_ device: String, output: String, input: String) throws -> Bool {
                let out = Int((session.outputLatency * rate).rounded())
                let arrives = Int((session.inputLatency * rate).rounded())
                return try out == latency(of: "\(device):playback_1", "playback", on: server)
                    && out == latency(of: output, "playback", on: server)
                    && arrives == latency(of: "\(device):capture_1", "capture", on: server)
                    && arrives == latency(of: input, "capture", on: server)
            }
            #expect(try eventually { try agrees("system", output: "latency-test:out_1", input: "latency-test:in_1") })
            let headset = try VirtualDevice(
                "Far", kind: .usbAudio, on: server.environment, inputs: 1, latency: 4800)
            #expect(eventually { Int((session.outputLatency * rate).rounded()) == 4800 })
            #expect(
                try eventually { try agrees("Far", output: "latency-test:far_1", input: "latency-test:far_in_1") },
                "\(session.outputLatency * rate) \(session.inputLatency * rate)")
            headset.stop()
            #expect(try eventually { try agrees("system", output: "latency-test:out_1", input: "latency-test:in_1") })
            try session.setActive(false)
            driver.close()
        }

        /// Returns the latency range of a port in a direction, as reported by jack_lsp.
        private func range(of port: String, _ way: String, on server: JackServer) throws -> [Int] {
            let listing = try ChildProcess.run("jack_lsp", ["-l", port], environment: server.environment).output
            let line = listing.split(separator: "\n").first { $0.contains("port \(way) latency") }
            return line?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
        }

        @Test(
            "Outputs connected to our own inputs do not increase the reported latency with each change",
            .jackdOnly("PipeWire itself ignores loops."))
        func loop() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(
                .init(server: .named(server.name), clientName: "own-latency", outputs: 2, inputs: 2, recovery: .never))
            _ = try player.start()
            let before = try range(of: "own-latency:out_2", "capture", on: server)
            try #require(before.count == 2)
            let limiter = try AudioLimiter()
            try player.engine.setLimiter(limiter, of: OutputRoute(firstChannel: 0, channels: 2))
            let own = limiter.latencyFrames
            #expect(
                try eventually { try range(of: "own-latency:out_2", "capture", on: server) == before.map { $0 + own } })
            func link(_ program: String, _ from: String, _ to: String) throws {
                try ChildProcess.run(
                    program, ["own-latency:\(from)", "own-latency:\(to)"], environment: server.environment)
            }
            try link("jack_connect", "out_1", "in_1")
            for _ in 0..<5 {
                try link("jack_connect", "out_2", "in_2")
                try link("jack_disconnect", "out_2", "in_2")
            }
            #expect(try player.waitForFrames(1000))
            let most = (before.max() ?? 0) + 2 * own
            for port in ["out_1", "out_2"] {
                let after = try range(of: "own-latency:\(port)", "capture", on: server)
                #expect(after.allSatisfy { (own...most).contains($0) }, "\(port): \(after) of \(own)")
            }
            player.engine.close()
        }

        @Test("Other clients see the delay of a limiter and of inserts in the ports' latencies, also on a new server")
        func own() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(
                .init(
                    server: .named(server.name), clientName: "own-latency", outputs: 2, inputs: 1,
                    recovery: .within(seconds: 30)))
            _ = try player.start()
            let bus = try player.makeBus()
            let before = try range(of: "own-latency:out_1", "capture", on: server)
            let beyond = try range(of: "own-latency:in_1", "playback", on: server)
            func isLater(by least: Int, _ most: Int) throws -> Bool {
                try range(of: "own-latency:out_1", "capture", on: server) == [before[0] + least, before[1] + most]
                    && range(of: "own-latency:in_1", "playback", on: server) == [beyond[0] + least, beyond[1] + most]
            }
            try #require(before.count == 2 && beyond.count == 2)
            let limiter = try AudioLimiter()
            try player.engine.setLimiter(limiter, of: OutputRoute(firstChannel: 0, channels: 2))
            let own = limiter.latencyFrames
            #expect(own > 0)
            #expect(try eventually { try isLater(by: own, own) })
            let state = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            defer { state.deallocate() }
            let effect = try AudioInsert(latencyFrames: 480, context: state) { _, _, _, _ in }
            try bus.setGraph(
                BusGraph(buses: [.init("late", insert: effect), .init("live", isCompensationExempt: true)]))
            #expect(try eventually { try isLater(by: own, own + 480) })
            server.kill()
            #expect(player.events.wait { $0.contains(.serverLost) })
            server = try JackServer(name)
            #expect(try player.waitForFrames(1000))
            #expect(try eventually { try isLater(by: own, own + 480) })
            try bus.setGraph(BusGraph())
            try player.engine.setLimiter(nil, of: OutputRoute(firstChannel: 0, channels: 2))
            #expect(try eventually { try isLater(by: 0, 0) })
            player.engine.close()
        }
    }
}
