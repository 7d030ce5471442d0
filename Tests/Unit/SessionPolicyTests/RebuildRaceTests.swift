import SessionPolicy
import Testing

/// Rebuilding from records of different moments, one race at a time (SRV-3).
@Suite struct RebuildRaceTests {
    private let policy = Policy.interruptingMicrophone

    /// Returns a session as its client last received it.
    private func record(
        _ id: UInt64, _ category: Category = .playback, _ options: CategoryOptions = [], grant: UInt64 = 0,
        _ change: (inout SessionState) -> Void = { _ in }
    ) -> SessionRecord {
        var session = SessionState(id: SessionID(id), app: AppID(id))
        session.configuration = Configuration(category: category, requestedOptions: options)
        session.routedCategory = category
        if grant > 0 { session.activity = .active(since: EventTime(nanoseconds: grant)) }
        change(&session)
        return SessionRecord(session: session, grantNumber: grant, app: AppState(id: session.app))
    }

    private func waiting(for interrupter: UInt64?, _ rule: Rule = .act2, mayResume: Bool = true)
        -> SessionState.Activity
    {
        .waiting(
            .init(
                interrupter: interrupter.map { SessionID($0) }, rule: rule, reason: .default, since: .zero,
                mayResume: mayResume))
    }

    private func rebuild(_ records: [SessionRecord], _ system: SystemRecord = SystemRecord()) -> Policy.Transition {
        policy.rebuild(system, records, at: EventTime(nanoseconds: 1_000))
    }

    private func notified(_ transition: Policy.Transition) -> [Effect] {
        transition.effects.filter { $0.kind != .stateChanged }
    }

    @Test(
        "SRV-3: of two that exclude each other the newer grant wins, and the older one waits for it (ACT-2, INT-1)"
    )
    func newerGrantWins() throws {
        for records in [[record(1, grant: 5), record(2, grant: 9)], [record(2, grant: 9), record(1, grant: 5)]] {
            let rebuilt = rebuild(records)
            #expect(rebuilt.state.activeOrder == [SessionID(2)])
            #expect(rebuilt.state[SessionID(1)]?.wait?.interrupter == SessionID(2))
            #expect(notified(rebuilt) == [Effect(SessionID(1), .interruptionBegan(.default), .act2, by: SessionID(2))])
            let order = GrantOrder(rebuilt.state, rebuiltFrom: SystemRecord(), records)
            #expect(order.grant(of: SessionID(2)) == 9)
        }
    }

    @Test("SRV-3: a call precedes a newer grant, unless both may play (ACT-4, ACT-5)")
    func callGoesFirst() throws {
        var call = SessionState(id: SessionID(9), app: .system, rank: .call)
        call.configuration = Configuration(category: .playAndRecord)
        call.activity = .active(since: .zero)
        var system = SystemRecord()
        system.sessions = [SessionRecord(session: call, grantNumber: 3, app: AppState(id: .system))]
        let game = rebuild([record(1, .soloAmbient, grant: 8)], system)
        #expect(game.state.activeOrder == [SessionID(9)])
        #expect(notified(game) == [Effect(SessionID(1), .interruptionBegan(.default), .act4, by: SessionID(9))])
        #expect(rebuild([record(1, grant: 8)], system).state.activeOrder == [SessionID(9), SessionID(1)])
        #expect(rebuild([record(1, grant: 2)], system).state[SessionID(1)]?.wait?.interrupter == SessionID(9))
    }

