import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("The server dies")
    struct LossTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        private func configuration(_ recovery: JackDriver.Recovery, client: String = "loss-test")
            -> JackDriver.Configuration
        {
            JackDriver.Configuration(
                server: .named(name.text), clientName: client, recovery: recovery, callTimeout: 5)
        }

        private func isReturn(_ event: DriverEvent) -> Bool {
            if case .serverReturned = event { true } else { false }
        }

        @Test(
            "SRV-1, SRV-2: killed ten times in a row: each time lost, back with the same names and links, nothing leaked"
        )
        func tenDeaths() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            let voice = try player.start()
            let others = ["loss-test:out_1 → system:playback_2"]
            try ChildProcess.run(
                "jack_connect", ["loss-test:out_1", "system:playback_2"], environment: server.environment)
            let links: Set = Set(
                others + ["loss-test:out_1 → system:playback_1", "loss-test:out_2 → system:playback_2"])
            var before: ResourceSnapshot?
            for round in 1...10 {
                #expect(try player.waitForFrames(1000))
                #expect(eventually { player.driver.restorableLinks.count == 3 }, "the app has learned of all")
                #expect(try eventually { try player.links(on: server, client: "loss-test") == links })
                if round == 2 { before = try ResourceSnapshot() }
                let position = voice.framesRendered
                server.kill()
                #expect(player.events.wait { $0.count { $0 == .serverLost } == round })
                #expect(!player.driver.isRendering)
                #expect(player.engine.format == nil)
                #expect(throws: DriverError.serverLost) { try player.engine.requestPeriod(frames: 512) }
                server = try JackServer(name)
                #expect(player.events.wait { $0.count(where: isReturn) == round })
                #expect(try player.waitForFrames(1000))
                #expect(voice.framesRendered > position)
            }
            #expect(player.engine.format?.sampleRate == 48_000)
            let after = try ResourceSnapshot()
            #expect(after.driverThreads == before?.driverThreads)
            // Other suites run in this process too; a leak would be one at least in each of eight rounds.
            #expect(after.driverDescriptors < (before?.driverDescriptors ?? 0) + 8)
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("SRV-2: an orderly end and a new server with other values: the format tells them")
        func otherValues() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            server.stop()
            #expect(player.waitForEvent { $0 == .serverLost })
            server = try JackServer(name, sampleRate: 44_100, periodFrames: 64)
            #expect(
                player.waitForEvent {
                    if case .serverReturned(let format) = $0 {
                        format.sampleRate == 44_100 && format.periodFrames == 64 && format.outputChannels == 2
                    } else {
                        false
                    }
                })
            #expect(try player.waitForFrames(1000))
            let links: Set = ["loss-test:out_1 → system:playback_1", "loss-test:out_2 → system:playback_2"]
            #expect(try eventually { try player.links(on: server, client: "loss-test") == links })
            player.engine.close()
        }

        @Test("SRV-2: links to another program come back if it is there, and those taken apart stay so")
        func otherLinks() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            _ = try player.start()
            try ChildProcess.run(
                "jack_disconnect", ["loss-test:out_1", "system:playback_1"], environment: server.environment)
            #expect(
                eventually { !player.driver.restorableLinks.contains("out_1 system:playback_1") },
                "the app has learned of it")
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            server = try JackServer(name)
            #expect(player.waitForEvent(isReturn))
            #expect(
                try eventually {
                    try player.links(on: server, client: "loss-test") == ["loss-test:out_2 → system:playback_2"]
                })
            player.engine.close()
        }

        @Test("A start without recovery: lost, then gone; opening again begins anew")
        func never() throws {
            let first = try JackServer(name)
            let player = try JackPlayer(configuration(.never))
            _ = try player.start()
            first.kill()
            #expect(player.waitForEvent { $0 == .serverGone })
            #expect(
                player.events.noted.filter { $0 == .serverLost || $0 == .serverGone } == [.serverLost, .serverGone])
            #expect(throws: DriverError.serverLost) { try player.driver.start() }
            let second = try JackServer(name)
            defer { second.stop() }
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test("SRV-1: a server that does not come back within the limit is gone")
        func limit() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 0.2)))
            _ = try player.start()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverGone })
            #expect(throws: DriverError.serverLost) { try player.engine.requestPeriod(frames: 256) }
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("SRV-2: an app waits for its server until it is back, unless it was told for how long")
        func always() throws {
            #expect(JackDriver.Configuration().recovery == .always)
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.always))
            _ = try player.start()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            // Longer than it waits between two attempts.
            #expect(!player.waitForEvent(limit: 1) { $0 == .serverGone || isReturn($0) })
            server = try JackServer(name)
            #expect(player.waitForEvent(isReturn))
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test("Closing ends a recovery at once", arguments: [JackDriver.Recovery.within(seconds: 3600), .always])
        func closeWhileLost(recovery: JackDriver.Recovery) throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(recovery))
            _ = try player.start()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            let begin = Date()
            player.engine.close()
            #expect(Date().timeIntervalSince(begin) < 10)
            #expect(try ResourceSnapshot.driverThreadsEnd())
            #expect(throws: DriverError.notOpen) { try player.driver.start() }
        }

        @Test("SRV-1: stopped while lost, it comes back silent and starts when told")
        func stoppedWhileLost() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            _ = try player.start()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            player.engine.stop()
            server = try JackServer(name)
            #expect(player.waitForEvent(isReturn))
            #expect(!player.driver.isRendering)
            try player.engine.start()
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test(
            "SRV-1: a server that hangs: calls throw within their time, closing too, and its threads go once it lives or dies",
            .jackdOnly("PipeWire's library answers by itself, whether its server does or not.")
        )
        func frozen() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            var configuration = configuration(.never)
            configuration.callTimeout = 2
            let opened = try JackPlayer(configuration)
            let running = try JackPlayer(configuration)
            try opened.engine.open()
            _ = try running.start()
            server.freeze()
            let begin = Date()
            let expected = DriverError.timedOut(call: "the request for a period of 512 frames", seconds: 2)
            #expect(throws: expected) { try running.engine.requestPeriod(frames: 512) }
            #expect(throws: DriverError.timedOut(call: "the request to take part in its cycle", seconds: 2)) {
                try opened.driver.start()
            }
            #expect(!opened.driver.isRendering)
            #expect(throws: DriverError.timedOut(call: "the request for a client", seconds: 2)) {
                try JackPlayer(configuration).engine.open()
            }
            opened.engine.close()
            running.engine.close()
            #expect(Date().timeIntervalSince(begin) < 30)
            server.thaw()
            #expect(try ResourceSnapshot.driverThreadsEnd())
            let later = try JackPlayer(self.configuration(.never))
            _ = try later.start()
            #expect(try later.waitForFrames(1000))
            later.engine.close()
        }
    }
}
