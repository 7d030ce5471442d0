import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestRandom
import TestSupport
import Testing

extension RealServers {
    /// Many faults in a row on a real server. `Scripts/soak` mixes them at random.
    @Suite("Repeated faults", .serialized, .jackdOnly("Scripts/soak covers the other servers."))
    struct RealFaultTests {
        private func driver(_ name: ServerName) -> JackDriver {
            JackDriver(
                configuration: .init(
                    server: .named(name.text), clientName: "fault-test", inputs: nil, recovery: .within(seconds: 60)))
        }

        private func host(_ name: ServerName) -> AudioSessionHost {
            AudioSessionHost(driver: driver(name), settings: ArbiterSettings())
        }

        /// Returns the connections of the first device's ports, as another program sees them.
        private func links(_ server: JackServer) throws -> String {
            try ChildProcess.run("jack_lsp", ["-c", "fault-test:out_"], environment: server.environment).output
        }

        private func play(_ session: AudioSession) throws -> Voice {
            let samples = Signal.counting(frames: 960_000)
            return try session.engine.play(
                .buffer(AudioBuffer([samples, samples]), loop: .forever), on: session.bus)
        }

        @Test(
            "SRV-1, SRV-2: the server is killed repeatedly during playback while others connect ports; everything is restored each time, without leaks"
        )
        func kills() throws {
            let name = try ServerName()
            var server = try JackServer(name, periodFrames: 128)
            defer { server.stop() }
            let driver = driver(name)
            let host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
            let session = try AudioSession(host: host)
            try session.setCategory(.playback)
            let returns = EventLog<Bool>()
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.mediaServicesWereResetNotification, object: session, queue: nil
            ) { _ in returns.note(true) }
            defer { NotificationCenter.default.removeObserver(token) }
            try session.setActive(true)
            let voice = try play(session)
            var settled: ResourceSnapshot?
            let rounds = TestLength.times(12, long: 50)
            for round in 1...rounds {
                let tool = round % 2 == 0 ? "jack_disconnect" : "jack_connect"
                try ChildProcess.run(tool, ["fault-test:out_1", "system:playback_2"], environment: server.environment)
                #expect(
                    eventually { driver.restorableLinks.contains("out_1 system:playback_2") == (round % 2 != 0) },
                    "the app has been notified")
                let place = voice.framesRendered
                server.kill()
                server = try JackServer(name, periodFrames: round % 3 == 0 ? 64 : 128)
                #expect(returns.wait { $0.count == round })
                #expect(
                    session.isActive && eventually(seconds: 10) { voice.framesRendered > place }, "it continues to play"
                )
                // A server may accept clients before its own ports exist.
                var connected = ""
                let isRestored = try eventually(seconds: 10) {
                    connected = try links(server)
                    return connected.contains("system:playback_2", times: round % 2 == 0 ? 1 : 2)
                }
                #expect(isRestored, "connections restored in round \(round): \(connected)")
                if round == rounds / 4 { settled = try ResourceSnapshot() }
            }
            let last = try ResourceSnapshot()
            #expect(last.driverThreads == settled?.driverThreads)
            #expect(last.driverDescriptors < (settled?.driverDescriptors ?? 0) + 20)
            host.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test(
            "ROUTE-2, ROUTE-4: devices come and go repeatedly at random; the route is right each time, and no port leaks"
        )
        func plugging() throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 128)
            defer { server.stop() }
            let host = host(name)
            let session = try AudioSession(host: host)
            try session.setCategory(.ambient)
            try session.setActive(true)
            let voice = try play(session)
            let home = try #require(session.currentRoute.outputs.first?.portName)
            let kinds: [(name: String, kind: PortType)] = [
                ("Ears", .headphones), ("Screen", .hdmi), ("Interface", .usbAudio), ("Line", .lineOut),
            ]
            var generator = SeededGenerator(seed: TestSeed.ofCase(1))
            var plugged: [(name: String, device: VirtualDevice)] = []
            for _ in 1...TestLength.times(50, long: 200) {
                let choice = kinds[Int.random(in: kinds.indices, using: &generator)]
                if let place = plugged.firstIndex(where: { $0.name == choice.name }) {
                    plugged.remove(at: place).device.kill()
                    // Waits before plugging it in again: a device whose removal was not noticed
                    // would not count as new.
                    #expect(
                        eventually(seconds: 10) { !host.devices.contains { $0.contains(choice.name) } },
                        "\(TestSeed.text): \(choice.name) is gone")
                } else {
                    plugged.append(
                        (choice.name, try VirtualDevice(choice.name, kind: choice.kind, on: server.environment)))
                }
                let wanted = plugged.last?.name ?? home
                #expect(
                    eventually(seconds: 10) { session.currentRoute.outputs.first?.portName == wanted },
                    "\(TestSeed.text): wanted: \(wanted)")
            }
            for (_, device) in plugged { device.kill() }
            #expect(
                eventually(seconds: 10) { session.currentRoute.outputs.first?.portName == home }, "\(TestSeed.text)")
            #expect(session.isActive && voice.state == .playing)
            let ports = try ChildProcess.run("jack_lsp", ["fault-test:"], environment: server.environment).output
            #expect(ports.split(separator: "\n").count <= 2 + 2 + 2 * kinds.count, "\(TestSeed.text): \(ports)")
            host.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("HW-2, HW-5: the buffer size changes repeatedly during playback, and no frame is lost or repeated")
        func periods() throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256)
            defer { server.stop() }
            let speaker = try VirtualDevice("Speaker", kind: .builtInSpeaker, on: server.environment, captures: true)
            let host = host(name)
            let session = try AudioSession(host: host)
            try session.setCategory(.playback)
            try session.setActive(true)
            let voice = try play(session)
            var generator = SeededGenerator(seed: TestSeed.ofCase(2))
            let changes = TestLength.times(60, long: 200)
            for _ in 1...changes {
                let frames = [64, 100, 128, 256, 512, 1_024].randomElement(using: &generator) ?? 256
                #expect(try session.engine.requestPeriod(frames: frames) == frames, "\(TestSeed.text)")
            }
            let xruns = try session.engine.statistics.xruns
            let rendered = voice.framesRendered
            host.close()
            let heard = try speaker.captured()[0].drop { $0 == 0 }
            #expect(rendered > 100 * changes)
            // After the fade-in and before the end, a lost frame is a step up, or silence; a
            // repeated frame is a step down.
            let last = heard.lastIndex { $0 != 0 } ?? heard.startIndex
            let counted = Array(heard.prefix(through: last).dropFirst(300).dropLast(300))
            #expect(counted.count > 100 * changes)
            let breaks = zip(counted, counted.dropFirst()).count { abs(($1 - $0) * 1_048_576 - 1) > 0.01 }
            // A cycle that the server missed is silent, with a break at each end.
            #expect(breaks <= 2 * xruns, "\(TestSeed.text): \(breaks) breaks, \(xruns) xruns")
        }
    }
}

extension String {
    fileprivate func contains(_ part: String, times: Int) -> Bool { components(separatedBy: part).count == times + 1 }
}
