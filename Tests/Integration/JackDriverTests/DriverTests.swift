import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("Driver on a running server")
    struct DriverTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        private func configuration(_ server: JackServer) -> JackDriver.Configuration {
            JackDriver.Configuration(server: .named(server.name), clientName: "driver-test", recovery: .never)
        }

        @Test("Without a server of that name, opening fails at once with a clear error")
        func noServer() throws {
            let player = try JackPlayer(.init(server: .named("audio-test-absent")))
            let begin = Date()
            #expect(throws: DriverError.noJackServer("audio-test-absent")) { try player.engine.open() }
            #expect(Date().timeIntervalSince(begin) < 1)
            #expect("\(DriverError.noJackServer("audio-test-absent"))".contains("audio-test-absent"))
            #expect(player.engine.format == nil)
        }

        @Test("Calls without an open driver fail with notOpen")
        func notOpen() throws {
            let driver = JackDriver()
            #expect(throws: DriverError.notOpen) { try driver.start() }
            #expect(throws: DriverError.notOpen) { try driver.requestPeriod(frames: 256) }
            driver.stop()
            driver.close()
            #expect(driver.format == nil)
            #expect(driver.statistics == DriverStatistics())
        }

        @Test("A name or a count that JACK cannot accept is refused, without leaks")
        func badConfiguration() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            var configuration = configuration(server)
            configuration.clientName = ""
            #expect(throws: DriverError.self) { try JackPlayer(configuration).engine.open() }
            configuration.clientName = String(repeating: "n", count: 300)
            #expect(throws: DriverError.self) { try JackPlayer(configuration).engine.open() }
            configuration.clientName = "driver-test"
            for outputs in [-1, 0, 65] {
                configuration.outputs = outputs
                #expect(throws: DriverError.self) { try JackPlayer(configuration).engine.open() }
            }
            #expect(try ResourceSnapshot.driverThreadsEnd())
        }

        @Test("HW-1: the format is the server's; opening, starting, stopping and closing are idempotent")
        func life() throws {
            let server = try JackServer(name, sampleRate: 44_100, periodFrames: 128)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            let format = try player.engine.open()
            #expect(format.sampleRate == 44_100)
            #expect(format.periodFrames == 128)
            #expect(format.outputChannels == 2)
            #expect(format.server.contains(TestServer.current.isJackd ? "jackd2 1." : "PipeWire"))
            #expect(try player.engine.open() == format)
            #expect(!player.driver.isRendering)
            for _ in 0..<2 {
                _ = try player.start()
                try player.engine.start()
                #expect(player.driver.isRendering)
                #expect(try player.waitForFrames(1000))
                player.engine.stop()
                player.engine.stop()
                #expect(!player.driver.isRendering)
            }
            let frame = player.engine.currentFrame
            player.engine.close()
            player.engine.close()
            #expect(player.engine.format == nil)
            #expect(player.engine.currentFrame == frame)
            #expect(try ResourceSnapshot.driverThreadsEnd())
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test("Two drivers with the same name get different names from the server")
        func sameName() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let players = [try JackPlayer(configuration(server)), try JackPlayer(configuration(server))]
            for player in players { _ = try player.start() }
            for player in players { #expect(try player.waitForFrames(1000)) }
            let expected: Set = ["driver-test:out_1 → system:playback_1", "driver-test:out_2 → system:playback_2"]
            #expect(try server.links(of: "driver-test") == expected)
            for player in players { player.engine.close() }
        }

        @Test(
            "HW-1, HW-5: a requested buffer size is applied and reported without the loss of a frame; an absurd one is refused"
        )
        func period() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            let voice = try player.start()
            #expect(try player.engine.requestPeriod(frames: 512) == 512)
            #expect(player.engine.format?.periodFrames == 512)
            #expect(
                player.waitForEvent {
                    if case .formatChanged(let format) = $0 { format.periodFrames == 512 } else { false }
                })
            #expect(try player.waitForFrames(2000))
            for frames in [0, -1, 8193, Int.max] {
                #expect(throws: DriverError.self) { try player.engine.requestPeriod(frames: frames) }
            }
            #expect(player.engine.format?.periodFrames == 512)
            #expect(voice.state == .playing)
            player.engine.close()
        }

        @Test("HW-1, HW-2: a client that is not active requests the buffer size with which it is activated")
        func inactivePeriod() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            try player.engine.open()
            // With PipeWire, the server has it only after the activation, for which the request
            // must not wait.
            #expect(try player.engine.requestPeriod(frames: 512) == 512)
            _ = try player.start()
            #expect(eventually { player.engine.format?.periodFrames == 512 })
            player.engine.close()
        }

        @Test(
            "The latency to the device is the server's, and is reported once it is known",
            .jackdOnly("PipeWire's null sink reports no latency."))
        func latency() throws {
            let server = try JackServer(name, periodFrames: 256)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            _ = try player.start()
            // The dummy driver reports one period more than 0: two in total, as its own port does.
            #expect(
                player.events.wait { _ in (player.engine.format?.outputLatencyFrames ?? 0) >= 256 })
            player.engine.close()
        }

        @Test("Every sample reaches another program, in order")
        func samples() throws {
            let server = try JackServer(name, periodFrames: 1024)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            _ = try player.start()
            let directory = try TemporaryDirectory()
            let recorder = try ChildProcess.run(
                "jack_rec",
                ["-f", directory.file("heard.wav"), "-d", "1", "-b", "24", "driver-test:out_1", "driver-test:out_2"],
                environment: server.environment)
            #expect(recorder.status == 0, "\(recorder.output)")
            let xruns = player.engine.statistics.xruns
            player.engine.close()
            let (planes, rate) = try SoundFile.read(directory.file("heard.wav"))
            #expect(rate == 48_000)
            for plane in planes {
                let heard = Array(plane.drop { $0 == 0 })
                #expect(heard.count > 40_000)
                let values = Set(JackPlayer.sound + [0])
                #expect(heard.allSatisfy(values.contains), "every bit is the source's")
                let breaks = Signal.breaks(inCounting: heard, period: JackPlayer.sound.count)
                if TestServer.current.isJackd {
                    #expect(breaks.count <= 2 * xruns, "breaks at \(breaks.prefix(8)); \(xruns) xruns")
                } else {
                    // PipeWire skips whole cycles of a recorder that is late, and reports no xrun.
                    #expect(breaks.allSatisfy { ($0 + 1).isMultiple(of: 1024) }, "breaks at \(breaks.prefix(8))")
                    #expect(breaks.count * 2 * 1024 < heard.count, "less than half of the cycles")
                }
            }
        }

        @Test(
            "While the server freewheels, a complete file plays far faster than real time, without a gap",
            .jackdOnly("On PipeWire only the client that requests freewheeling does so."))
        func freewheel() throws {
            let server = try JackServer(name, periodFrames: 1024)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let frames = 48_000 * 120
            let sine = Signal.sine(frequency: 100, sampleRate: 48_000, frames: 48_000)
            try SoundFile.write([sine], sampleRate: 48_000, to: directory.file("sine.wav"))
            let player = try JackPlayer(configuration(server))
            _ = try player.start()
            let stream = try AudioStream(
                reader: AudioFile(path: directory.file("sine.wav")), sampleRate: 48_000, loops: frames / 48_000 - 1)
            let ends = EventLog<Bool>()
            let bus = try player.makeBus()
            let voice = try player.engine.play(.stream(stream), on: bus) { _ in ends.note(true) }
            let begun = ContinuousClock.now
            let on = try ChildProcess.run("jack_freewheel", ["y"], environment: server.environment)
            #expect(on.status == 0, "\(on.output)")
            #expect(ends.wait(limit: 100) { !$0.isEmpty })
            let took = ContinuousClock.now - begun
            _ = try ChildProcess.run("jack_freewheel", ["n"], environment: server.environment)
            #expect(voice.framesRendered == UInt64(frames))
            #expect(voice.underrunFrames == 0)
            #expect(took < .seconds(100))  // of 120: it did not wait for the clock
            player.engine.close()
        }

        @Test("A client that requests its server's own name does not block later clients")
        func serversName() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            for _ in 0..<2 {
                let player = try JackPlayer(
                    JackDriver.Configuration(server: .named(server.name), clientName: server.name, recovery: .never))
                _ = try player.start()
                #expect(try player.waitForFrames(1000))
                player.engine.close()
            }
            #expect(try JackDriver.look(at: server.name).sampleRate == 48_000)
            #expect(try JackDriver.look(at: server.name).sampleRate == 48_000)
        }

        @Test("Sound at the input ports is captured, every frame in order, with its time")
        func input() throws {
            let server = try JackServer(name, periodFrames: 1024, arguments: JackServer.synchronous)
            defer { server.stop() }
            var inputs = configuration(server)
            // As many inputs as the dummy device has: two. PipeWire's null sink has none.
            inputs.inputs = TestServer.current.isJackd ? nil : 2
            let player = try JackPlayer(inputs)
            _ = try player.start()
            #expect(player.engine.format?.inputChannels == 2)
            let input = try player.engine.makeInput(for: player.makeBus(inputGranted: true), firstChannel: 1)
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            defer { microphone.stop() }
            let linked = try ChildProcess.run(
                "jack_connect", ["Mic:capture_1", "driver-test:in_2"], environment: server.environment)
            #expect(linked.status == 0, "\(linked.output)")
            var heard: [Float] = []
            var next: UInt64?
            for _ in 0..<200 where heard.count < 20_000 {
                try #require(try player.waitForFrames(1024))
                while let block = input.read() {
                    if let next { #expect(block.time == next) }
                    next = block.time + UInt64(block.samples.count)
                    heard += heard.isEmpty ? Array(block.samples.drop { $0 == 0 }) : block.samples
                }
            }
            try #require(heard.count >= 20_000)
            let mayMiss = !TestServer.current.isJackd
            #expect(Signal.firstBreak(inCounting: heard, cycle: 1024, mayMissCycles: mayMiss) == nil)
            #expect(input.lostFrames == 0)
            player.engine.close()
        }

        @Test("A warm start makes no request to the server: the client stays in the cycle while rendering is stopped")
        func warmStart() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(server))
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            player.engine.stop()
            server.freeze()
            try player.engine.start()
            #expect(player.driver.isRendering)
            server.thaw()
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }
    }
}
