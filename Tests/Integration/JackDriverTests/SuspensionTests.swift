import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    @Suite("A driver that is suspended")
    struct SuspensionTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        private func player(recovery: JackDriver.Recovery = .always) throws -> JackPlayer {
            try JackPlayer(
                JackDriver.Configuration(
                    server: .named(name.text), clientName: "suspension-test", recovery: recovery, callTimeout: 5))
        }

        private func links(on server: JackServer) throws -> Set<String> {
            try server.links(of: "suspension-test")
        }

        /// Suspends the player and returns when the server no longer calls it.
        private func suspend(_ player: JackPlayer, on server: JackServer) throws {
            player.engine.suspend()
            #expect(!player.driver.isRendering)
            #expect(try eventually { try links(on: server).isEmpty })
        }

        private func ports(on server: JackServer) throws -> String {
            try ChildProcess.run("jack_lsp", [], environment: server.environment).output
        }

        private func isReturn(_ event: DriverEvent) -> Bool {
            if case .serverReturned = event { true } else { false }
        }

        /// Whether the devices that were reported last have an output of that name.
        private func reports(_ player: JackPlayer, output: String) -> Bool {
            player.driver.devices?.contains { $0.ports.contains { $0.name == output && $0.direction == .output } }
                == true
        }

        @Test("It is not called, and starts with its connections, also those of other programs, at the next frame")
        func connections() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            let voice = try player.start()
            #expect(try player.waitForFrames(1000))
            // Another program adds a connection and removes one.
            try ChildProcess.run(
                "jack_connect", ["suspension-test:out_1", "system:playback_2"], environment: server.environment)
            try ChildProcess.run(
                "jack_disconnect", ["suspension-test:out_2", "system:playback_2"], environment: server.environment)
            #expect(
                eventually {
                    player.driver.restorableLinks == ["out_1 system:playback_1", "out_1 system:playback_2"]
                        && player.driver.areConnectionsDecided
                })
            for _ in 1...3 {
                try suspend(player, on: server)
                let (cycles, position) = (player.driver.cycleCount, voice.framesRendered)
                poll(nil, 0, 300)  // many periods
                #expect(player.driver.cycleCount == cycles)
                #expect(voice.framesRendered == position)
                try player.engine.start()
                #expect(player.driver.isRendering)
                #expect(
                    try links(on: server) == [
                        "suspension-test:out_1 → system:playback_1", "suspension-test:out_1 → system:playback_2",
                    ])
                #expect(try player.waitForFrames(1000))
                #expect(voice.framesRendered > position)
            }
            #expect(player.losses == 0)
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("INT-8: its clock continues, so that a command whose time has passed is late")
        func clock() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            let bus = try player.makeBus()
            let sound = VoiceSource.buffer(try AudioBuffer([[Float](repeating: 0, count: 48)]))
            let ends = EventLog<UInt64>()
            let due = player.engine.currentFrame + 9_600
            let voice = try player.engine.play(sound, on: bus, at: due) { _ in ends.note(player.engine.currentFrame) }
            try suspend(player, on: server)
            let begin = player.engine.currentFrame
            #expect(eventually { player.engine.currentFrame > max(due, begin + 12_000) })
            #expect(voice.framesRendered == 0)
            let late = player.engine.counters.lateCommands
            let before = player.engine.currentFrame
            try player.engine.start()
            #expect(player.engine.currentFrame >= before)
            #expect(ends.wait { !$0.isEmpty })
            #expect(player.engine.counters.lateCommands == late + 1)
            player.engine.close()
            #expect(player.engine.currentFrame >= before)
        }

        @Test("It still reports the devices that come and go, and finds the latest ones when it is opened again")
        func devices() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            try suspend(player, on: server)
            // The scans that the suspension itself causes are over: only polls find the device.
            poll(nil, 0, 500)
            let cycles = player.driver.cycleCount
            let ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
            #expect(eventually { reports(player, output: "Ears") })
            #expect(
                player.waitForEvent {
                    if case .devicesChanged(let devices) = $0 {
                        devices.contains { $0.ports.contains { $0.name == "Ears" } }
                    } else {
                        false
                    }
                })
            #expect(player.driver.cycleCount == cycles)
            // Opening polls the server: it does not wait for the next poll.
            ears.kill()
            #expect(try eventually { !(try ports(on: server)).contains("Ears") })
            try player.engine.open()
            #expect(!reports(player, output: "Ears"))
            player.engine.close()
        }

        @Test("A connection to a device that left meanwhile is restored when the device returns")
        func deviceAway() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            var ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
            #expect(eventually { reports(player, output: "Ears") })
            let uid = try #require(
                player.driver.devices?.flatMap(\.ports).first { $0.name == "Ears" && $0.direction == .output }?.uid)
            _ = try player.driver.connect(uid)
            let connected = try links(on: server)
            #expect(connected.contains { $0.contains("Ears") })
            #expect(eventually { player.driver.restorableLinks.count == connected.count })

            // Away and back before the start.
            try suspend(player, on: server)
            ears.kill()
            #expect(eventually { !reports(player, output: "Ears") })
            ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
            #expect(eventually { reports(player, output: "Ears") })
            try player.engine.start()
            #expect(try eventually { try links(on: server) == connected })

            // Back only after the start.
            try suspend(player, on: server)
            ears.kill()
            #expect(eventually { !reports(player, output: "Ears") })
            try player.engine.start()
            #expect(try player.waitForFrames(1000))
            #expect(try links(on: server) == connected.filter { !$0.contains("Ears") })
            ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
            #expect(try eventually { try links(on: server) == connected })
            ears.kill()
            player.engine.close()
        }

        @Test("A connection to a device that leaves just before is restored when the device returns")
        func deviceLeavesJustBefore() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            var ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
            #expect(eventually { reports(player, output: "Ears") })
            let uid = try #require(
                player.driver.devices?.flatMap(\.ports).first { $0.name == "Ears" && $0.direction == .output }?.uid)
            _ = try player.driver.connect(uid)
            let connected = try links(on: server)
            // jackd removes the connections of a client that was killed some time before its ports.
            for pause in [5, 10, 20] {
                #expect(eventually { player.driver.restorableLinks.count == connected.count })
                ears.kill()
                poll(nil, 0, Int32(pause))
                try suspend(player, on: server)
                ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment)
                #expect(eventually { reports(player, output: "Ears") })
                try player.engine.start()
                #expect(try eventually(seconds: 5) { try links(on: server) == connected })
            }
            ears.kill()
            player.engine.close()
        }

        @Test("A connection that another program removed just before stays removed")
        func removedJustBefore() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            #expect(eventually { player.driver.restorableLinks.count == 2 })
            try ChildProcess.run(
                "jack_disconnect", ["suspension-test:out_2", "system:playback_2"], environment: server.environment)
            try suspend(player, on: server)
            #expect(player.driver.restorableLinks == ["out_1 system:playback_1"])
            try player.engine.start()
            #expect(try links(on: server) == ["suspension-test:out_1 → system:playback_1"])
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test("HW-6: it reports a new period, and renders with it")
        func period() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let (player, other) = (try player(), try player())
            _ = try player.start()
            _ = try other.start()
            #expect(try player.waitForFrames(1000))
            player.engine.suspend()
            let cycles = player.driver.cycleCount
            #expect(try other.engine.requestPeriod(frames: 512) == 512)
            // The libjack of PipeWire 1.4 has no call that returns the period to such a client.
            if !TestServer.isNewerPipeWire {
                #expect(eventually { player.engine.format?.periodFrames == 512 })
            }
            #expect(player.driver.cycleCount - cycles < 100)
            try player.engine.start()
            #expect(try player.waitForFrames(1000))
            #expect(player.engine.format?.periodFrames == 512)
            other.engine.close()
            player.engine.close()
        }

        @Test("SRV-1, SRV-2: it reports the loss of the server at once, and the return; then it starts as before")
        func loss() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            let voice = try player.start()
            #expect(try player.waitForFrames(1000))
            let connected = try links(on: server)
            #expect(eventually { player.driver.restorableLinks.count == connected.count })
            for round in 1...2 {
                try suspend(player, on: server)
                let position = voice.framesRendered
                server.kill()
                #expect(player.events.wait { $0.count { $0 == .serverLost } == round })
                server = try JackServer(name)
                #expect(player.events.wait { $0.count(where: isReturn) == round })
                #expect(!player.driver.isRendering)
                let cycles = player.driver.cycleCount
                #expect(voice.framesRendered == position)
                try player.engine.start()
                #expect(try eventually { try links(on: server) == connected })
                #expect(try player.waitForFrames(1000))
                #expect(player.driver.cycleCount > cycles)
            }
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("SRV-1: a driver that was opened and never started reports the loss of the server, too")
        func lossBeforeStart() throws {
            let server = try JackServer(name)
            let player = try player(recovery: .never)
            try player.engine.open()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverGone })
            #expect(player.events.noted.filter { $0 != .serverGone } == [.serverLost])
            player.engine.close()
        }

        @Test("A start that follows at once finds it active or activates it again")
        func startsAtOnce() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try player()
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            let connected = try links(on: server)
            #expect(eventually { player.driver.restorableLinks.count == connected.count })
            for pause in 0..<20 {
                player.engine.suspend()
                poll(nil, 0, Int32(pause % 5))
                try player.engine.start()
                #expect(player.driver.isRendering)
                #expect(try player.waitForFrames(300))
            }
            #expect(try links(on: server) == connected)
            #expect(player.losses == 0)
            player.engine.close()
        }

        /// Returns the number of frames that are missing, or are repeated if it is negative,
        /// between the two parts of a counting signal that a silence of at least 2,000 frames
        /// separates; nil without such a silence.
        private func missingFrames(_ samples: [Float]) -> Int? {
            guard let first = samples.firstIndex(where: { $0 != 0 }) else { return nil }
            var begin = first
            for index in first..<samples.count where samples[index] != 0 {
                if index - begin > 2_000, begin > 300, index + 300 < samples.count {
                    // 300 frames from the silence, the fades are over.
                    let frames = (samples[index + 300] - samples[begin - 300]) * 1_048_576
                    return Int(frames.rounded()) - 601
                }
                begin = index
            }
            return nil
        }

        @Test(
            "INT-8, ROUTE-4: interrupted music continues after a suspension where it was; if its headphones were unplugged, it starts on no other output"
        )
        func interruptedMusic() throws {
            var settings = ArbiterSettings()
            settings.suspendOnIdle = 0.1
            let fixture = try RouteFixture(settings: settings)
            defer { fixture.server.stop() }
            let ears = try fixture.plug("Ears", .headphones)
            let session = try fixture.session()
            let routes = RouteLog(session)
            let player = try AudioPlayer(path: fixture.file(), session: session)
            let driver = try #require(try fixture.host.engine.get().driver as? JackDriver)
            func interrupt() throws {
                let place = player.currentTime
                #expect(eventually { player.currentTime > place + 0.2 })
                try fixture.host.beginInterruption(by: .call)
                #expect(eventually { !driver.isRendering })
                // The driver no longer renders once it has asked for the deactivation. The server
                // calls it until the deactivation is done, which removes its connections.
                #expect(try eventually { try fixture.server.links(of: "route-test").isEmpty })
                let cycles = driver.cycleCount
                poll(nil, 0, 300)
                #expect(driver.cycleCount == cycles)
            }
            try player.play()
            try interrupt()
            #expect(session.currentRoute.outputs.map(\.portName) == ["Ears"])
            #expect(session.ioBufferDuration > 0 && session.outputLatency >= 0)
            try fixture.host.endInterruption()
            #expect(eventually { player.isPlaying && driver.isRendering })
            try interrupt()
            let missing = try #require(missingFrames(try ears.captured()[0]))
            // jackd without -S omits or repeats periods of a client that is late.
            #expect(
                abs(missing) <= (TestServer.current == .jackdSync ? 4 : 8 * RouteFixture.periodFrames), "\(missing)")

            // The interruption ends before the next poll.
            ears.kill()
            #expect(try eventually { !(try ports(on: fixture.server)).contains("Ears") })
            try fixture.host.endInterruption()
            fixture.host.settle()
            #expect(!player.isPlaying && !session.isActive)
            #expect(routes.wait(for: ["Speaker"]))
            #expect(!driver.isRendering)
            #expect(try fixture.speaker.captured()[0].allSatisfy { $0 == 0 })
            let place = player.currentTime
            try player.play()
            #expect(eventually { player.currentTime > place + 0.1 })
            #expect(try fixture.speaker.captured()[0].contains { $0 != 0 })
            fixture.host.close()
        }
    }
}
