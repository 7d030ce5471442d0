import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

/// Limits that an app sets for its own sessions: idle timeouts and duck limits. The test advances
/// the time.
@Suite(.timeLimit(.minutes(2))) struct LimitTests {
    private let clock = HandClock()
    private let stage: HostFixture

    init() { stage = HostFixture(clock: clock) }

    private func causes(_ session: AudioSession) -> () async -> AudioSession.ActivityChange? {
        var changes = session.activityChanges.makeAsyncIterator()
        return {
            while let change = await changes.next() {
                if change != .becameActive { return change }
            }
            return nil
        }
    }

    @Test("ACT-8: after the idle timeout, the session deactivates, notifies others, and reports the cause")
    func idle() async throws {
        let music = try stage.session(.playback)
        let prompt = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        let cause = causes(prompt)
        let player = Participant(prompt)
        try prompt.setIdleTimeout(.seconds(2))
        #expect(prompt.idleTimeout == .seconds(2))
        try music.setActive(true)
        try prompt.setActive(true)
        clock.advance(by: .seconds(60))
        prompt.settle()
        #expect(prompt.isActive, "nothing has played yet")

        player.run(true)
        clock.advance(by: .seconds(60))
        player.run(false)
        clock.advance(by: .seconds(1))
        player.run(true)
        clock.advance(by: .seconds(60))
        prompt.settle()
        #expect(prompt.isActive, "it is playing")
        player.run(false)
        clock.advance(by: .milliseconds(1_900))
        prompt.settle()
        #expect(prompt.isActive)
        clock.advance(by: .milliseconds(100))
        prompt.settle()
        #expect(!prompt.isActive)
        #expect(await cause() == .becameInactive(.idle))
        #expect(listener.heard.noted.last?[AudioSessionInterruptionOptionKey] == 1, "others are notified")
    }

    @Test("Voices started by the app count: the timeout begins when the session's signal ends")
    func voices() throws {
        let session = try stage.session(.playback)
        try session.setIdleTimeout(.seconds(1))
        try session.setActive(true)
        let bus = try session.bus
        try stage.play([Float](repeating: 0.5, count: 256), in: session)
        try stage.play([Float](repeating: 0.5, count: 2_560), in: session)
        _ = try stage.render(1_024)
        #expect(bus.hasPlayingVoices)
        clock.advance(by: .seconds(60))
        session.settle()
        #expect(session.isActive, "one is still playing")
        _ = try stage.render(4_096)
        #expect(!bus.hasPlayingVoices && bus.hasSignal)
        _ = try stage.render(9_600)
        #expect(!bus.hasSignal)
        stage.host.settle()
        clock.advance(by: .milliseconds(500))
        try stage.play([Float](repeating: 0.5, count: 256), in: session)
        clock.advance(by: .milliseconds(500))
        session.settle()
        #expect(session.isActive, "another one started in time")
        _ = try stage.render(12_288)
        stage.host.settle()
        clock.advance(by: .seconds(1))
        session.settle()
        #expect(!session.isActive)

        let sound = try session.engine.makeSound(AudioBuffer([[Float](repeating: 0.5, count: 256)]), on: bus)
        try session.setActive(true)
        try session.engine.makeCommandQueue().trigger(sound)
        _ = try stage.render(4_096)
        stage.host.settle()
        clock.advance(by: .seconds(60))
        session.settle()
        #expect(session.isActive, "a one-shot has signal")
        _ = try stage.render(12_288)
        stage.host.settle()
        clock.advance(by: .seconds(1))
        session.settle()
        #expect(!session.isActive)
    }

    @Test("ACT-15: playback that starts as the timeout expires finds its session active, whichever is first")
    func starting() throws {
        let session = try stage.session(.playback)
        let player = Participant(session)
        try session.setIdleTimeout(.seconds(1))
        try session.activateToStart()
        player.run(true)
        player.run(false)
        clock.advance(by: .milliseconds(900))
        try session.activateToStart()
        clock.advance(by: .milliseconds(900))
        session.settle()
        #expect(session.isActive, "the timeout was restarted")
        clock.advance(by: .milliseconds(100))
        session.settle()
        #expect(!session.isActive)
        try session.activateToStart()
        #expect(session.isActive)
    }

    @Test("A session is not idle within a scope; the timeout begins when the scope ends")
    func scope() throws {
        let session = try stage.session(.playback)
        let player = Participant(session)
        try session.setIdleTimeout(.seconds(1))
        try session.setActive(true)
        try session.whileActive {
            player.run(true)
            player.run(false)
            clock.advance(by: .seconds(60))
            session.settle()
            #expect(session.isActive)
        }
        session.settle()
        #expect(session.isActive, "it was active before the scope")
        clock.advance(by: .seconds(1))
        session.settle()
        #expect(!session.isActive)
    }

    @Test("A timeout that is disabled, or that expires during an interruption, has no effect")
    func noTimeout() async throws {
        let session = try stage.session(.playback)
        let player = Participant(session)
        try session.setIdleTimeout(.seconds(1))
        try session.setActive(true)
        player.run(true)
        player.run(false)
        try session.setIdleTimeout(nil)
        clock.advance(by: .seconds(2))
        session.settle()
        #expect(session.isActive)
        try session.setIdleTimeout(.zero)
        player.run(true)
        try stage.host.ring()
        stage.host.settle()
        player.run(false)
        clock.advance(by: .seconds(2))
        session.settle()
        #expect(session.state.activity == .interrupted)
    }

    @Test("DUCK-2: a duck ends after its limit, with notification and cause; the music is bit-exact again")
    func duck() async throws {
        let music = try stage.session(.playback)
        let prompt = try stage.session(.playback, mode: .voicePrompt, options: .duckOthers)
        let cause = causes(prompt)
        try prompt.setDuckLimit(.seconds(20))
        #expect(prompt.duckLimit == .seconds(20))
        try music.setActive(true)
        try stage.play([Float](repeating: 0.5, count: 96_000), in: music)
        try prompt.setActive(true)
        stage.host.settle()
        #expect(try stage.render(9_600).last.map { $0 < 0.11 } == true)
        clock.advance(by: .seconds(19))
        prompt.settle()
        #expect(prompt.isActive)
        clock.advance(by: .seconds(1))
        prompt.settle()
        #expect(!prompt.isActive && !music.state.isDucked)
        #expect(await cause() == .becameInactive(.duckLimit))
        #expect(try stage.render(30_000).last == 0.5)
        try prompt.setActive(true)
        try prompt.setActive(false)
        #expect(await cause() == .becameInactive(.app), "the app itself ends the next activation")
    }

    @Test("DUCK-2: each activation has the whole limit; without ducking, there is none")
    func duckAgain() throws {
        let prompt = try stage.session(.playback, options: .duckOthers)
        try prompt.setDuckLimit(.seconds(10))
        try prompt.setActive(true)
        stage.host.settle()
        clock.advance(by: .seconds(9))
        // A deactivation and reactivation before the delivery of the first event, on the delivering
        // thread.
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.outputMuteStateChangeNotification, object: prompt, queue: nil
        ) { [prompt] _ in
            try? prompt.setActive(false)
            try? prompt.setActive(true)
        }
        try prompt.setOutputMuted(true)
        stage.host.settle()
        NotificationCenter.default.removeObserver(token)
        clock.advance(by: .seconds(9))
        prompt.settle()
        #expect(prompt.isActive, "it was reactivated in between")
        try prompt.setCategory(.playback, options: .mixWithOthers)
        stage.host.settle()
        clock.advance(by: .seconds(60))
        prompt.settle()
        #expect(prompt.isActive, "it ducks no session")
        try prompt.setDuckLimit(.seconds(5))
        try prompt.setCategory(.playback, options: .duckOthers)
        stage.host.settle()
        try prompt.setPreferredIOBufferDuration(0.005)
        clock.advance(by: .seconds(5))
        prompt.settle()
        #expect(!prompt.isActive, "counted from the change; other changes do not extend it")
    }

    @Test("Invalid limits throw badParam and change nothing")
    func absurd() throws {
        let session = try stage.session(.playback)
        try session.setIdleTimeout(.seconds(1))
        for bad in [Duration.seconds(-1), .seconds(86_401)] {
            let idle = #expect(throws: AudioSessionError.self) { try session.setIdleTimeout(bad) }
            #expect(idle?.errorCode == .badParam && idle?.message.contains("idle timeout") == true)
            #expect(throws: AudioSessionError.self) { try session.setDuckLimit(bad) }
        }
        #expect(throws: AudioSessionError.self) { try session.setDuckLimit(.zero) }
        #expect(session.idleTimeout == .seconds(1) && session.duckLimit == nil)
    }

    @Test("A timer of the system clock fires, and does not keep a session alive")
    func machineClock() throws {
        let host = HostFixture().host
        weak var gone: AudioSession?
        do {
            let session = try AudioSession(host: host)
            gone = session
            let token = NotificationRecorder(AudioSession.didBecomeInactiveNotification, of: session)
            let player = Participant(session)
            try session.setIdleTimeout(.zero)
            try session.setActive(true)
            player.run(true)
            player.run(false)
            #expect(token.heard.wait { $0.count == 1 })
            try session.setIdleTimeout(.seconds(3_600))
            try session.setActive(true)
            player.run(true)
            player.run(false)
            session.settle()
        }
        #expect(gone == nil)
    }
}
