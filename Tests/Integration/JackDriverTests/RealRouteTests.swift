import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// Devices of a real server, from the port to the notification and from the session to the
    /// port. The tests check what arrives at a device sample by sample.
    @Suite("Routes on real ports", .serialized)
    struct RealRouteTests {
        /// Returns the first frame at which the counting signal does not continue, or nil if it is
        /// complete. Cycles that the server missed are silent, and break the signal at both ends;
        /// they are not counted. Not checked on PipeWire, which drops and inserts whole periods of
        /// every client when its graph changes, even of those that the change does not affect:
        /// there the tests check only where sound is routed.
        func gap(_ samples: [Float], xruns: Int = 0) -> Int? {
            guard TestServer.current.isJackd else { return nil }
            guard let first = samples.firstIndex(where: { $0 != 0 }), let last = samples.lastIndex(where: { $0 != 0 })
            else { return 0 }
            // Skips the fades at both ends.
            let (begin, end) = (first + 256, last - 256)
            guard begin < end else { return 0 }
            let breaks = (begin..<end).filter { abs((samples[$0 + 1] - samples[$0]) * 1_048_576 - 1) > 0.01 }
            return breaks.dropFirst(2 * xruns).first
        }

        private func gap(_ heard: (samples: [Float], xruns: Int)) -> Int? { gap(heard.samples, xruns: heard.xruns) }

        @Test(
            "ROUTE-1, ROUTE-2, ROUTE-3, ROUTE-4: the route changes to new headphones; when they are unplugged, the player pauses and no sample reaches the speaker"
        )
        func headphones() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let session = try fixture.session()
            let routes = RouteLog(session)
            let player = try AudioPlayer(path: fixture.file(), session: session)
            let ears = try fixture.plug("Ears", .headphones)
            try player.play()
            #expect(session.currentRoute.outputs.map(\.portName) == ["Ears"])
            #expect(session.currentRoute.outputs.first?.portType == .headphones)
            #expect(try fixture.wait { player.currentTime > 0.2 })
            ears.kill()
            #expect(routes.wait(for: ["Speaker"]))
            fixture.host.settle()
            #expect(!player.isPlaying && !session.isActive)
            #expect(gap(try fixture.heard(by: ears)) == nil)
            // A few periods later nothing has reached the speaker.
            try fixture.letPass()
            #expect(try fixture.speaker.captured()[0].allSatisfy { $0 == 0 })

            // When the user starts it, playback continues at its position, on the speaker.
            let place = player.currentTime
            try player.play()
            #expect(try fixture.wait { player.currentTime > place + 0.2 })
            player.pause()
            let heard = try fixture.heard(by: fixture.speaker)
            fixture.host.close()
            #expect(gap(heard) == nil)
            // Skips the fade-in.
            let first = try #require(heard.samples.firstIndex { $0 != 0 }) + 256
            #expect(abs(Double(heard.samples[first]) * 1_048_576 - 256 - place * 48_000) < 1_000)
        }

        @Test("ROUTE-2: playback moves to a newly plugged device within a crossfade, and no frame is missing")
        func comes() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let session = try fixture.session()
            let routes = RouteLog(session)
            try session.setActive(true)
            let voice = try session.engine.play(fixture.programme(), on: session.bus)
            #expect(try fixture.wait { voice.framesRendered > 9_600 })
            let hdmi = try fixture.plug("Screen", .hdmi)
            #expect(routes.wait(for: ["Screen"]))
            let then = voice.framesRendered
            #expect(try fixture.wait { voice.framesRendered > then + 9_600 })
            let (before, after) = (try fixture.heard(by: fixture.speaker), try fixture.heard(by: hdmi))
            fixture.host.close()
            #expect(gap(before) == nil && gap(after) == nil)
            // The last frame on the old device comes before, or within, the 240 frames in which
            // both devices sound.
            let left = try #require(before.samples.max())
            let joined = try #require(after.samples.first { $0 * 1_048_576 > 1_000 && $0 > left })
            #expect((joined - left) * 1_048_576 <= 241)
        }

        @Test(
            "MULTI-1, MULTI-3, MULTI-4: all outputs at once; unplugging one and its return do not affect the other, sample for sample"
        )
        func multiRoute() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let screen = try fixture.plug("Screen", .hdmi)
            var ears = try fixture.plug("Ears", .headphones)
            let session = try fixture.session(.multiRoute)
            let routes = RouteLog(session)
            try session.setActive(true)
            let outputs = session.currentRoute.outputs
            #expect(
                Set(outputs.map(\.portName)) == ["Screen", "Ears"], "the speaker is used only without other outputs")
            let main = try session.bus(to: outputs.filter { $0.portName == "Screen" })
            let cue = try session.bus(to: outputs.filter { $0.portName == "Ears" })
            let record = try session.engine.play(fixture.programme(), on: main)
            let other = try AudioBuffer([[Float](repeating: -0.5, count: 960_000)])
            try session.engine.play(.buffer(other), on: cue)
            #expect(try fixture.wait { record.framesRendered > 9_600 })
            ears.kill()
            #expect(routes.wait(for: ["Screen"]))
            #expect(try ears.captured()[0].contains(-0.5))
            ears = try fixture.plug("Ears", .headphones)
            #expect(routes.notified.wait { $0.last?.count == 2 })
            let then = record.framesRendered
            #expect(try fixture.wait { record.framesRendered > then + 9_600 })
            #expect(session.isActive)
            let heard = try fixture.heard(by: screen)
            fixture.host.close()
            let planes = try screen.captured()
            #expect(gap(heard) == nil && planes[0] == planes[1])
            #expect(!planes[0].contains { $0 < 0 })
            #expect(try ears.captured()[1].contains(-0.5), "the cue is back")
            #expect(try fixture.speaker.captured()[0].allSatisfy { $0 == 0 })
        }

        @Test("ROUTE-1: latencies are those of the route, as the server's own tools report them")
        func latencies() throws {
            let fixture = try RouteFixture(latency: 321)
            defer { fixture.server.stop() }
            let session = try fixture.session(.playAndRecord)
            let headset = try fixture.plug("Headset", .headphones, inputs: 1, latency: 1_234)
            try session.setActive(true)
            #expect(session.currentRoute.outputs.map(\.portName) == ["Headset"])
            #expect(session.currentRoute.inputs.map(\.portType) == [.headsetMic])
            #expect(session.outputLatency * 48_000 == 1_234 && session.inputLatency * 48_000 == 1_234)
            // The server passes latencies on after the activation (decision 45).
            var latencies = ""
            let isNotified = try eventually {
                latencies = try ChildProcess.run(
                    "jack_lsp", ["-l", "route-test:"], environment: fixture.server.environment
                ).output
                return latencies.contains("1234")
            }
            #expect(isNotified, "\(latencies)")
            let routes = RouteLog(session)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            headset.kill()
            #expect(routes.wait(for: ["Speaker"]))
            #expect(session.outputLatency * 48_000 == 321)
        }

        @Test(
            "SRV-1, SRV-2: the server is killed and returns, its devices after it; the route is the same, and the player continues at its position"
        )
        func serverReturns() throws {
            let fixture = try RouteFixture(comesBack: true)
            defer { fixture.server.stop() }
            let ears = try fixture.plug("Ears", .headphones, comesBack: true)
            let session = try fixture.session()
            let routes = RouteLog(session)
            let player = try AudioPlayer(path: fixture.file(), session: session)
            try player.play()
            #expect(try fixture.wait { player.currentTime > 0.2 })
            let back = EventLog<[String]>()
            let driver = try session.engine.driver
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.mediaServicesWereResetNotification, object: session, queue: nil
            ) { _ in back.note((driver.devices ?? []).map(\.uid)) }
            defer { NotificationCenter.default.removeObserver(token) }
            fixture.server.kill()
            let place = player.currentTime
            let again = try JackServer(fixture.name, sampleRate: 48_000, periodFrames: RouteFixture.periodFrames)
            defer { again.stop() }
            #expect(back.wait { !$0.isEmpty })
            #expect(Set(back.noted.joined()) == ["server", "Speaker", "Ears"], "reported once all devices are there")
            #expect(try fixture.wait { player.currentTime > place + 1 })
            #expect(player.isPlaying && session.isActive)
            #expect(session.currentRoute.outputs.map(\.portName) == ["Ears"])
            #expect(
                routes.notified.noted.allSatisfy { $0 == ["Ears"] || $0.isEmpty }, "\(routes.notified.noted)")
            fixture.host.close()
            // The devices' recordings began again with the new server. Until the device was there,
            // no frame was rendered; a connection takes effect a few periods after it was made.
            let heard = try ears.captured()[0].map { $0 * 1_048_576 }
            let first = try #require(heard.firstIndex { $0 != 0 })
            // Skips fades: on a busy machine, the first period may fade out and in again, without a
            // lost frame.
            let steady = try #require(
                heard.indices.dropFirst(first).dropLast(64).first { index in
                    (1..<64).allSatisfy { heard[index + $0] - heard[index] == Float($0) }
                })
            let missed = Double(heard[steady]) - 1 - Double(steady - first) - place * 48_000
            #expect(abs(missed) <= Double(4 * RouteFixture.periodFrames), "\(missed) frames")
            #expect(try fixture.speaker.captured()[0].allSatisfy { $0 == 0 })
        }

        @Test(
            "SRV-2: with a setting, the app must set up everything again: after the server's return its session is inactive, with category soloAmbient"
        )
        func reset() throws {
            var settings = ArbiterSettings()
            settings.resetsSessionsWithServer = true
            let fixture = try RouteFixture(settings: settings)
            let session = try fixture.session()
            let player = try AudioPlayer(path: fixture.file(), session: session)
            let notified = EventLog<Bool>()
            let token = NotificationCenter.default.addObserver(
                forName: AudioSession.mediaServicesWereResetNotification, object: session, queue: nil
            ) { [weak session] _ in notified.note(session?.isActive ?? true) }
            defer { NotificationCenter.default.removeObserver(token) }
            try player.play()
            fixture.server.kill()
            let again = try JackServer(fixture.name, sampleRate: 48_000, periodFrames: RouteFixture.periodFrames)
            defer { again.stop() }
            #expect(notified.wait { $0 == [false] })
            fixture.host.settle()
            #expect(!player.isPlaying && session.category == .soloAmbient)
            try session.setCategory(.playback)
            try player.play()
            // The speaker has not returned. Playback follows the route, and nothing interrupts it
            // later.
            #expect(session.currentRoute.outputs.map(\.uid) == ["output"])
            let place = player.currentTime
            #expect(try fixture.wait { player.currentTime > place + 3 })
            fixture.host.close()
        }

        @Test("ROUTE-2, ROUTE-6, PERM-1: a headset's input is received, and the headset is selected among the inputs")
        func inputs() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let headset = try fixture.plug("Headset", .headphones, inputs: 1, sound: .ramp)
            fixture.host.setRecordPermission(.granted)
            let session = try fixture.session(.record)
            let input = try AudioSessionInput(session: session)
            try input.start()
            #expect(session.currentRoute.inputs.map(\.portName) == ["Headset"])
            var samples: [Float] = []
            #expect(
                try fixture.wait {
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
