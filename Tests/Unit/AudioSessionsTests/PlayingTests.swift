import AudioRendering
@testable import AudioSessions
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Whether a session plays is found by the engine: no source is a player of the library here.
@Suite struct PlayingTests {
    private let stage = HostFixture()
    private let game: AudioSession
    private let session: AudioSession

    init() throws {
        game = try stage.session(.ambient)
        session = try stage.session(.playback)
        try game.setActive(true)
        try session.setActive(true)
    }

    private func render(_ frames: Int) throws {
        _ = try stage.render(frames)
        stage.host.settle()
    }

    /// Checks that the source plays at once, and no longer once it has been silent for 200 ms.
    private func check(_ name: String, start: () throws -> Void, stop: () throws -> Void = {}) throws {
        let hints = NotificationRecorder(AudioSession.silenceSecondaryAudioHintNotification, of: game)
        #expect(!game.isOtherAudioPlaying && !game.secondaryAudioShouldBeSilencedHint, "\(name)")
        try start()
        try render(256)
        #expect(game.isOtherAudioPlaying && game.secondaryAudioShouldBeSilencedHint, "\(name)")
        #expect(!session.isOtherAudioPlaying, "\(name)")
        try stop()
        try render(9_600 - 512)
        #expect(game.isOtherAudioPlaying, "\(name)")
        try render(1_024)
        #expect(!game.isOtherAudioPlaying, "\(name)")
        let types = hints.heard.noted.map { $0[AudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt }
        #expect(types == [1, 0], "\(name)")
    }

    private static let tone = RenderSource(channels: 1) { _, planes, _, frames in
        guard let plane = planes?[0] else { return 0 }
        for frame in 0..<Int(frames) { plane[frame] = 0 }
        return frames
    }

    @Test("HINT-1, HINT-2, HINT-3: voices, sounds, command queues and callbacks play, as players do")
    func sources() throws {
        let (engine, bus) = (try session.engine, try session.bus)
        let short = try AudioBuffer([[Float](repeating: 0.5, count: 100)])
        try check("voice", start: { try engine.play(.buffer(short), on: bus) })
        let sound = try engine.makeSound(short, on: bus)
        let queue = try engine.makeCommandQueue()
        try check("sound", start: { try queue.trigger(sound) })
        try bus.setGraph(BusGraph(buses: [.init("drums")]))
        try check("mixer", start: { try engine.play(.buffer(short), on: session.bus("drums")) })
        var voice: AudioRendering.Voice?
        try check(
            "callback, which renders silence", start: { voice = try engine.play(.render(Self.tone), on: bus) },
            stop: { try voice?.stop(fadeFrames: 0) })
    }

    @Test("HINT-3: an insert plays while it renders sound")
    func insert() throws {
        let generator = Generator()
        let insert = try AudioInsert(context: generator.level, owner: generator, function: Generator.render)
        try session.bus.setGraph(BusGraph(buses: [.init("synth", insert: insert)]))
        try render(9_600)
        #expect(!game.isOtherAudioPlaying)
        try check("insert", start: { generator.level.pointee = 0.5 }, stop: { generator.level.pointee = 0 })
    }

    @Test("HINT-3: the app's own statement replaces what the engine finds, until it is withdrawn")
    func statement() throws {
        try session.engine.play(.render(Self.tone), on: session.bus)
        try render(256)
        #expect(game.isOtherAudioPlaying)
        session.setPlaying(false)
        #expect(!game.isOtherAudioPlaying)
        let player = Participant(session)
        player.run(true)
        #expect(game.isOtherAudioPlaying, "players count in any case")
        player.run(false)
        #expect(!game.isOtherAudioPlaying)
        session.setPlaying(nil)
        #expect(game.isOtherAudioPlaying)
        try session.setActive(false)
        session.setPlaying(true)
        #expect(!game.isOtherAudioPlaying, "an inactive session does not play")
        try session.setActive(true)
        #expect(game.isOtherAudioPlaying)
    }

    @Test("HINT-1: a session that only records does not play, whatever its category")
    func recorder() throws {
        try session.setCategory(.playAndRecord)
        let input = try AudioSessionInput(session: session)
        try input.start()
        try render(9_600)
        #expect(input.isRunning && !game.isOtherAudioPlaying)
        try session.engine.play(.input(input.capture), on: session.bus)
        try render(256)
        #expect(game.isOtherAudioPlaying, "it monitors its input")
    }

    @Test("HINT-3, INT-8: an interrupted app does not play, and plays again without its help when it is active")
    func interrupted() throws {
        try session.engine.play(.render(Self.tone), on: session.bus)
        try render(256)
        #expect(game.isOtherAudioPlaying)
        try stage.host.beginInterruption(by: .alarm)
        stage.host.settle()
        #expect(session.status?.session.isRunning == false)
        try stage.host.endInterruption(shouldResume: true)
        // Before the engine has rendered: the bus still had signal.
        try session.setActive(true)
        stage.host.settle()
        #expect(game.isOtherAudioPlaying)
        try stage.host.beginInterruption(by: .alarm)
        try render(48_000)
        try stage.host.endInterruption(shouldResume: true)
        try session.setActive(true)
        stage.host.settle()
        #expect(!game.isOtherAudioPlaying)
        try render(256)
        #expect(game.isOtherAudioPlaying)
    }

    @Test("HINT-3: an engine that is stopped or closed plays nothing")
    func closed() throws {
        try session.engine.play(.render(Self.tone), on: session.bus)
        try render(256)
        #expect(game.isOtherAudioPlaying)
        stage.host.close()
        stage.host.settle()
        #expect(try session.isActive && !session.bus.hasSignal && !game.isOtherAudioPlaying)
        try session.setActive(true)
        try render(48_000)
        #expect(!game.isOtherAudioPlaying, "the callback ended with the engine's closing")
    }

    @Test("HINT-3, ROUTE-4: an app that plays by a callback is interrupted when its headphones are unplugged")
    func unplugged() throws {
        try stage.host.plug("Headphones", type: .headphones)
        try session.engine.play(.render(Self.tone), on: session.bus)
        try render(256)
        try stage.host.unplug("Headphones")
        #expect(session.state.activity == .interrupted)
        try session.setActive(true)
        session.setPlaying(false)
        try stage.host.plug("Headphones", type: .headphones)
        try stage.host.unplug("Headphones")
        #expect(session.isActive, "nothing of it was audible")
    }

    @Test("HINT-3, ACT-7: a setting reports isBusy while a callback plays")
    func busy() throws {
        var settings = ArbiterSettings()
        settings.policy.reportsBusyOnDeactivation = true
        let stage = HostFixture(settings: settings)
        let session = try stage.session(.playback)
        try session.setActive(true)
        try session.engine.play(.render(Self.tone), on: session.bus)
        _ = try stage.render(256)
        stage.host.settle()
        let error = #expect(throws: AudioSessionError.self) { try session.setActive(false) }
        #expect(error?.errorCode == .isBusy && !session.isActive)
        try session.setActive(true)
        let input = try stage.session(.playAndRecord)
        try input.setActive(true)
        let recorder = try AudioSessionInput(session: input)
        try recorder.start()
        #expect(throws: AudioSessionError.self) { try input.setActive(false) }
        #expect(!input.isActive && !recorder.isRunning)
    }
}

/// An insert that adds a level to its bus.
private final class Generator: @unchecked Sendable {
    // The test changes it between two renderings.
    let level = UnsafeMutablePointer<Float>.allocate(capacity: 1)

    init() { level.initialize(to: 0) }

    deinit { level.deallocate() }

    static let render: AudioInsert.Function = { context, planes, channels, frames in
        guard let level = context?.assumingMemoryBound(to: Float.self).pointee, let planes else { return }
        for channel in 0..<Int(channels) {
            for frame in 0..<Int(frames) { planes[channel]?[frame] += level }
        }
    }
}
