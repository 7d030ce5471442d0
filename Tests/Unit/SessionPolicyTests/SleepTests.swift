import SessionPolicy
import Testing

/// The machine's sleep: sessions of the highest rank (ACT-4, ROUTE-3).
@Suite struct SleepTests {
    /// The sessions that the last event notified that the machine has woken.
    private func woken(_ scene: Scene) -> [UInt64] {
        scene.notified.compactMap { effect in
            guard case .routeChanged(_, .wakeFromSleep) = effect.kind, effect.rule == .route3 else { return nil }
            return effect.session.rawValue
        }
    }

    @Test("ACT-4: sleep interrupts calls, alarms, conversations and mixable sessions, which return when it ends")
    func interruptsEverything() throws {
        for shouldResume in [true, false] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .playback, .default, .mixWithOthers)
            for id: UInt64 in [1, 2] { try scene.activate(id) }
            try scene.begin(8, .alarm)
            try scene.begin(9, .call)
            try scene.begin(10, .sleep)
            #expect(scene.interruptions == ["9 began"])
            #expect(try scene.refusal(of: .activate(SessionID(1))).rule == .act5, "playback may not start as in a call")

            try scene.end(10, shouldResume: shouldResume)
            #expect(try scene.isActive(9) && scene.interruptions.isEmpty)
            try scene.end(9)
            #expect(try scene.isActive(8))
            try scene.end(8)
            #expect(
                scene.interruptions == ["1 ended resume", "2 ended resume"], "the call interrupted them, not sleep")
        }
    }

    @Test("INT-3, ROUTE-3: waking is reported before the end of the interruption, which says whether to resume")
    func waking() throws {
        for shouldResume in [true, false] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .playback)
            try scene.play(1)
            try scene.begin(10, .sleep)
            #expect(scene.interruptions == ["1 began"] && woken(scene).isEmpty)
            try scene.end(10, shouldResume: shouldResume)
            #expect(scene.interruptions == ["1 ended" + (shouldResume ? " resume" : "")])
            #expect(woken(scene) == [1], "session 2 is neither active nor interrupted")
            let first = try #require(scene.notified.first)
            #expect(first.kind == .routeChanged(previous: try scene.state.route(of: scene.session(1)), .wakeFromSleep))
        }
    }

    @Test("ROUTE-3: only the end of the last sleep session is a waking, also if its program dies")
    func lastOfTwo() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.play(1)
        try scene.begin(9, .sleep)
        try scene.begin(10, .sleep)
        #expect(scene.interruptions == ["9 began"])
        try scene.end(10)
        #expect(try scene.isActive(9) && scene.interruptions.isEmpty && woken(scene).isEmpty)
        try scene.do(.unregister(SessionID(9)))
        #expect(scene.interruptions == ["1 ended resume"] && woken(scene) == [1])
        try scene.begin(11, .call)
        try scene.end(11)
        #expect(woken(scene).isEmpty, "a call is no sleep")
    }

    @Test("ACT-4, INT-6: a call that rings, is accepted or is deferred while the machine sleeps goes on after it")
    func calls() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.play(1)
        try scene.begin(9, .sleep)
        try scene.begin(10, .call, ringing: true)
        #expect(try scene.waits(10) == 9)
        try scene.do(.acceptCall(SessionID(10)))
        #expect(try scene.waits(10) == 9 && !scene.session(10).isRinging)

        try scene.do(.setDoNotDisturb(true))
        try scene.begin(11, .call, ringing: true)
        #expect(try scene.session(11).isDeferred)
        try scene.do(.acceptCall(SessionID(11)))
        #expect(try scene.waits(11) == 9)

        try scene.end(9)
        #expect(try [10, 11].filter { try scene.isActive($0) }.count == 1, "one of two accepted calls is heard")
        try scene.end(10)
        try scene.end(11)
        #expect(try !scene.session(1).isActive && scene.interruptions == ["1 ended resume"])
    }
}
