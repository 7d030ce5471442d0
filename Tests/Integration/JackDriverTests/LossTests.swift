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
            "SRV-1, SRV-2: killed ten times in a row, the server is lost each time and returns with the same names and connections, without leaks"
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
                #expect(
                    eventually { player.driver.restorableLinks.count == 3 },
                    "the app has been notified of all connections")
                #expect(try eventually { try server.links(of: "loss-test") == links })
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
            // Other suites run in this process, too. A leak would add at least one descriptor in
            // each of eight rounds.
            #expect(after.driverDescriptors < (before?.driverDescriptors ?? 0) + 8)
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("SRV-2: when the server has exited in order and returns with other values, the format reports them")
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
            #expect(try eventually { try server.links(of: "loss-test") == links })
            player.engine.close()
        }

        @Test("SRV-2: connections to another program are restored if it runs, and user-removed ones stay removed")
        func otherLinks() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            _ = try player.start()
            try ChildProcess.run(
                "jack_disconnect", ["loss-test:out_1", "system:playback_1"], environment: server.environment)
            #expect(
                eventually { !player.driver.restorableLinks.contains("out_1 system:playback_1") },
                "the app has been notified")
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            server = try JackServer(name)
            #expect(player.waitForEvent(isReturn))
            #expect(
                try eventually {
                    try server.links(of: "loss-test") == ["loss-test:out_2 → system:playback_2"]
                })
            player.engine.close()
        }

        @Test("Without recovery, a lost server is gone, and opening again starts from the beginning")
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

        @Test("SRV-1: a server that does not return within the limit is gone")
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

        @Test("SRV-2: an app waits for its server without limit, unless it has set one")
        func always() throws {
            #expect(JackDriver.Configuration().recovery == .always)
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.always))
            _ = try player.start()
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            // Longer than the driver waits between two attempts.
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

        @Test("SRV-1: stopped while lost, the driver returns silent and starts on request")
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
            "SRV-2: while its server is not running, the driver does not open jackd's metadata database",
            .jackdOnly("PipeWire has none."), .isolatedOnly
        )
        func metadataDatabase() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let database = "/dev/shm/jack_db-\(geteuid())"
            let player = try JackPlayer(configuration(.never))
            _ = try player.start()
            #expect(FileManager.default.fileExists(atPath: database))
            server.stop()
            #expect(player.waitForEvent { $0 == .serverGone })
            player.engine.close()
            #expect(try ResourceSnapshot.driverThreadsEnd())
            try? FileManager.default.removeItem(atPath: database)
            #expect(throws: DriverError.noJackServer(name.text)) {
                try JackPlayer(configuration(.never)).engine.open()
            }
            // libjack creates it for the first client of a process, even without a server.
            #expect(!FileManager.default.fileExists(atPath: database))
        }

        @Test(
            "SRV-1: with a hung server, calls including close throw within their timeout, and the threads end once the server resumes or dies",
            .jackdOnly("PipeWire's library answers on its own, even if its server does not.")
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
            #expect(throws: DriverError.timedOut(call: "the request to activate the client", seconds: 2)) {
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