    @Test("SRV-3: a wait for a session lost with the arbiter ends (ACT-12)", arguments: [true, false])
    func missingInterrupter(mayResume: Bool) {
        let rebuilt = rebuild([record(1) { $0.activity = waiting(for: 7, mayResume: mayResume) }])
        #expect(
            notified(rebuilt) == [
                Effect(SessionID(1), .interruptionEnded(shouldResume: mayResume), .int3, by: SessionID(7))
            ])
        #expect(rebuilt.state[SessionID(1)]?.wait == nil)
    }

    @Test(
        "SRV-3: if the interrupter died, the wait moves to the next one; delayed grants come first (ACT-8, ACT-14)"
    )
    func nextInterrupter() {
        let moved = rebuild([record(1) { $0.activity = waiting(for: 7) }, record(2, grant: 4)])
        #expect(notified(moved) == [Effect(SessionID(1), .waitMoved, .act8, by: SessionID(2))])

        var asking = record(3)
        asking.pending = 6
        let granted = rebuild([record(1) { $0.activity = waiting(for: 7) }, asking])
        #expect(
            notified(granted) == [
                Effect(SessionID(3), .activated, .act14), Effect(SessionID(1), .waitMoved, .act8, by: SessionID(3)),
            ])
    }

    @Test("SRV-3: circular waits end")
    func circle() {
        let rebuilt = rebuild([
            record(1) { $0.activity = waiting(for: 2) }, record(2) { $0.activity = waiting(for: 1) },
            record(3) { $0.activity = waiting(for: 3) },
        ])
        // ACT-8: session 2 would conflict with session 3, which is notified first.
        #expect(rebuilt.state.sessions.filter { $0.wait != nil }.map(\.id) == [SessionID(1), SessionID(2)])
        #expect(
            notified(rebuilt) == [
                Effect(SessionID(3), .interruptionEnded(shouldResume: true), .int3, by: SessionID(3)),
                Effect(SessionID(2), .waitMoved, .act8, by: SessionID(3)),
            ])
    }

    @Test("SRV-3: a wait for a session that waits without a cause ends, too")
    func waitForOneThatReturns() {
        var ringing = SessionState(id: SessionID(8), app: .system, rank: .call)
        ringing.configuration = Configuration(category: .playAndRecord, requestedOptions: .duckOthers)
        ringing.isRinging = true
        ringing.activity = waiting(for: nil)
        // Granted later, therefore examined first, while the other call still waits.
        var call = SessionState(id: SessionID(9), app: .system, rank: .call)
        call.configuration = Configuration(category: .playAndRecord)
        call.activity = waiting(for: 8)
        var system = SystemRecord()
        system.sessions = [
            SessionRecord(session: ringing, grantNumber: 4, app: AppState(id: .system)),
            SessionRecord(session: call, grantNumber: 5, app: AppState(id: .system)),
        ]
        // INT-6: a ringing call interrupts no other call.
        #expect(rebuild([], system).state.activeOrder == [SessionID(8), SessionID(9)])
    }

    @Test("SRV-3: a session that is no longer ducked is notified, although its own state is the same (ACT-12, DUCK-2)")
    func missingDucker() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback, .default, .duckOthers)
        try scene.activate(1)
        try scene.activate(2)
        var order = GrantOrder()
        order.update(to: scene.state)
        let record = try #require(
            scene.state.record(of: SessionID(1), order, resolvedGrant: try scene.resolvedGrant(1)))
        let rebuilt = rebuild([record], scene.state.systemRecord(order))
        #expect(rebuilt.effects == [Effect(SessionID(1), .stateChanged, .act1)])
        #expect(rebuilt.resolvedGrants.map(\.grant.attenuation) == [0])
    }

    @Test(
        "SRV-3: a session that its app's state no longer allows is stopped, and its waiters resume (BG-1, ACT-12)"
    )
    func background() {
        var background = record(1, .soloAmbient, grant: 4)
        background.app.life = .background
        let rebuilt = rebuild([background, record(2) { $0.activity = waiting(for: 1) }])
        #expect(
            notified(rebuilt) == [
                Effect(SessionID(1), .deactivatedBySystem, .bg1), Effect(SessionID(1), .deactivated, .act7),
                Effect(SessionID(2), .interruptionEnded(shouldResume: true), .int3, by: SessionID(1)),
            ])
    }

    @Test("SRV-3: a microphone mute during the restart interrupts recording sessions (INT-10)")
    func microphone() {
        var system = SystemRecord()
        system.microphoneMute = .init(isOn: true, since: EventTime(nanoseconds: 50))
        let recording = record(1, .record, grant: 4) { $0.isInputRunning = true }
        let rebuilt = rebuild([recording], system)
        #expect(notified(rebuilt) == [Effect(SessionID(1), .interruptionBegan(.builtInMicMuted), .int10)])
        system.microphoneMute.isOn = false
        #expect(notified(rebuild([recording], system)).isEmpty)
    }

    @Test("SRV-3: fields that no history produces are treated as absent (MODE-1, OPT-3, ROUTE-10, HW-4, VOL-3)")
    func malformedFields() throws {
        let malformed = record(1, .playback, CategoryOptions(rawValue: 1 << 40)) { session in
            session.configuration.mode = .voiceChat
            session.configuration.routeSharingPolicy = .independent
            session.preferences.sampleRate = .infinity
            session.preferences.ioBufferDuration = 0.005
            session.isOverriddenToSpeaker = true
            session.isInputRunning = true
            session.isRinging = true
        }
        let session = try #require(rebuild([malformed]).state[SessionID(1)])
        #expect(session.configuration == Configuration(category: .playback))
        #expect(session.preferences.sampleRate == 0 && session.preferences.ioBufferDuration == 0.005)
        #expect(!session.isOverriddenToSpeaker && !session.isInputRunning && !session.isRinging)

        let kept = record(1, .playAndRecord, [.duckOthers, CategoryOptions(rawValue: 1 << 40)]) {
            $0.configuration.mode = .videoChat
        }
        #expect(rebuild([kept]).state[SessionID(1)]?.configuration.mode == .videoChat)
    }

    @Test("SRV-3: client sessions have no rank and do not belong to the system; of two with one id the first counts")
    func malformedIdentity() {
        var call = record(3)
        call.session = SessionState(id: SessionID(3), app: AppID(3), rank: .call)
        var own = record(4)
        own.session = SessionState(id: SessionID(4), app: .system)
        let rebuilt = rebuild([record(1, .ambient), record(1, .playback), call, own])
        #expect(rebuilt.state.sessions.map(\.id) == [SessionID(1)])
        #expect(rebuilt.state[SessionID(1)]?.configuration.category == .ambient)
    }

    @Test("SRV-3: numbers keep increasing, whatever a record contains, and the order is kept")
    func absurdNumbers() throws {
        let records = [record(1, .ambient, grant: .max), record(2, .ambient, grant: 5), record(3, .playback)]
        let rebuilt = rebuild(records)
        #expect(rebuilt.state.activeOrder == [SessionID(2), SessionID(1)])
        var order = GrantOrder(rebuilt.state, rebuiltFrom: SystemRecord(), records)
        let next = try policy.apply(
            PolicyEvent(.activate(SessionID(3)), at: EventTime(nanoseconds: 2_000)), to: rebuilt.state)
        order.update(to: next.state)
        let numbers = [2, 1, 3].map { order.grant(of: SessionID($0)) }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 3 && numbers[0] > 0)
    }

    @Test(
        "SRV-3: the next arbiter's grants have higher numbers than all before, including unreported ones"
    )
    func reservedNumbers() throws {
        var scene = Scene()
        var order = GrantOrder()
        for id: UInt64 in 1...2 { try scene.add(id, .playback) }
        try scene.activate(1)
        order.update(to: scene.state)
        try scene.activate(2)
        for mode in [Mode.spokenAudio, .moviePlayback, .default] {
            // CAT-3: counts as an activation.
            try scene.configure(2, .playback, mode)
            order.update(to: scene.state)
        }
        #expect(order.grant(of: SessionID(2)) == 4)
        let system = scene.state.systemRecord(order)
        let records = scene.state.sessions.compactMap { scene.state.record(of: $0.id, order) }

        // Session 2 held the grant, and reports after 1 has been granted again.
        let early = rebuild([records[0]], system)
        var next = GrantOrder(early.state, rebuiltFrom: system, [records[0]])
        let granted = try policy.apply(
            PolicyEvent(.activate(SessionID(1)), at: EventTime(nanoseconds: 2_000)), to: early.state)
        next.update(to: granted.state)
        let present = try #require(granted.state.record(of: SessionID(1), next))
        let late = rebuild([records[1], present], granted.state.systemRecord(next))
        #expect(late.state.activeOrder == [SessionID(1)])
        #expect(late.state[SessionID(2)]?.wait?.interrupter == SessionID(1))
    }

    @Test("SRV-3: a grant gets a number whenever it is made or renewed, even if the order looks the same")
    func grantNumbers() throws {
        var scene = Scene()
        var order = GrantOrder()
        for id: UInt64 in 1...3 { try scene.add(id, .ambient) }
        for id: UInt64 in 1...3 {
            try scene.activate(id)
            order.update(to: scene.state)
        }
        #expect((1...3).map { order.grant(of: SessionID($0)) } == [1, 2, 3])
        // CAT-3: counts as an activation.
        try scene.configure(3, .playback)
        order.update(to: scene.state)
        #expect(order.grant(of: SessionID(3)) == 4)
        try scene.configure(1, .ambient, .default, .duckOthers)
        order.update(to: scene.state)
        #expect((1...3).map { order.grant(of: SessionID($0)) } == [5, 2, 4])
        try scene.deactivate(2)
        order.update(to: scene.state)
        #expect(order.grant(of: SessionID(2)) == 2)
        try scene.do(.unregister(SessionID(2)))
        order.update(to: scene.state)
        #expect(order.grant(of: SessionID(2)) == 0 && order.pending(of: SessionID(1)) == nil)
    }
}
