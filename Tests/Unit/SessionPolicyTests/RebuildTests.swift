import PolicyExploration
import SessionPolicy
import Testing
import TestRandom

/// Rebuilding the state from the records that the clients hold (SRV-3).
@Suite struct RebuildTests {
    // SRV-3
    @Test(
        "SRV-3: records of one moment give its state, without notices, and numbers continue", arguments: 1...20
    )
    func oneMoment(_ number: UInt64) throws {
        var history = RandomHistory(seed: TestSeed.ofCase(number))
        for step in 0..<400 {
            history.step()
            var records = history.sessionRecords
            if step % 2 == 0 { records.reverse() }
            let rebuilt = history.policy.rebuild(history.systemRecord, records, at: history.now)
            let differing = rebuilt.state.fields(differingFrom: history.state)
            try #require(differing.isEmpty, "\(TestSeed.text), case \(number), step \(step): \(differing)")
            try #require(
                rebuilt.resolvedGrants == history.resolvedGrants && rebuilt.effects.isEmpty,
                "\(TestSeed.text), case \(number), step \(step): \(rebuilt.effects)")
            let order = GrantOrder(rebuilt.state, rebuiltFrom: history.systemRecord, records)
            for session in rebuilt.state.sessions {
                #expect(
                    order.grant(of: session.id) == history.order.grant(of: session.id)
                        && order.pending(of: session.id) == history.order.pending(of: session.id),
                    "\(TestSeed.text), case \(number), step \(step): \(session.id)")
            }
            if step % 50 == 49 { history.adopt(rebuilt, order) }
        }
    }

    @Test("SRV-3: a later arbiter changes nothing either")
    func later() throws {
        var history = RandomHistory(seed: TestSeed.current)
        for step in 0..<2_000 {
            history.step()
            let hour = EventTime(nanoseconds: history.clock + 3_600_000_000_000)
            let rebuilt = history.policy.rebuild(history.systemRecord, history.sessionRecords, at: hour)
            let differing = rebuilt.state.fields(differingFrom: history.state)
            try #require(
                differing.isEmpty && rebuilt.effects.isEmpty, "\(TestSeed.text), step \(step): \(differing)")
        }
    }

    @Test("SRV-3: records of different moments, lost and malformed ones keep every invariant", arguments: 0..<100)
    func mixtures(_ number: UInt64) throws {
        var history = RandomHistory(seed: TestSeed.ofCase(1_000 + number))
        var random = SeededGenerator(seed: TestSeed.ofCase(number))
        var pool: [SessionRecord] = []
        var systems: [SystemRecord] = []
        for step in 0..<100 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { history.step() }
            pool += history.sessionRecords
            systems.append(history.systemRecord)
            if pool.count > 60 { pool.removeFirst(pool.count - 60) }
            if systems.count > 4 { systems.removeFirst() }
            let mixture = MalformedRecords(&random, systems, pool, isMalformed: step % 2 == 1)
            let transition = history.policy.rebuild(mixture.system, mixture.sessions, at: history.now)
            let place = "\(TestSeed.text), case \(number), step \(step)"
            try check(transition, mixture, place)
            try goOn(from: transition, mixture, history.now, &random, place)
        }
    }

    /// Checks every invariant, that every wait has an end, and that sessions with a changed
    /// activity are notified.
    private func check(_ transition: Policy.Transition, _ mixture: MalformedRecords, _ place: String) throws {
        var before = PolicyState()
        let clients = mixture.sessions.filter { $0.session.app != .system && $0.session.rank == .app }
        let own = mixture.system.sessions.filter { $0.session.app == .system }
        for record in (own + clients).reversed() { before[record.session.id] = record.session }
        let broken = Invariants.broken(by: Observation(before: before, transition))
        try #require(broken.isEmpty, "\(place): \(broken)")
        try #require(
            Probes(policy: Policy.interruptingMicrophone).waitsEnd(in: transition.state),
            "\(place): a wait without an end")
        let held = Dictionary(
            (own + clients).map { ($0.session.id, $0.resolvedGrant) }, uniquingKeysWith: { first, _ in first })
        let notified = Set(transition.effects.map(\.session))
        for (session, resolvedGrant) in zip(transition.state.sessions, transition.resolvedGrants) {
            if let before = held[session.id], let before, before != resolvedGrant {
                try #require(notified.contains(session.id), "\(place): \(session.id) holds \(before)")
            }
        }
        for session in transition.state.sessions {
            guard let word = Self.word(from: before[session.id], to: session, transition.state) else { continue }
            let words = transition.effects.filter { $0.session == session.id }.map {
                "\($0.kind)".prefix { $0.isLetter }
            }
            // The wait for a session that is granted and no longer blocks lapses (CAT-3).
            let isNotified = words.contains { $0 == word || (word == "interruptionEnded" && $0 == "waitLapsed") }
            try #require(isNotified, "\(place): \(session.id) received \(words), not \(word)")
        }
        for session in transition.state.sessions where before[session.id] != session {
            try #require(notified.contains(session.id), "\(place): \(session.id) was not notified")
        }
        try #require(notified.allSatisfy { transition.state[$0] != nil }, "\(place): an unknown session is notified")
    }

    /// Returns the effect that notifies a session whose activity differs from its record; nil if
    /// there is none.
    private static func word(from before: SessionState?, to after: SessionState, _ state: PolicyState) -> String? {
        guard let before, before.isActive != after.isActive || (before.wait == nil) != (after.wait == nil) else {
            return nil
        }
        if after.isActive { return "activated" }
        if after.wait != nil { return "interruptionBegan" }
        if before.isActive { return "deactivatedBySystem" }
        // BG-3: a suspended session is not notified.
        return after.app != .system && state.app(after.app).life == .suspended ? nil : "interruptionEnded"
    }

    /// Checks that the state behaves like any other: further events keep the invariants, and its
    /// own records rebuild it.
    private func goOn(
        from transition: Policy.Transition, _ mixture: MalformedRecords, _ now: EventTime,
        _ random: inout SeededGenerator,
        _ place: String
    ) throws {
        var order = GrantOrder(transition.state, rebuiltFrom: mixture.system, mixture.sessions)
        var state = transition.state
        for step in 1...2 {
            let records = state.sessions.filter { $0.app != .system }.compactMap { state.record(of: $0.id, order) }
            let time = EventTime(nanoseconds: now.nanoseconds + UInt64(step))
            let again = Policy.interruptingMicrophone.rebuild(state.systemRecord(order), records, at: time)
            let differing = again.state.fields(differingFrom: state)
            try #require(differing.isEmpty, "\(place): not the same again after \(step - 1) events: \(differing)")
            let event = PolicyEvent(RandomWalk.anyAction(&random), at: time)
            guard let next = try? Policy.interruptingMicrophone.apply(event, to: state) else { continue }
            let broken = Invariants.broken(by: Observation(before: state, next))
            try #require(broken.isEmpty, "\(place): \(event.action): \(broken)")
            state = next.state
            order.update(to: state)
        }
    }
}

extension PolicyState {
    /// Returns the fields that differ, as the message of a failed test; empty exactly if the states
    /// are equal.
    fileprivate func fields(differingFrom other: PolicyState) -> [String] {
        guard self != other else { return [] }
        let sessions = zip(self.sessions, other.sessions).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
        let fields = zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children).filter {
            $0.label != "sessions" && "\($0.value)" != "\($1.value)"
        }
        return sessions + fields.map { "\($0.label ?? ""): \($0.value) instead of \($1.value)" }
    }
}
