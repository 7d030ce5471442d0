import SessionPolicy
import Testing

/// System sounds: when they are heard, and that they affect no session (PLAY-4).
@Suite struct SystemSoundTests {
    /// The session of the system sounds of app 1.
    private static let sounds = SessionID(50)

    /// A scene in which app 1 has system sounds, and a session 1 of its own.
    private func scene() throws -> Scene {
        var scene = Scene()
        try scene.add(50, app: 1)
        try scene.do(.playSystemSounds(Self.sounds))
        try scene.add(1, .playback)
        return scene
    }

    private func isHeard(_ scene: Scene) throws -> Bool { try !scene.grant(50).isMuted && !scene.grant(50).isPaused }

    @Test("PLAY-4: system sounds are heard without activation, and interrupt no session")
    func heard() throws {
        var scene = try scene()
        #expect(try scene.grant(50) == SessionGrant() && scene.rules(50).isEmpty)
        try scene.add(2, .soloAmbient)
        try scene.play(2)
        #expect(try isHeard(scene) && scene.isActive(2), "beside another app's primary session")
        #expect(
            !OtherAudio(scene.state, scene.policy.resolvedGrants(in: scene.state)).isPlaying(otherThan: SessionID(2)))
        try scene.do(.setRunning(Self.sounds, true))
        #expect(
            !OtherAudio(scene.state, scene.policy.resolvedGrants(in: scene.state)).isPlaying(otherThan: SessionID(2)))
    }

    @Test("PLAY-4: system sounds are silent while a call is active, not while it rings elsewhere, and heard again")
    func call() throws {
        var scene = try scene()
        try scene.begin(100, .call, ringing: true)
        #expect(try isHeard(scene), "app 1 does not play, so ringing does not interrupt it")
        try scene.do(.acceptCall(SessionID(100)))
        #expect(try !isHeard(scene) && scene.rules(50) == [.play4])
        #expect(try scene.resolvedGrant(50).reasons.first?.by == SessionID(100))
        #expect(try !scene.grant(50).isPaused, "a sound that plays runs on, silently")
        try scene.end(100)
        #expect(try isHeard(scene))
    }

    @Test("PLAY-4: system sounds are silent while their app is interrupted, those of other apps are not")
    func interrupted() throws {
        var scene = try scene()
        try scene.add(51, app: 2)
        try scene.do(.playSystemSounds(SessionID(51)))
        try scene.play(1)
        try scene.begin(100, .call, ringing: true)
        #expect(try !isHeard(scene) && scene.rules(50) == [.play4] && scene.rules(51).isEmpty)
        try scene.end(100)
        #expect(try isHeard(scene))
        try scene.add(3, .playback)
        try scene.activate(1)
        try scene.play(3)
        #expect(try !isHeard(scene), "another app's music interrupts as well")
        try scene.deactivate(3)
        #expect(try isHeard(scene))
    }

    @Test("PLAY-4: an app that interrupts itself, or whose output is gone, is still heard")
    func ownInterruptions() throws {
        var scene = try scene()
        try scene.play(1)
        try scene.add(4, .playback, app: 1)
        try scene.play(4)
        #expect(try scene.waits(1) == 4 && isHeard(scene))
        try scene.do(.plug(AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio)])))
        try scene.do(.plug(AudioDevice(uid: "machine", ports: [.output("spk", .builtInSpeaker)])))
        try scene.do(.unplug("usb"))
        #expect(try scene.session(4).wait?.rule == .route4 && isHeard(scene))
    }

    @Test("PLAY-4, CAT-4: a recorder mutes system sounds, those of its own app too")
    func recorder() throws {
        for app: UInt64 in [1, 2] {
            var scene = try scene()
            try scene.add(5, .record, app: app)
            try scene.activate(5)
            #expect(try !isHeard(scene) && scene.rules(50) == [.cat4])
            try scene.deactivate(5, notify: false)
            #expect(try isHeard(scene))
        }
    }

    @Test("PLAY-4, ACT-18: a conversation mutes the system sounds of the other apps")
    func conversation() throws {
        for app: UInt64 in [1, 2] {
            var scene = try scene()
            try scene.add(6, .playAndRecord, .voiceChat, app: app)
            try scene.do(.setInputRunning(SessionID(6), true))
            #expect(try isHeard(scene) == (app == 1))
        }
    }

    @Test("PLAY-4, VOL-2: the silent switch mutes system sounds")
    func silentSwitch() throws {
        var scene = try scene()
        try scene.do(.setSilentSwitch(true))
        #expect(try !isHeard(scene) && scene.rules(50) == [.vol2])
        try scene.do(.setSilentSwitch(false))
        #expect(try isHeard(scene))
    }

    @Test("PLAY-4, DUCK-1: system sounds are ducked like other sound, once and not as the inactive are")
    func ducked() throws {
        var scene = try scene()
        try scene.add(7, .playback, .default, .duckOthers)
        try scene.activate(7)
        #expect(try isHeard(scene) && scene.grant(50).attenuation == 14 && scene.rules(50) == [.duck1])
    }

    @Test("PLAY-4: apps in the background are heard, suspended ones are not")
    func life() throws {
        var scene = try scene()
        try scene.do(.setApplicationState(AppID(1), .background))
        #expect(try isHeard(scene))
        try scene.do(.setScreenLocked(true))
        #expect(try isHeard(scene))
        try scene.do(.setApplicationState(AppID(1), .suspended))
        #expect(try !isHeard(scene) && scene.rules(50) == [.bg3])
    }

    @Test(
        "PLAY-4: a session that is in use cannot become that of system sounds, and that of system sounds is never in use"
    )
    func refusals() throws {
        var scene = try scene()
        try scene.activate(1)
        #expect(try scene.refusal(of: .playSystemSounds(SessionID(1))).rule == .play4)
        try scene.add(2, .playback)
        try scene.activate(2)
        #expect(try scene.refusal(of: .playSystemSounds(SessionID(1))).rule == .play4, "interrupted")
        try scene.begin(100, .alarm)
        #expect(try scene.refusal(of: .playSystemSounds(SessionID(100))).rule == .play4)
        try scene.add(3, .soloAmbient)
        try scene.do(.requestActivation(SessionID(3)))
        #expect(scene.state.pendingActivations == [SessionID(3)])
        #expect(try scene.refusal(of: .playSystemSounds(SessionID(3))).rule == .play4, "pending")
        for action: PolicyAction in [
            .activate(Self.sounds), .requestActivation(Self.sounds), .configure(Self.sounds, .category(.playback)),
        ] {
            let refusal = try scene.refusal(of: action)
            #expect(refusal.code == .badParam && refusal.rule == .play4 && refusal.message.contains("session 50"))
        }
        #expect(throws: Refusal.self) { try scene.do(.setInputRunning(Self.sounds, true)) }
        try scene.do(.playSystemSounds(Self.sounds))
        #expect(try scene.session(50).playsSystemSounds, "twice is once")
    }

    @Test("PLAY-4: a session that was used before has no settings left when it plays system sounds")
    func settings() throws {
        var scene = Scene()
        try scene.add(1, .playback, .measurement)
        try scene.do(.prefer(SessionID(1), .sampleRate(96_000)))
        try scene.activate(1)
        try scene.deactivate(1)
        try scene.do(.playSystemSounds(SessionID(1)))
        #expect(try scene.session(1).configuration == Configuration())
        #expect(try scene.session(1).preferences == Preferences())
    }

    @Test("PLAY-4, SRV-2: system sounds survive the reset of their app's sessions")
    func reset() throws {
        var scene = try scene()
        try scene.do(.resetSessions(AppID(1)))
        #expect(try scene.session(50).playsSystemSounds && isHeard(scene))
    }

    @Test(
        "PLAY-4, SRV-2: while their outputs are awaited, system sounds are muted: a pause would let them be heard later"
    )
    func awaitedOutput() throws {
        var scene = try scene()
        var speaker = AudioDevice(uid: "speaker", ports: [.output("speaker-out", .builtInSpeaker)], server: "studio")
        try scene.do(.setDevices(AppID(1), server: "studio", [speaker]))
        #expect(try isHeard(scene))
        speaker.isAwaited = true
        try scene.do(.setDevices(AppID(1), server: "studio", [speaker]))
        #expect(try scene.grant(50).isMuted && !scene.grant(50).isPaused && scene.rules(50) == [.srv2])
        speaker.isAwaited = false
        try scene.do(.setDevices(AppID(1), server: "studio", [speaker]))
        #expect(try isHeard(scene))
    }

    @Test("PLAY-4, SRV-3: a new arbiter restores system sounds, whatever else their record claims")
    func rebuilt() throws {
        let scene = try scene()
        var session = try scene.session(50)
        var record = SessionRecord(
            session: session, grantNumber: 1, app: scene.state.app(AppID(1)), resolvedGrant: try scene.resolvedGrant(50)
        )
        let rebuilt = scene.policy.rebuild(SystemRecord(), [record], at: EventTime(nanoseconds: 99))
        #expect(rebuilt.state[session.id] == session && rebuilt.effects.isEmpty)

        session.activity = .active(since: EventTime(nanoseconds: 5))
        session.configuration = Configuration(category: .record)
        session.isInputRunning = true
        record.session = session
        record.pending = 3
        let corrected = scene.policy.rebuild(SystemRecord(), [record], at: EventTime(nanoseconds: 99)).state
        #expect(corrected.activeOrder.isEmpty && corrected.pendingActivations.isEmpty)
        #expect(corrected[session.id]?.playsSystemSounds == true && corrected[session.id]?.isActive == false)
        #expect(corrected[session.id]?.configuration == Configuration())
    }
}
