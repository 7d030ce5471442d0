import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// Devices of a real server, from port to notification and from session to port. What arrives at a device is looked at sample by sample.
    @Suite("Routes on real ports", .serialized)
    struct RealRouteTests {
        /// Where the programme is not counted on, but for cycles that the server was late for: those are silent, and break it at both ends. nil when it
        /// is all through. Not judged on PipeWire, which drops and inserts whole periods of every client when its graph changes, also of those
        /// that the change does not touch: there, what counts is where sound goes.
        func gap(_ samples: [Float], xruns: Int = 0) -> Int? {
            guard TestServer.current.isJackd else { return nil }
            guard let first = samples.firstIndex(where: { $0 != 0 }), let last = samples.lastIndex(where: { $0 != 0 })
            else { return 0 }
            // Behind the fades at both ends.
            let (begin, end) = (first + 256, last - 256)
            guard begin < end else { return 0 }
            let breaks = (begin..<end).filter { abs((samples[$0 + 1] - samples[$0]) * 1_048_576 - 1) > 0.01 }
            return breaks.dropFirst(2 * xruns).first
        }

        private func gap(_ heard: (samples: [Float], xruns: Int)) -> Int? { gap(heard.samples, xruns: heard.xruns) }

        @Test(
            "ROUTE-1, ROUTE-2, ROUTE-3, ROUTE-4: headphones take over; pulled out, the player pauses and the speaker gets not one sample"
        )
        func headphones() throws {
            let desk = try RouteDesk()
            defer { desk.server.stop() }
            let session = try desk.session()
            let routes = RouteDiary(session)
            let player = try AudioPlayer(path: desk.file(), session: session)
            let ears = try desk.plug("Ears", .headphones)
            try player.play()
            #expect(session.currentRoute.outputs.map(\.portName) == ["Ears"])
            #expect(session.currentRoute.outputs.first?.portType == .headphones)
            #expect(try desk.wait { player.currentTime > 0.2 })
            ears.kill()
            #expect(routes.wait(for: ["Speaker"]))
            desk.host.settle()
            #expect(!player.isPlaying && !session.isActive)
            #expect(gap(try desk.heard(by: ears)) == nil)
            // Some periods later nothing has come to the speaker, nor to anything else.
            try desk.letPass()
            #expect(try desk.speaker.captured()[0].allSatisfy { $0 == 0 })

            // By the user's hand it goes on where it was, on the speaker.
            let place = player.currentTime
            try player.play()
            #expect(try desk.wait { player.currentTime > place + 0.2 })
            player.pause()
            let heard = try desk.heard(by: desk.speaker)
            desk.host.close()
            #expect(gap(heard) == nil)
            // Behind the fade in.
            let first = try #require(heard.samples.firstIndex { $0 != 0 }) + 256
            #expect(abs(Double(heard.samples[first]) * 1_048_576 - 256 - place * 48_000) < 1_000)
        }

        @Test("ROUTE-2: a device that comes takes what plays over within a cross-fade: no frame is missing")
        func comes() throws {
            let desk = try RouteDesk()
            defer { desk.server.stop() }
            let session = try desk.session()
            let routes = RouteDiary(session)
            try session.setActive(true)
            let voice = try session.engine.play(desk.programme(), on: session.bus)
            #expect(try desk.wait { voice.framesRendered > 9_600 })
            let hdmi = try desk.plug("Screen", .hdmi)
            #expect(routes.wait(for: ["Screen"]))
            let then = voice.framesRendered
            #expect(try desk.wait { voice.framesRendered > then + 9_600 })
            let (before, after) = (try desk.heard(by: desk.speaker), try desk.heard(by: hdmi))
            desk.host.close()
            #expect(gap(before) == nil && gap(after) == nil)
            // The loudest frame of the old one is before, or within, the 240 frames in which both sound.
            let left = try #require(before.samples.max())
            let joined = try #require(after.samples.first { $0 * 1_048_576 > 1_000 && $0 > left })
            #expect((joined - left) * 1_048_576 <= 241)
        }

        @Test(
            "MULTI-1, MULTI-3, MULTI-4: all outputs at once; one that is pulled out and comes back leaves the other as it is, sample for sample"
        )
        func multiRoute() throws {
            let desk = try RouteDesk()
            defer { desk.server.stop() }
            let screen = try desk.plug("Screen", .hdmi)
            var ears = try desk.plug("Ears", .headphones)
            let session = try desk.session(.multiRoute)
            let routes = RouteDiary(session)
            try session.setActive(true)
            let outputs = session.currentRoute.outputs
            #expect(Set(outputs.map(\.portName)) == ["Screen", "Ears"], "the speaker only where there is no other")
            let main = try session.bus(to: outputs.filter { $0.portName == "Screen" })
            let cue = try session.bus(to: outputs.filter { $0.portName == "Ears" })
            let record = try session.engine.play(desk.programme(), on: main)
            let other = try AudioBuffer([[Float](repeating: -0.5, count: 960_000)])
            try session.engine.play(.buffer(other), on: cue)
            #expect(try desk.wait { record.framesRendered > 9_600 })
            ears.kill()
            #expect(routes.wait(for: ["Screen"]))
            #expect(try ears.captured()[0].contains(-0.5))
            ears = try desk.plug("Ears", .headphones)
            #expect(routes.told.wait { $0.last?.count == 2 })
            let then = record.framesRendered
            #expect(try desk.wait { record.framesRendered > then + 9_600 })
            #expect(session.isActive)
            let heard = try desk.heard(by: screen)
            desk.host.close()
            let planes = try screen.captured()
            #expect(gap(heard) == nil && planes[0] == planes[1])
            #expect(!planes[0].contains { $0 < 0 })
            #expect(try ears.captured()[1].contains(-0.5), "the cue is back")
            #expect(try desk.speaker.captured()[0].allSatisfy { $0 == 0 })
        }

        @Test("ROUTE-1: latencies are those of the route, as the server's own tools tell them")
        func latencies() throws {
            let desk = try RouteDesk(latency: 321)
            defer { desk.server.stop() }
            let session = try desk.session(.playAndRecord)
            let headset = try desk.plug("Headset", .headphones, inputs: 1, latency: 1_234)
            try session.setActive(true)
            #expect(session.currentRoute.outputs.map(\.portName) == ["Headset"])
            #expect(session.currentRoute.inputs.map(\.portType) == [.headsetMic])
            #expect(session.outputLatency * 48_000 == 1_234 && session.inputLatency * 48_000 == 1_234)
            let told = try ChildProcess.run("jack_lsp", ["-l", "route-test:"], environment: desk.server.environment)
            #expect(told.output.contains("1234"), "\(told.output)")
            let routes = RouteDiary(session)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            headset.kill()
            #expect(routes.wait(for: ["Speaker"]))
            #expect(session.outputLatency * 48_000 == 321)
        }

        @Test(
            "SRV-1, SRV-2: the server is killed and returns, its devices after it: the same route, and the player plays on at its place"
        )
        func serverReturns() throws {
            let desk = try RouteDesk(comesBack: true)
            defer { desk.server.stop() }
            let ears = try desk.plug("Ears", .headphones, comesBack: true)
            let session = try desk.session()
            let routes = RouteDiary(session)
            let player = try AudioPlayer(path: desk.file(), session: session)
            try player.play()
            #expect(try desk.wait { player.currentTime > 0.2 })
            let back = Signpost<[String]>()
            let driver = try session.engine.driver
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.mediaServicesWereResetNotification, object: session, queue: nil
            ) { _ in back.note((driver.devices ?? []).map(\.uid)) }
            defer { NotificationCenter.default.removeObserver(token) }
            desk.server.kill()
            let place = player.currentTime
            let again = try JackServer(desk.name, sampleRate: 48_000, periodFrames: RouteDesk.periodFrames)
            defer { again.stop() }
            #expect(back.wait { !$0.isEmpty })
            #expect(Set(back.noted.joined()) == ["server", "Speaker", "Ears"], "told when they are there")
            #expect(try desk.wait { player.currentTime > place + 1 })
            #expect(player.isPlaying && session.isActive)
            #expect(session.currentRoute.outputs.map(\.portName) == ["Ears"])
            #expect(routes.told.noted.allSatisfy { $0 == ["Ears"] }, "\(routes.told.noted)")
            desk.host.close()
            // Their recordings began anew with the new server.
            #expect(try ears.captured()[0].contains { $0 != 0 }, "it is heard there")
            #expect(try desk.speaker.captured()[0].allSatisfy { $0 == 0 })
        }

        @Test(
            "SRV-2: by a setting the app sets everything up again: after the server's return its session is inactive, category soloAmbient"
        )
        func reset() throws {
            var settings = ArbiterSettings()
            settings.resetsSessionsWithServer = true
            let desk = try RouteDesk(settings: settings)
            let session = try desk.session()
            let player = try AudioPlayer(path: desk.file(), session: session)
            let told = Signpost<Bool>()
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.mediaServicesWereResetNotification, object: session, queue: nil
            ) { [weak session] _ in told.note(session?.isActive ?? true) }
            defer { NotificationCenter.default.removeObserver(token) }
            try player.play()
            desk.server.kill()
            let again = try JackServer(desk.name, sampleRate: 48_000, periodFrames: RouteDesk.periodFrames)
            defer { again.stop() }
            #expect(told.wait { $0 == [false] })
            desk.host.settle()
            #expect(!player.isPlaying && session.category == .soloAmbient)
            try session.setCategory(.playback)
            try player.play()
            // The speaker has not come back: it plays where the route says, and nothing interrupts it later.
            #expect(session.currentRoute.outputs.map(\.uid) == ["output"])
            let place = player.currentTime
            #expect(try desk.wait { player.currentTime > place + 3 })
            desk.host.close()
        }

        @Test("ROUTE-2, ROUTE-6, PERM-1: what a headset hears comes in, and the headset is chosen among the inputs")
        func inputs() throws {
            let desk = try RouteDesk()
            defer { desk.server.stop() }
            let headset = try desk.plug("Headset", .headphones, inputs: 1, sound: .ramp)
            desk.host.setRecordPermission(.granted)
            let session = try desk.session(.record)
            let input = try AudioSessionInput(session: session)
            try input.start()
            #expect(session.currentRoute.inputs.map(\.portName) == ["Headset"])
            var samples: [Float] = []
            #expect(
                try desk.wait {
                    while let block = input.capture.read() { samples += block.samples }
                    return samples.count { $0 != 0 } > 2_000
                })
            #expect(gap(Array(samples.drop { $0 == 0 }.prefix(2_000))) == nil)
            let names = session.availableInputs?.map(\.portName) ?? []
            #expect(names.first == "Headset")
            headset.kill()
        }
    }
}
