@testable import AudioPlayback
import AudioRendering
import AudioSessions
import Dispatch
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// A driver whose server the test loses and returns.
private final class LosingDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private let handler = Mutex<(@Sendable (DriverEvent) -> Void)?>(nil)

    override func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        self.handler.withLock { $0 = handler }
        super.setEventHandler(handler)
    }

    func notify(_ event: DriverEvent) { handler.withLock { $0 }?(event) }
}

/// System sounds through the offline engine (PLAY-4).
@Suite(.timeLimit(.minutes(2))) struct SystemSoundTests {
    private static let rate = 48_000
    private let directory: TemporaryDirectory
    private let driver: LosingDriver
    private let host: AudioSessionHost
    private let samples = Signal.counting(frames: 4_000)

    init() throws {
        directory = try TemporaryDirectory()
        driver = LosingDriver(OfflineDriver(sampleRate: Self.rate, channels: 1, inputChannels: 1, periodFrames: 256))
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        try SoundFile.write([samples], sampleRate: Self.rate, to: directory.file("click.wav"))
    }

    private func sound() throws -> SystemSound { try SystemSound(path: directory.file("click.wav"), host: host) }

    private func render(_ frames: Int) throws -> [Float] {
        SystemSound.loading.sync(flags: .barrier) {}
        host.settle()
        let output = try #require(try driver.inner.render(frames: frames).first)
        host.settle()
        return output
    }

    /// Plays a sound and returns what is heard of it, and how it ended.
    private func heard(_ sound: SystemSound, frames: Int = 8_192) throws -> (samples: [Float], ending: (any Error)?) {
        let endings = EventLog<String>()
        sound.play { endings.note($0.map { "\($0)" } ?? "") }
        let output = try render(frames)
        #expect(endings.noted.count == 1, "the end is reported once")
        return (output, endings.noted.first.flatMap { $0.isEmpty ? nil : TestFailure($0) })
    }

    @Test("PLAY-4: a system sound plays without a session, from the first period on, bit for bit")
    func plain() throws {
        let sound = try sound()
        #expect(sound.duration == 4_000.0 / 48_000)
        let (output, ending) = try heard(sound)
        #expect(ending == nil)
        #expect(Signal.firstDifference(output.prefix(4_000), samples) == nil)
        #expect(output.dropFirst(4_000).allSatisfy { $0 == 0 })
    }

    @Test("PLAY-4: sounds overlap, up to 32 at once; further ones are refused with the reason")
    func overlapping() throws {
        let sound = try sound()
        let endings = EventLog<String>()
        for _ in 0..<33 { sound.play { endings.note($0.map { "\($0)" } ?? "") } }
        let output = try render(8_192)
        #expect(endings.noted.count == 33 && endings.noted.filter(\.isEmpty).count == 32)
        #expect(endings.noted.first { !$0.isEmpty }?.contains("32") == true)
        #expect(abs(output[1_000] - 32 * samples[1_000]) < 1e-4)
        #expect(try heard(sound).ending == nil, "their places are free again")
    }

    @Test("PLAY-4: it interrupts no session, is no other audio, and the app's own session does not notice it")
    func beside() throws {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        let other = try AudioSession(host: AudioSessionHost(app: 7, sharing: host))
        try other.setCategory(.ambient)
        try other.setActive(true)
        #expect(try heard(sound()).samples[100] == samples[100])
        #expect(session.isActive && !other.isOtherAudioPlaying && !other.secondaryAudioShouldBeSilencedHint)
        #expect(!session.isOtherAudioPlaying)
    }

    @Test("PLAY-4: during a call it is silent, and one that plays falls silent with a fade and runs on")
    func call() throws {
        let sound = try sound()
        let endings = EventLog<Bool>()
        sound.play { endings.note($0 == nil) }
        let before = try render(1_024)
        #expect(Signal.firstDifference(before, samples.prefix(1_024)) == nil)
        try host.beginInterruption(by: .call)
        let during = try render(8_192)
        #expect(Signal.largestStep(during) < 0.01, "a fade")
        #expect(during.dropFirst(Self.rate * 6 / 1_000).allSatisfy { $0 == 0 })
        #expect(endings.noted == [true])
        #expect(try heard(sound).samples.allSatisfy { $0 == 0 })
        try host.endInterruption()
        #expect(try heard(sound).samples[100] == samples[100])
    }

    @Test("PLAY-4: while the app is interrupted its system sounds are silent, those of others are heard")
    func interrupted() throws {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        let player = try AudioPlayer(path: directory.file("click.wav"), session: session)
        player.numberOfLoops = -1
        try player.play()
        let elsewhere = AudioSessionHost(app: 7, sharing: host)
        try host.ring()
        _ = try render(1_024)
        #expect(try heard(sound()).samples.allSatisfy { $0 == 0 })
        let other = try SystemSound(path: directory.file("click.wav"), host: elsewhere)
        other.play()
        SystemSound.loading.sync(flags: .barrier) {}
        elsewhere.settle()
        #expect(try render(8_192)[100] == samples[100])
        try host.declineCall()
        player.stop()
        _ = try render(1_024)
        #expect(try heard(sound()).samples[100] == samples[100])
    }

    @Test("PLAY-4, CAT-4, VOL-2: a recorder and the silent switch mute it")
    func muted() throws {
        let session = try AudioSession(host: host)
        try session.setCategory(.record)
        try session.setActive(true)
        _ = try render(1_024)
        #expect(try heard(sound()).samples.allSatisfy { $0 == 0 })
        try session.setActive(false)
        #expect(try heard(sound()).samples[100] == samples[100])
        try host.setSilentSwitch(true)
        _ = try render(1_024)
        #expect(try heard(sound()).samples.allSatisfy { $0 == 0 })
        try host.setSilentSwitch(false)
        #expect(try heard(sound()).samples[100] == samples[100])
    }

    @Test("PLAY-4: a sound whose server is lost ends at once, and says so; the next one plays after the return")
    func lostServer() throws {
        let sound = try sound()
        let endings = EventLog<String>()
        sound.play { endings.note($0.map { "\($0)" } ?? "") }
        _ = try render(512)
        driver.notify(.serverLost)
        host.settle()
        #expect(endings.noted.count == 1 && endings.noted[0].contains("cut off"))
        driver.notify(.serverReturned(try #require(driver.format)))
        host.settle()
        #expect(try render(4_096).allSatisfy { $0 == 0 }, "its rest is not heard later")
        #expect(try heard(sound).samples[100] == samples[100])
    }

    @Test("PLAY-4: after the host was closed, and after its engine was started by a session, sounds play")
    func reopened() throws {
        #expect(try heard(sound()).samples[100] == samples[100])
        host.close()
        #expect(try heard(sound()).samples[100] == samples[100])
        host.close()
        let session = try AudioSession(host: host)
        try session.setActive(true)
        #expect(try heard(sound()).samples[100] == samples[100])
    }

    @Test("PLAY-4: a sound keeps its pitch at another sample rate of the server")
    func otherRate() throws {
        let sine = Signal.sine(frequency: 1_000, sampleRate: 44_100, frames: 22_050)
        try SoundFile.write([sine], sampleRate: 44_100, to: directory.file("sine.wav"))
        let output = try heard(SystemSound(path: directory.file("sine.wav"), host: host), frames: 32_768).samples
        let frequency = Signal.frequency(of: Array(output[1_000..<7_000]), near: 1_000, sampleRate: Self.rate)
        #expect(Signal.cents(frequency, 1_000) < 1)
    }

    @Test("PLAY-4: a file that is missing, no sound, or longer than 30 s is refused, and says what to do")
    func refused() throws {
        #expect(throws: AudioFileError.notFound(path: directory.file("none.wav"))) {
            try SystemSound(path: directory.file("none.wav"), host: host)
        }
        let silence = [Float](repeating: 0, count: 8_000 * 30)
        try SoundFile.write([silence], sampleRate: 8_000, to: directory.file("limit.wav"))
        #expect(try SystemSound(path: directory.file("limit.wav"), host: host).duration == 30)
        try SoundFile.write([silence + [0]], sampleRate: 8_000, to: directory.file("long.wav"))
        let error = #expect(throws: SystemSoundError.self) {
            try SystemSound(path: directory.file("long.wav"), host: host)
        }
        #expect(
            error?.description.contains("AudioPlayer") == true && error?.description.contains("more than 30 s") == true)
    }

    @Test("PLAY-4: a sound of the theme plays by its name; one that no theme has is reported")
    func named() throws {
        let endings = EventLog<String>()
        let note = { @Sendable (error: (any Error)?) in endings.note(error.map { "\($0)" } ?? "ended") }
        for count in 1...2 {
            SystemSound.play(.bell, host: host, whenEnded: note)
            #expect(try Signal.peak(render(16_384)) > 0.01)
            #expect(endings.wait { $0 == [String](repeating: "ended", count: count) }, "loaded, and from memory")
        }
        SystemSound.play("no-such-sound", host: host, whenEnded: note)
        #expect(endings.wait { $0.last?.contains("no sound 'no-such-sound'") == true })
    }

    @Test("PLAY-4: a sound that is released while it plays is heard to its end")
    func released() throws {
        let endings = EventLog<Bool>()
        try sound().play { endings.note($0 == nil) }
        let output = try render(8_192)
        #expect(Signal.firstDifference(output.prefix(4_000), samples) == nil && endings.noted == [true])
    }
}
