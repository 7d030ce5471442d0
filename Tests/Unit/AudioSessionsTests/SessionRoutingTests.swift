import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// From devices of the driver to routes, and from routes to channels, compared sample by sample.
@Suite struct SessionRoutingTests {
    /// A speaker on channels 0 and 1, and free channels from 2 on for devices that are plugged in.
    private struct Fixture {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 8, inputChannels: 4, periodFrames: 256)
        let host: AudioSessionHost
        private let directory: TemporaryDirectory

        init() throws {
            driver.plug(.output("Speaker", .builtInSpeaker), latencyFrames: 100)
            host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
            directory = try TemporaryDirectory()
        }

        func session(_ category: AudioSession.Category) throws -> AudioSession {
            let session = try AudioSession(host: host)
            try session.setCategory(category)
            return session
        }

        func player(_ session: AudioSession) throws -> AudioPlayer {
            let path = directory.file("programme.wav")
            let samples = Signal.counting(frames: 480_000)
            try SoundFile.write([samples, samples], sampleRate: 48_000, to: path)
            return try AudioPlayer(path: path, session: session)
        }

        func render(_ frames: Int) throws -> [[Float]] {
            host.settle()
            defer { host.settle() }
            return try driver.render(frames: frames)
        }
    }

    private static func programme(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) / 1_048_576 } }

    @Test(
        "ROUTE-2, ROUTE-4: plugged-in headphones take over with a crossfade; unplugged, no sample reaches the speaker"
    )
    func headphones() throws {
        let fixture = try Fixture()
        let session = try fixture.session(.playback)
        let player = try fixture.player(session)
        try player.play()
        var heard = try fixture.render(2_400)
        #expect(heard[0] == Self.programme(0..<2_400))
        fixture.driver.plug(.output("Ears", .headphones), firstOutput: 2, latencyFrames: 7)
        heard = try fixture.render(2_400)
        #expect(session.currentRoute.outputs.map(\.uid) == ["Ears:output"])
        #expect(Signal.firstDifference(heard[2][240...], Self.programme(2_640..<4_800)) == nil)
        #expect(heard[0][240...].allSatisfy { $0 == 0 } && heard[0].contains { $0 != 0 }, "the speaker fades out")
        // Without a gap: in each frame the signals that fade out and in add up to the program.
        for frame in 0..<240 {
            #expect(abs(heard[0][frame] + heard[2][frame] - Float(2_401 + frame) / 1_048_576) < 1e-6)
        }
        #expect(session.outputLatency == 7.0 / 48_000)

        fixture.driver.unplug("Ears")
        heard = try fixture.render(4_800)
        #expect(session.currentRoute.outputs.map(\.uid) == ["Speaker:output"])
        #expect(!player.isPlaying)
        #expect(heard[0].allSatisfy { $0 == 0 } && heard[1].allSatisfy { $0 == 0 })
        #expect(session.outputLatency == 100.0 / 48_000)
        // The user resumes playback, on the speaker.
        try player.play()
        heard = try fixture.render(4_800)
        #expect(heard[0].contains { $0 != 0 })
    }

    @Test(
        "HINT-3, ROUTE-4: audio that an app mixes itself stops too: its session is interrupted, and the speaker stays silent"
    )
    func ownVoices() throws {
        let fixture = try Fixture()
        fixture.driver.plug(.output("Ears", .headphones), firstOutput: 2)
        let session = try fixture.session(.playback)
        try session.setActive(true)
        let samples = [Float](repeating: 0.5, count: 48_000)
        let voice = try session.engine.play(.buffer(AudioBuffer([samples, samples])), on: session.bus)
        #expect(try fixture.render(1_024)[2].last == 0.5)
        fixture.driver.unplug("Ears")
        let heard = try fixture.render(1_024)
        #expect(!session.isActive && heard[0].allSatisfy { $0 == 0 } && heard[1].allSatisfy { $0 == 0 })
        #expect(voice.framesRendered == 1_024, "it is suspended at its position")
    }

    @Test("ROUTE-4: a session that prefers no interruption also pauses before a sample reaches the new output")
    func staysActive() throws {
        let fixture = try Fixture()
        fixture.driver.plug(.output("Ears", .headphones), firstOutput: 2)
        let session = try fixture.session(.playback)
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        let player = try fixture.player(session)
        try player.play()
        #expect(try fixture.render(2_400)[2] == Self.programme(0..<2_400))
        fixture.driver.unplug("Ears")
        let heard = try fixture.render(4_800)
        #expect(session.isActive && !player.isPlaying)
        #expect(heard[0].allSatisfy { $0 == 0 })
    }

    @Test("ROUTE-7, MULTI-1: sessions of one process have their own routes; multiRoute excludes network outputs")
    func sessionsApart() throws {
        let fixture = try Fixture()
        fixture.driver.plug(.output("Kitchen", .airPlay), firstOutput: 2)
        fixture.driver.plug(.output("HDMI", .hdmi), firstOutput: 4)
        fixture.driver.plug(.output("Ears", .headphones), firstOutput: 6)
        fixture.driver.unplug("HDMI")
        let music = try fixture.session(.playback)
        let mixer = try fixture.session(.multiRoute)
        try music.setCategory(.playback, options: .mixWithOthers)
        try mixer.setCategory(.multiRoute, options: .mixWithOthers)
        fixture.driver.plug(.output("HDMI", .hdmi), firstOutput: 4)
        fixture.host.settle()
        try music.setActive(true)
        try mixer.setActive(true)
        let samples = [Float](repeating: 0.25, count: 48_000)
        try music.engine.play(.buffer(AudioBuffer([samples, samples])), on: music.bus)
        let cue = try mixer.bus(to: mixer.currentRoute.outputs.filter { $0.portType == .headphones })
        try mixer.engine.play(.buffer(AudioBuffer([samples, samples])), on: cue)
        let heard = try fixture.render(1_000)
        #expect(music.currentRoute.outputs.map(\.portName) == ["HDMI"], "the newest device")
        #expect(mixer.currentRoute.outputs.map(\.portName) == ["Ears", "HDMI"])
        #expect(heard.map { $0[999] } == [0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25])
        #expect(throws: AudioSessionError.self) { try mixer.bus(to: []) }
        let stranger = AudioSessionPortDescription(portType: .headphones, portName: "x", uid: "x", channels: [])
        #expect(throws: AudioSessionError.self) { try mixer.bus(to: music.currentRoute.outputs + [stranger]) }
        #expect(try mixer.bus(to: mixer.currentRoute.outputs.filter { $0.portType == .headphones }) === cue)
        #expect(mixer.outputNumberOfChannels == 4 && music.outputNumberOfChannels == 2)
    }

    @Test("ROUTE-9: without any output, a session runs silently in real time; a new output is audible")
    func nowhere() throws {
        let fixture = try Fixture()
        let session = try fixture.session(.playback)
        try session.setActive(true)
        let samples = Signal.counting(frames: 96_000)
        try session.engine.play(.buffer(AudioBuffer([samples, samples])), on: session.bus)
        _ = try fixture.render(1_024)
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        fixture.driver.unplug("Speaker")
        #expect(try fixture.render(1_024).allSatisfy { $0[240...].allSatisfy { $0 == 0 } })
        #expect(session.isActive && session.currentRoute.outputs.isEmpty)
        fixture.driver.plug(.output("HDMI", .hdmi), firstOutput: 4)
        let heard = try fixture.render(1_024)
        #expect(Signal.firstDifference(heard[4][240...], samples[2_288..<3_072]) == nil)
    }

    @Test(
        "MULTI-1, PLAY-1: a player's channels go to the channels of a port that it assigns them to, also while it plays"
    )
    func channelAssignments() throws {
        let fixture = try Fixture()
        fixture.driver.plug(.output("HDMI", .hdmi), firstOutput: 4)
        fixture.driver.plug(.output("Ears", .headphones), firstOutput: 2)
        let session = try fixture.session(.multiRoute)
        let player = try fixture.player(session)
        try player.play()
        #expect(try fixture.render(1_000).map { $0[999] > 0 } == [false, false, true, true, true, true, false, false])
        let ears = try #require(session.currentRoute.outputs.first { $0.portName == "Ears" }?.channels)
        let screen = try #require(session.currentRoute.outputs.first { $0.portName == "HDMI" }?.channels)
        // Both channels of the file are equal: together they are twice as loud.
        try player.setChannelAssignments([screen[1], screen[1]])
        let heard = try fixture.render(1_000)
        #expect(heard.map { $0[999] > 0 } == [false, false, false, false, false, true, false, false])
        let place = Float(player.currentFrame) / 1_048_576
        #expect(heard[5][999] == 2 * place)
        try player.setOutputs([try #require(session.currentRoute.outputs.first { $0.portName == "Ears" })])
        #expect(
            try fixture.render(1_000).map { $0[999] > 0 } == [false, false, true, true, false, false, false, false])
        let bad = [[screen[0]], [screen[0], ears[0]], []]
        for assignments in bad {
            let error = #expect(throws: AudioSessionError.self) { try player.setChannelAssignments(assignments) }
            #expect(error?.errorCode == .badParam)
        }
        #expect(throws: AudioSessionError.self) { try player.setOutputs(nil, channelMap: .gains([[1, 1, 1]])) }
        try player.setChannelAssignments(nil)
        #expect(try fixture.render(1_000).map { $0[999] > 0 } == [false, false, true, true, true, true, false, false])
    }

    @Test("SRV-2: after its return a server has ten seconds to restore its devices; then missing ones are removed")
    func comesBack() throws {
        let driver = FaultyDriver()
        let (speaker, ears) = (
            AudioDevice.output("Speaker", .builtInSpeaker), AudioDevice.output("Ears", .headphones)
        )
        driver.seen.withLock { $0 = [speaker, ears] }
        let clock = HandClock()
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        host.settle()
        let listener = NotificationRecorder(AudioSession.routeChangeNotification, of: session)
        let format = try #require(driver.format)
        func names() -> [String] { session.currentRoute.outputs.map(\.portName) }

        for back in [[speaker, ears], []] {
            driver.notify(.serverLost)
            driver.seen.withLock { $0 = [speaker] }
            driver.notify(.serverReturned(format))
            host.settle()
            #expect(names() == [], "it may still appear, and no other device replaces it")
            #expect(session.explain() == ["session \(session.id) is suspended by SRV-2"])
            driver.seen.withLock { $0 = back.isEmpty ? [speaker] : back }
            driver.notify(.devicesChanged(back))
            host.settle()
            #expect(names() == (back.isEmpty ? [] : ["Ears"]))
            clock.advance(by: .seconds(10))
            host.settle()
            #expect(names() == (back.isEmpty ? ["Speaker"] : ["Ears"]))
        }
        let reasons: [AudioSession.RouteChangeReason] = [
            .noSuitableRouteForCategory, .newDeviceAvailable, .noSuitableRouteForCategory, .oldDeviceUnavailable,
        ]
        #expect(
            listener.heard.noted.map { $0[AudioSessionRouteChangeReasonKey]?.uintValue } == reasons.map(\.rawValue))
    }

    @Test("SRV-2: mediaServicesWereReset is posted when the devices are back, or after the timeout; once per loss")
    func resetAfterDevices() throws {
        let driver = FaultyDriver()
        let (speaker, ears) = (
            AudioDevice.output("Speaker", .builtInSpeaker), AudioDevice.output("Ears", .headphones)
        )
        func see(_ devices: [AudioDevice]) { driver.seen.withLock { $0 = devices } }
        see([speaker, ears])
        let clock = HandClock()
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        let lost = NotificationRecorder(AudioSession.mediaServicesWereLostNotification, of: session)
        let reset = NotificationRecorder(AudioSession.mediaServicesWereResetNotification, of: session)
        let format = try #require(driver.format)
        func notified() -> [Int] {
            host.settle()
            return [lost.heard.noted.count, reset.heard.noted.count]
        }

        driver.notify(.serverLost)
        see([speaker])
        driver.notify(.serverReturned(format))
        #expect(notified() == [1, 0])
        driver.notify(.serverLost)
        driver.notify(.serverReturned(format))
        #expect(notified() == [1, 0], "to the app it is the same loss")
        see([speaker, ears])
        driver.notify(.devicesChanged([speaker, ears]))
        #expect(notified() == [1, 1])
        clock.advance(by: .seconds(10))
        #expect(notified() == [1, 1], "once")

        driver.notify(.serverLost)
        driver.notify(.serverReturned(format))
        #expect(notified() == [2, 2], "nothing was missing")

        driver.notify(.serverLost)
        see([speaker])
        driver.notify(.serverReturned(format))
        #expect(notified() == [3, 2])
        clock.advance(by: .seconds(9))
        #expect(notified() == [3, 2])
        clock.advance(by: .seconds(1))
        #expect(notified() == [3, 3])
        #expect(session.currentRoute.outputs.map(\.portName) == ["Speaker"])
    }

    /// Two devices, of which the one that the session is routed to returns after its server.
    private struct ReturnFixture {
        let driver = FaultyDriver()
        let clock = HandClock()
        let host: AudioSessionHost
        let session: AudioSession
        let speaker = AudioDevice.output("Speaker", .builtInSpeaker)
        let ears = AudioDevice.output("Ears", .headphones)

        init() throws {
            let devices = [speaker, ears]
            driver.seen.withLock { $0 = devices }
            host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
            session = try AudioSession(host: host)
            try session.setCategory(.playback)
            try session.setActive(true)
        }

        func render(_ frames: Int) throws -> [Float] {
            host.settle()
            defer { host.settle() }
            return try driver.inner.render(frames: frames)[0]
        }

        func loseServer() throws {
            driver.notify(.serverLost)
            driver.seen.withLock { $0 = [speaker] }
            driver.notify(.serverReturned(try #require(driver.format)))
        }

        func returnEars() {
            driver.seen.withLock { $0 = [speaker, ears] }
            driver.notify(.devicesChanged([speaker, ears]))
            host.settle()
        }
    }

    @Test("SRV-2, INT-8: until a session's device has returned, positions stand still, and no frame is lost")
    func standsStill() throws {
        let fixture = try ReturnFixture()
        let source = Signal.counting(frames: 96_000)
        let voice = try fixture.session.engine.play(.buffer(AudioBuffer([source])), on: fixture.session.bus)
        #expect(try fixture.render(2_400) == source[0..<2_400].map { $0 })
        for round in 0..<2 {
            let before = voice.framesRendered
            try fixture.loseServer()
            // From the first cycle of the new server on.
            #expect(try fixture.driver.inner.render(frames: 256)[0].allSatisfy { $0 == 0 })
            #expect(try fixture.render(48_000).allSatisfy { $0 == 0 })
            #expect(voice.framesRendered == before, "round \(round)")
            fixture.returnEars()
            let heard = try fixture.render(2_400)
            let rendered = Int(voice.framesRendered - before)
            #expect(rendered > 1_200)
            // Skips the fade-in.
            #expect(Signal.firstDifference(heard.suffix(960), source[..<Int(voice.framesRendered)].suffix(960)) == nil)
        }
    }

    @Test("PLAY-4, SRV-2: a system sound while its output is awaited runs on silently, and is not heard later")
    func systemSounds() throws {
        let fixture = try ReturnFixture()
        let buffer = try AudioBuffer([[Float](repeating: 0.5, count: 2_400)], sampleRate: 48_000)
        let endings = EventLog<String>()
        func play() {
            SystemSoundOutput.play(on: fixture.host, buffer) { endings.note($0.map { "\($0)" } ?? "ended") }
        }
        play()
        #expect(try fixture.render(4_800)[1_200] == 0.5)
        try fixture.loseServer()
        fixture.host.settle()
        play()
        #expect(try fixture.render(4_800).allSatisfy { $0 == 0 })
        #expect(endings.wait { $0 == ["ended", "ended"] })
        fixture.returnEars()
        #expect(try fixture.render(4_800).allSatisfy { $0 == 0 })
        // The server is lost once more while the device is awaited: to the app it is the same loss.
        try fixture.loseServer()
        fixture.host.settle()
        play()
        _ = try fixture.render(256)
        fixture.driver.notify(.serverLost)
        #expect(endings.wait { $0.count == 3 } && endings.noted[2].contains("cut off"))
    }

    @Test("SRV-2, ROUTE-9: without any output after the wait, the session is active and silent, and not suspended")
    func nothingReturns() throws {
        let fixture = try ReturnFixture()
        try fixture.session.setPrefersInterruptionOnRouteDisconnect(false)
        let voice = try fixture.session.engine.play(
            .buffer(AudioBuffer([Signal.counting(frames: 96_000)])), on: fixture.session.bus)
        _ = try fixture.render(2_400)
        fixture.driver.notify(.serverLost)
        fixture.driver.seen.withLock { $0 = [] }
        fixture.driver.notify(.serverReturned(try #require(fixture.driver.format)))
        _ = try fixture.render(4_800)
        #expect(voice.framesRendered == 2_400)
        fixture.clock.advance(by: .seconds(10))
        #expect(try fixture.render(4_800).allSatisfy { $0 == 0 })
        #expect(fixture.session.isActive && fixture.session.currentRoute.outputs.isEmpty)
        #expect(voice.framesRendered == 7_200)
    }

    @Test("SRV-2, ROUTE-4: an app whose device does not return is interrupted, although its voices stood still")
    func doesNotReturn() throws {
        let fixture = try ReturnFixture()
        let voice = try fixture.session.engine.play(
            .buffer(AudioBuffer([Signal.counting(frames: 96_000)])), on: fixture.session.bus)
        _ = try fixture.render(2_400)
        try fixture.loseServer()
        _ = try fixture.render(48_000)
        #expect(fixture.session.isActive)
        fixture.clock.advance(by: .seconds(10))
        fixture.host.settle()
        #expect(fixture.session.state.activity == .interrupted)
        #expect(fixture.session.currentRoute.outputs.map(\.portName) == ["Speaker"])
        #expect(try fixture.render(48_000).allSatisfy { $0 == 0 } && voice.framesRendered == 2_400)
        try fixture.session.setActive(true)
        #expect(try fixture.render(4_800).contains { $0 != 0 })
    }

    @Test("ROUTE-6: an input follows the session's choice of device")
    func inputs() throws {
        let fixture = try Fixture()
        fixture.driver.plug(.headset("A"), firstOutput: 2, firstInput: 0)
        fixture.driver.plug(.headset("B"), firstOutput: 4, firstInput: 1)
        fixture.host.setRecordPermission(.granted)
        let session = try fixture.session(.record)
        let input = try AudioSessionInput(session: session)
        try input.start()
        fixture.host.settle()
        let planes: [[Float]] = [[Float](repeating: 0.25, count: 4_800), [Float](repeating: 0.5, count: 4_800)]
        func last() throws -> Float? {
            fixture.host.settle()
            _ = try fixture.driver.render(frames: 1_000, inputs: planes)
            var samples: [Float] = []
            while let block = input.capture.read() { samples += block.samples }
            return samples.last
        }
        #expect(try last() == 0.5, "the newest device")
        try session.setPreferredInput(session.availableInputs?.first { $0.portName == "A" })
        #expect(try last() == 0.25)
    }
}
