import SessionPolicy
import Testing

/// Idle release: active sessions that are silent for a while (ACT-17). The scene's clock advances
/// by a nanosecond per action, and the tests submit the releases as the arbiter does when they are
/// due.
@Suite struct IdleReleaseTests {
    /// Adds sessions that play, in this order.
    private func playing(_ sessions: (UInt64, Category, Mode, CategoryOptions)...) throws -> Scene {
        var scene = Scene()
        for (id, category, mode, options) in sessions {
            try scene.add(id, category, mode, options)
            try scene.play(id)
        }
        return scene
    }

    private func music(_ id: UInt64) -> (UInt64, Category, Mode, CategoryOptions) { (id, .playback, .default, []) }

    private func prompt(_ id: UInt64) -> (UInt64, Category, Mode, CategoryOptions) {
        (id, .playback, .voicePrompt, [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
    }

    private func podcast(_ id: UInt64) -> (UInt64, Category, Mode, CategoryOptions) {
        (id, .playback, .spokenAudio, [])
    }

    /// Submits the next release, and returns the seconds after which it is due.
    private func release(_ scene: inout Scene) throws -> Double {
        let next = try #require(scene.state.nextIdleRelease(scene.policy.settings))
        try scene.do(next.action)
        return (Double(next.due.nanoseconds) / 1e9).rounded()
    }

    private func stop(_ scene: inout Scene, _ id: UInt64, paused: Bool = false) throws {
        try scene.do(.setPaused(SessionID(id), paused))
        try scene.do(.setRunning(SessionID(id), false))
    }

    @Test("ACT-17, DUCK-2: a prompt that forgets to deactivate lowers nobody after 10 s, and a podcast resumes")
    func forgottenPrompt() throws {
        var scene = try playing(music(1), podcast(2), prompt(3))
        try scene.activate(1)
        #expect(try scene.grant(1).attenuation == 14 && scene.waits(2) == 3)
        #expect(scene.state.nextIdleRelease(scene.policy.settings) == nil, "everything plays")
        try stop(&scene, 3)
        #expect(try release(&scene) == 10)
        #expect(try scene.grant(1).attenuation == 0 && scene.isActive(3))
        #expect(scene.state.nextIdleRelease(scene.policy.settings) == nil)
    }

    @Test("ACT-17, DUCK-4: the podcast that a silent prompt interrupted is asked to resume")
    func podcastResumes() throws {
        var scene = try playing(podcast(2), prompt(3))
        #expect(scene.state.nextIdleRelease(scene.policy.settings) == nil)
        try stop(&scene, 3)
        #expect(try release(&scene) == 10)
        #expect(scene.interruptions == ["2 ended resume"])
    }

    @Test("ACT-17, ACT-8: who forgets to deactivate keeps nobody waiting after 60 s; its app is not notified")
    func forgottenSession() throws {
        var scene = try playing(music(1), (2, .soloAmbient, .default, []))
        try stop(&scene, 2)
        #expect(try release(&scene) == 60)
        #expect(scene.interruptions == ["1 ended resume"] && !scene.notified.contains { $0.session == SessionID(2) })
        try scene.play(1)
        #expect(try scene.interruptions.isEmpty && scene.isActive(1) && scene.isActive(2))
        // When it sounds again, it interrupts as if it had been activated.
        try scene.do(.setRunning(SessionID(2), true))
        #expect(try scene.interruptions == ["1 began"] && scene.waits(1) == 2)
        #expect(try scene.session(2).idleRelease == .none)
        try scene.deactivate(2)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-17: a session that never played is silent from its activation")
    func neverPlayed() throws {
        var scene = try playing(music(1))
        try scene.add(2, .playback)
        try scene.activate(2)
        #expect(try release(&scene) == 60)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-17: a film that is paused part-way keeps the music waiting; one that has stopped does not")
    func pausedFilm() throws {
        var scene = try playing(music(1), (2, .playback, .moviePlayback, []))
        try stop(&scene, 2, paused: true)
        #expect(scene.state.nextIdleRelease(scene.policy.settings) == nil)
        try scene.do(.setPaused(SessionID(2), false))
        #expect(try release(&scene) == 60)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-17: a ducking session that is paused part-way stops ducking, and keeps those that wait for it")
    func pausedPrompt() throws {
        var scene = try playing(podcast(2), prompt(3))
        try scene.add(4, .ambient)
        try scene.play(4)
        try stop(&scene, 3, paused: true)
        #expect(try scene.grant(4).attenuation == 14)
        #expect(try release(&scene) == 10)
        #expect(try scene.grant(4).attenuation == 0 && scene.waits(2) == 3)
        #expect(scene.state.nextIdleRelease(scene.policy.settings) == nil)
        // It sounds again: it ducks again.
        try scene.do(.setRunning(SessionID(3), true))
        #expect(try scene.grant(4).attenuation == 14)
        // It is at its end.
        try stop(&scene, 3)
        #expect(try release(&scene) == 10)
        #expect(scene.interruptions == ["2 ended resume"])
    }

    @Test("ACT-17: a recorder that records is in use; one that has stopped mutes nobody any longer (CAT-4)")
    func recorder() throws {
        var scene = Scene()
        try scene.add(1, .ambient)
        try scene.play(1)
        try scene.add(2, .record)
        try scene.do(.setInputRunning(SessionID(2), true))
        #expect(try scene.grant(1).isMuted && scene.state.nextIdleRelease(scene.policy.settings) == nil)
        try scene.do(.setInputRunning(SessionID(2), false))
        #expect(try release(&scene) == 60)
        #expect(try !scene.grant(1).isMuted)
        try scene.do(.setInputRunning(SessionID(2), true))
        #expect(try scene.grant(1).isMuted)
    }

    @Test("ACT-17, ACT-6: a released session that may not interrupt when it sounds again is notified as interrupted")
    func refusedWhenItSounds() throws {
        var scene = try playing(music(1), music(2))
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try stop(&scene, 2)
        _ = try release(&scene)
        try scene.play(1)
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.do(.setRunning(SessionID(2), true))
        #expect(scene.interruptions == ["2 began"] && scene.notified.first?.by == SessionID(1))
        #expect(try scene.isActive(1) && scene.waits(2) == 1 && scene.grant(2).isPaused)
        #expect(try scene.session(2).wait?.rule == .act2)
        try scene.configure(1, .playback, .default, .mixWithOthers)
        #expect(try scene.waits(2) == nil, "it waits by ACT-2, which a mixable session ends (CAT-3)")
    }

    @Test("ACT-17, ACT-14: a request for a released session that may not sound now is not delayed: it is active")
    func requestWhileReleased() throws {
        var scene = try playing(music(1), music(2))
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try stop(&scene, 2)
        _ = try release(&scene)
        try scene.play(1)
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.do(.requestActivation(SessionID(2)))
        #expect(try scene.state.pendingActivations.isEmpty && scene.isActive(1) && scene.isActive(2))
    }

    @Test("ACT-17, ACT-15: input that is refused in a released session interrupts nobody")
    func refusedInput() throws {
        var scene = Scene(Policy.interruptingMicrophone)
        try scene.add(1, .playAndRecord)
        try scene.add(2, .playback)
        try scene.activate(1)
        _ = try release(&scene)
        try scene.play(2)
        try scene.do(.setMicrophoneMuted(true))
        let input = PolicyAction.setInputRunning(SessionID(1), true)
        #expect(try scene.refusal(of: input).rule == .int10)
        try scene.do(.setMicrophoneMuted(false))
        try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
        try scene.do(.setApplicationState(AppID(1), .background))
        #expect(try scene.refusal(of: input).code == .cannotInterruptOthers)
        #expect(try scene.isActive(1) && scene.isActive(2))
        try scene.do(.setApplicationState(AppID(1), .foreground))
        try scene.do(input)
        #expect(scene.interruptions == ["2 began"])
    }

    @Test("ACT-17, ACT-14: a delayed activation is granted when the silent session releases it")
    func delayedGrant() throws {
        var scene = try playing(music(1))
        try scene.add(2, .playback)
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.do(.requestActivation(SessionID(2)))
        #expect(try !scene.isActive(2))
        try stop(&scene, 1)
        _ = try release(&scene)
        #expect(try scene.isActive(2) && scene.isActive(1))
    }

    @Test("ACT-17, ACT-10: activating a released session is an activation for others")
    func activatesAgain() throws {
        var scene = try playing(music(1), prompt(3))
        try scene.activate(1)
        try stop(&scene, 3)
        _ = try release(&scene)
        #expect(try scene.grant(1).attenuation == 0)
        try scene.activate(3)
        #expect(try scene.grant(1).attenuation == 14)
        #expect(scene.state.nextIdleRelease(scene.policy.settings) != nil, "its time starts again")
    }

    @Test("ACT-17: a call interrupts a released session, and notifies its end, like any other")
    func call() throws {
        var scene = try playing(music(1))
        try stop(&scene, 1)
        _ = try release(&scene)
        try scene.begin(9, .call)
        #expect(scene.interruptions == ["1 began"])
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended resume"])
        try scene.activate(1)
        #expect(try scene.session(1).idleRelease == .none)
    }

    @Test("ACT-17: with a limit of 0, a session is never released")
    func never() throws {
        var settings = PolicySettings()
        (settings.idleRelease, settings.idleDuckRelease) = (0, 0)
        var scene = Scene(Policy(settings: settings))
        try scene.add(1, .playback)
        try scene.add(2, .playback, .voicePrompt, .duckOthers)
        for id: UInt64 in 1...2 { try scene.activate(id) }
        #expect(scene.state.nextIdleRelease(settings) == nil)
    }

    @Test("ACT-17: releases come in the order in which they are due, and a stale one changes nothing")
    func order() throws {
        var scene = try playing(music(1), prompt(2))
        try stop(&scene, 1)
        try stop(&scene, 2)
        #expect(scene.state.nextIdleRelease(scene.policy.settings)?.action == .releaseIdle(SessionID(2), .all))
        try scene.do(.setRunning(SessionID(2), true))
        #expect(scene.state.nextIdleRelease(scene.policy.settings)?.action == .releaseIdle(SessionID(1), .all))
        let before = scene.state
        try scene.do(.releaseIdle(SessionID(2), .all))
        #expect(scene.state == before && scene.notified.isEmpty)
    }

    @Test("ACT-17, SRV-3: a rebuilt state keeps what silence has released")
    func rebuilt() throws {
        var scene = try playing(music(1), music(2))
        try stop(&scene, 2)
        _ = try release(&scene)
        try scene.play(1)
        var order = GrantOrder()
        order.update(to: scene.state)
        let records = scene.state.sessions.compactMap { scene.state.record(of: $0.id, order) }
        let again = scene.policy.rebuild(scene.state.systemRecord(order), records, at: EventTime(nanoseconds: 1_000))
        #expect(again.state == scene.state && again.effects.isEmpty)
    }

    @Test("ACT-17, SRV-3: a record's silence is ignored in a session that plays, is inactive or belongs to the system")
    func malformedSilence() throws {
        var scene = try playing(music(1), music(2))
        try scene.begin(9, .alarm)
        try scene.end(9)
        try scene.activate(1)
        try scene.begin(9, .alarm)
        var order = GrantOrder()
        order.update(to: scene.state)
        var records = scene.state.sessions.compactMap { scene.state.record(of: $0.id, order) }
        for index in records.indices {
            records[index].session.silence = Silence(since: .zero, unusedSince: .zero, release: .all)
        }
        let again = scene.policy.rebuild(scene.state.systemRecord(order), records, at: EventTime(nanoseconds: 1_000))
        #expect(again.state.sessions.allSatisfy { $0.silence == nil })
        #expect(again.state.sessions.map(\.activity) == scene.state.sessions.map(\.activity))
    }
}
