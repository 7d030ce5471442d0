import SessionPolicy
import Testing

@Suite struct InterruptionTests {
    @Test("INT-1, INT-8: an interrupted session's gate is paused, with the interrupter as the reason")
    func paused() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .alarm)
        let resolvedGrant = try scene.resolvedGrant(1)
        #expect(resolvedGrant.grant == SessionGrant(isPaused: true))
        #expect(resolvedGrant.reasons.map(\.kind) == [.interrupted])
        #expect(resolvedGrant.reasons.first?.by == SessionID(9))
        #expect(resolvedGrant.grant.ramp(from: SessionGrant(), PolicySettings()) == 0.005)
    }

    @Test("INT-2: began carries its reason")
    func reason() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .call)
        #expect(scene.notified.first == Effect(SessionID(1), .interruptionBegan(.default), .act4, by: SessionID(9)))
    }

    @Test("INT-3: shouldResume only if all interrupters notified others when they left")
    func shouldResume() throws {
        // 1 waits for 2; 2 deactivates without notifying others during an alarm; the alarm notifies
        // others.
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try scene.activate(1)
        try scene.activate(2)
        try scene.begin(9, .alarm)
        try scene.deactivate(2, notify: false)
        #expect(try scene.waits(1) == 9)
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test("INT-3, SIM-1: an interruption can end with the recommendation not to resume")
    func notToResume() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .app)
        #expect(scene.interruptions == ["1 began"])
        try scene.end(9, shouldResume: false)
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test("INT-4: after a call only the podcast resumes; the music waits for the podcast")
    func nesting() throws {
        for kind in ["leaves", "dies"] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .playback, .spokenAudio)
            try scene.activate(1)
            try scene.activate(2)
            try scene.begin(9, .call)
            #expect(scene.interruptions == ["2 began"])
            try scene.end(9)
            #expect(scene.interruptions == ["2 ended resume"])
            #expect(try scene.waits(1) == 2)
            if kind == "leaves" {
                try scene.activate(2)
                try scene.deactivate(2)
            } else {
                try scene.do(.appDied(AppID(2)))
            }
            #expect(scene.interruptions == ["1 ended resume"])
        }
    }

    @Test("INT-5: an interrupted session may activate again; its wait ends silently, and it interrupts in turn")
    func reactivation() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try scene.activate(1)
        try scene.activate(2)
        try scene.activate(1)
        #expect(scene.interruptions == ["2 began"])
        #expect(try scene.waits(1) == nil)
        try scene.begin(9, .alarm)
        #expect(scene.interruptions == ["1 began"])
        #expect(try scene.refusal(of: .activate(SessionID(1))).rule == .act5)
    }

    @Test("INT-6: ringing interrupts all sessions that allow it; when the call is declined or ends, they may resume")
    func ringing() throws {
        for accepted in [false, true] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .ambient)
            try scene.do(.preferNoInterruptionsFromSystemAlerts(SessionID(1), true))
            try scene.activate(1)
            try scene.activate(2)
            try scene.begin(9, .call, ringing: true)
            #expect(scene.interruptions == ["2 began"])
            try scene.deactivate(1)
            try scene.activate(1)
            if accepted {
                try scene.do(.acceptCall(SessionID(9)))
                #expect(scene.interruptions == ["1 began"])
            }
            try scene.end(9)
            #expect(Set(scene.interruptions) == (accepted ? ["1 ended resume", "2 ended resume"] : ["2 ended resume"]))
        }
    }

    @Test("INT-6, ACT-4: during ringing, allowing alerts interrupts a session; disallowing them leaves it waiting")
    func changesItsMindWhileItRings() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.do(.preferNoInterruptionsFromSystemAlerts(SessionID(1), true))
        try scene.activate(1)
        try scene.begin(9, .call, ringing: true)
        #expect(try scene.isActive(1))
        try scene.do(.preferNoInterruptionsFromSystemAlerts(SessionID(1), false))
        #expect(try scene.interruptions == ["1 began"] && scene.waits(1) == 9)
        try scene.do(.preferNoInterruptionsFromSystemAlerts(SessionID(1), true))
        #expect(try scene.interruptions.isEmpty && scene.waits(1) == 9)
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("INT-6: only calls ring, and only a ringing one can be accepted")
    func onlyCallsRing() throws {
        var scene = Scene()
        #expect(try scene.refusal(of: .beginSystemSession(SessionID(9), rank: .alarm, isRinging: true)).rule == .int6)
        try scene.begin(9, .call)
        #expect(try scene.refusal(of: .acceptCall(SessionID(9))).rule == .int6)
    }

    @Test("INT-7: if the user pauses it while interrupted, resuming is not recommended")
    func pausedMeanwhile() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .call)
        try scene.do(.userPaused(SessionID(1)))
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test("HINT-1: other audio plays if it is active, running and not muted; the hint is for primary audio only")
    func otherAudio() throws {
        var scene = Scene()
        try scene.add(1, .ambient)
        try scene.add(2, .ambient)
        try scene.activate(1)
        try scene.activate(2)
        func otherAudio() -> OtherAudio { OtherAudio(scene.state, scene.policy.resolvedGrants(in: scene.state)) }
        #expect(!otherAudio().isPlaying(otherThan: SessionID(1)))
        try scene.do(.setRunning(SessionID(2), true))
        #expect(otherAudio().isPlaying(otherThan: SessionID(1)))
        #expect(!otherAudio().isPlaying(otherThan: SessionID(2)))
        #expect(!otherAudio().isPrimaryPlaying(otherThan: SessionID(1)))
        try scene.do(.setSilentSwitch(true))
        #expect(!otherAudio().isPlaying(otherThan: SessionID(1)))
    }

    @Test("HINT-2: active sessions are notified when another primary session starts and stops playing")
    func hint() throws {
        var scene = Scene()
        try scene.add(1, .ambient)
        try scene.add(2, .playback)
        try scene.add(3, .ambient)
        try scene.activate(1)
        try scene.activate(2)
        try scene.do(.setRunning(SessionID(2), true))
        #expect(scene.notified == [Effect(SessionID(1), .silenceSecondaryAudioHint(true), .hint2)])
        try scene.deactivate(2)
        #expect(scene.notified.last == Effect(SessionID(1), .silenceSecondaryAudioHint(false), .hint2))
    }
}
