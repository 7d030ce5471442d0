import SessionPolicy
import Testing

/// The order of grants when a process that has arbitrated for itself joins (SRV-3).
@Suite struct JoiningRankTests {
    private let policy = Policy()

    /// Returns an active session of an app, or one with a pending activation.
    private func record(
        _ id: UInt64, of app: UInt64, grant: UInt64, pending: UInt64? = nil, _ options: CategoryOptions = [],
        mode: Mode = .default
    ) -> SessionRecord {
        var session = SessionState(id: SessionID(id), app: AppID(app))
        session.configuration = Configuration(category: .playback, mode: mode, requestedOptions: options)
        session.routedCategory = .playback
        if pending == nil { session.activity = .active(since: EventTime(nanoseconds: grant)) }
        return SessionRecord(session: session, grantNumber: grant, pending: pending, app: AppState(id: session.app))
    }

    private func join(_ added: [SessionRecord], _ known: [SessionRecord]) -> Policy.Transition {
        var (added, known, system) = (added, known, SystemRecord())
        system.reservedGrants = 100
        added.rankBelow(&known, &system)
        return policy.rebuild(system, added + known, at: EventTime(nanoseconds: 1_000))
    }

    @Test("SRV-3, ACT-2: a session that joins waits for one that the arbiter granted, whatever their numbers")
    func belowKnown() {
        let joined = join([record(20, of: 2, grant: 900)], [record(1, of: 1, grant: 1)])
        #expect(joined.state.activeOrder == [SessionID(1)])
        #expect(joined.state[SessionID(20)]?.wait?.interrupter == SessionID(1))
    }

    @Test("SRV-3, DUCK-4: sessions that join keep their order among themselves, and come before all known ones")
    func ownOrder() {
        // The spoken audio started after the prompt, so the prompt does not interrupt it.
        let prompt = record(21, of: 2, grant: 5, .interruptSpokenAudioAndMixWithOthers)
        let speech = record(20, of: 2, grant: 6, .mixWithOthers, mode: .spokenAudio)
        let joined = join([speech, prompt], [record(1, of: 1, grant: 1)])
        #expect(joined.state.activeOrder == [21, 20, 1].map { SessionID($0) })
    }

    @Test("SRV-3, ACT-14: pending activations that join come after all known ones, in their own order")
    func pending() {
        let known = [record(1, of: 1, grant: 1), record(2, of: 1, grant: 0, pending: 50)]
        let joined = join([record(21, of: 2, grant: 0, pending: 3), record(20, of: 2, grant: 0, pending: 4)], known)
        #expect(joined.state.pendingActivations == [2, 21, 20].map { SessionID($0) })
    }
}
