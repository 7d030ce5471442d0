import SessionPolicy
import Testing

@Suite struct DelayedGrantTests {
    private func request(_ scene: inout Scene, _ id: UInt64) throws { try scene.do(.requestActivation(SessionID(id))) }

    /// Returns the sessions reported as activated, in order.
    private func granted(_ scene: Scene) -> [UInt64] {
        scene.notified.filter { $0.kind == .activated }.map(\.session.rawValue)
    }

    @Test("ACT-14, ACT-5: a request refused by a call waits, and is granted when it ends, before any end is reported")
    func afterCall() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .soloAmbient)
        try scene.activate(1)
        try scene.begin(9, .call)
        try request(&scene, 2)
        #expect(try !scene.isActive(2) && scene.rules(2) == [.act14])
        try scene.end(9)
        // The granted session blocks the music, which continues to wait.
        #expect(scene.notified.map(\.kind).first == .activated && scene.notified.first?.rule == .act14)
        #expect(try granted(scene) == [2] && scene.interruptions.isEmpty && scene.waits(1) == 2)
        try scene.deactivate(2)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-14: a request that no session blocks is granted at once, like an activation")
    func atOnce() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try scene.activate(1)
        try request(&scene, 2)
        #expect(try scene.interruptions == ["1 began"] && scene.isActive(2))
    }

    @Test("ACT-14: requests are granted in their order, and only if the grant interrupts no session")
    func order() throws {
        var scene = Scene()
        for id: UInt64 in 1...2 { try scene.add(id, .playback, .default, .mixWithOthers) }
        for id: UInt64 in 3...4 { try scene.add(id, .soloAmbient) }
        try scene.begin(9, .alarm)
        for id: UInt64 in [4, 2, 3, 1] { try request(&scene, id) }
        try request(&scene, 4)
        #expect(scene.state.pendingActivations.map(\.rawValue) == [4, 2, 3, 1], "asking twice changes nothing")
        try scene.end(9)
        #expect(granted(scene) == [4, 2, 1] && scene.interruptions.isEmpty)
        try scene.deactivate(4, notify: false)
        #expect(granted(scene) == [3] && scene.state.pendingActivations.isEmpty)
    }

    @Test("ACT-14, ACT-6: a request from the background waits for the other app's playback to end")
    func fromBackground() throws {
        var scene = Scene()
        for id: UInt64 in 1...2 { try scene.add(id, .playback) }
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.play(1)
        try request(&scene, 2)
        #expect(try !scene.isActive(2))
        try scene.deactivate(1)
        #expect(try scene.isActive(2))
        // A request that no other session's end would allow is refused at once.
        try scene.add(3, .ambient)
        try scene.do(.setApplicationState(AppID(3), .background))
        #expect(try scene.refusal(of: .requestActivation(SessionID(3))).code == .cannotStartPlaying)
        // It is refused also if another session refuses first.
        try scene.begin(9, .call)
        #expect(try scene.refusal(of: .requestActivation(SessionID(3))).code == .cannotStartPlaying)
    }

    @Test("ACT-14, ROUTE-9: a request to record is refused without an input, also during a call")
    func withoutInput() throws {
        var scene = Scene()
        try scene.do(.plug(AudioDevice(uid: "tv", ports: [.output("tv-out", .hdmi)])))
        try scene.add(1, .record)
        try scene.begin(9, .call)
        #expect(try scene.refusal(of: .requestActivation(SessionID(1))).rule == .route9)
    }

    @Test("ACT-14, ACT-5: a request made while a call rings is not granted when the call is accepted")
    func notDuringCall() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.begin(9, .call, ringing: true)
        try request(&scene, 1)
        try scene.do(.acceptCall(SessionID(9)))
        #expect(try !scene.isActive(1))
        try scene.end(9)
        #expect(try granted(scene) == [1] && scene.isActive(1))
    }

    @Test("ACT-10, ACT-12, BG-3: deactivation, death and suspension cancel the request")
    func cancelled() throws {
        for cancel: PolicyAction in [
            .deactivate(SessionID(1), notifyOthers: false), .appDied(AppID(1)),
            .setApplicationState(AppID(1), .suspended),
        ] {
            var scene = Scene()
            try scene.add(1, .soloAmbient)
            try scene.begin(9, .call)
            try request(&scene, 1)
            try scene.do(cancel)
            try scene.end(9)
            #expect(granted(scene).isEmpty && scene.state.pendingActivations.isEmpty && scene.state.activeOrder.isEmpty)
        }
    }

    @Test("ACT-16: after a remote play command, a session counts as foreground for the grace period only")
    func remotePlay() throws {
        var settings = PolicySettings()
        settings.remotePlayGrace = 3e-9
        var scene = Scene(Policy(settings: settings))
        for id: UInt64 in 1...2 { try scene.add(id, .playback) }
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.activate(1)
        try scene.do(.remotePlay(SessionID(2)))
        try scene.activate(2)
        #expect(scene.interruptions == ["1 began"])
        try scene.deactivate(2)
        #expect(try scene.refusal(of: .activate(SessionID(2))).rule == .act6, "the grace period has expired")
    }

    @Test("ACT-16, BG-1, BG-2: activated after a remote play command, only its own app's life ends a session")
    func remotePlayContinues() throws {
        var settings = PolicySettings()
        settings.remotePlayGrace = 3e-9
        var scene = Scene(Policy(settings: settings))
        for id: UInt64 in 1...2 { try scene.add(id, .playback, .default, .mixWithOthers) }
        try scene.do(.setApplicationState(AppID(1), .background))
        try scene.do(.remotePlay(SessionID(1)))
        try scene.activate(1)
        for other: PolicyAction in [
            .setDeclaresBackgroundAudio(AppID(2), true), .setDeclaresBackgroundAudio(AppID(2), false),
            .setApplicationState(AppID(2), .background), .setScreenLocked(true), .setScreenLocked(false),
            .setDeclaresBackgroundAudio(AppID(1), false), .setOutputMuted(SessionID(1), true),
        ] {
            try scene.do(other)
            #expect(try scene.isActive(1), "\(other)")
        }
        try scene.do(.setApplicationState(AppID(1), .foreground))
        #expect(try scene.isActive(1))
        try scene.do(.setApplicationState(AppID(1), .background))
        #expect(try !scene.isActive(1) && scene.notified.first?.rule == .bg1)
    }

    @Test("ACT-16, ACT-8: interrupted, it is not asked to resume where it may not, and keeps no other session waiting")
    func remotePlayInterrupted() throws {
        var settings = PolicySettings()
        settings.remotePlayGrace = 3e-9
        var scene = Scene(Policy(settings: settings))
        for id: UInt64 in 1...2 { try scene.add(id, .playback) }
        try scene.activate(1)
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.do(.remotePlay(SessionID(2)))
        try scene.activate(2)
        try scene.begin(9, .call)
        try scene.begin(10, .alarm)
        try scene.end(10)
        try scene.end(9)
        #expect(scene.interruptions == ["2 ended", "1 ended resume"])
    }
}
