import PolicyExploration
import SessionPolicy
import Testing
import TestRandom

/// A state made of what the clients hold (SRV-3).
@Suite struct RebuildTests {
    // SRV-3
    @Test(
        "SRV-3: records of one moment give the state of that moment, tell nothing, and numbers go on", arguments: 1...20
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
                rebuilt.standings == history.standings && rebuilt.effects.isEmpty,
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

    @Test("SRV-3: records of different moments, lost and spoiled ones keep every invariant", arguments: 0..<100)
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
            let mixture = SpoiledRecords(&random, systems, pool, isSpoiled: step % 2 == 1)
            let transition = history.policy.rebuild(mixture.system, mixture.sessions, at: history.now)
            let place = "\(TestSeed.text), case \(number), step \(step)"
            try check(transition, mixture, place)
            try goOn(from: transition, mixture, history.now, &random, place)
        }
    }

    /// Every invariant, everyone's wait ends, and whose activity is another one is told.
    private func check(_ transition: Policy.Transition, _ mixture: SpoiledRecords, _ place: String) throws {
        var before = PolicyState()
        let clients = mixture.sessions.filter { $0.session.app != .system && $0.session.rank == .app }
        let own = mixture.system.sessions.filter { $0.session.app == .system }
        for record in (own + clients).reversed() { before[record.session.id] = record.session }
        let broken = Invariants.broken(by: Observation(before: before, transition))
        try #require(broken.isEmpty, "\(place): \(broken)")
        try #require(Probes(policy: Policy()).waitsEnd(in: transition.state), "\(place): a wait without an end")
        let held = Dictionary(
            (own + clients).map { ($0.session.id, $0.standing) }, uniquingKeysWith: { first, _ in first })
        let told = Set(transition.effects.map(\.session))
        for (session, standing) in zip(transition.state.sessions, transition.standings) {
            if let before = held[session.id], let before, before != standing {
                try #require(told.contains(session.id), "\(place): \(session.id) holds \(before)")
            }
        }
        for session in transition.state.sessions {
            guard let word = Self.word(from: before[session.id], to: session, transition.state) else { continue }
            let words = transition.effects.filter { $0.session == session.id }.map {
                "\($0.kind)".prefix { $0.isLetter }
            }
            // A wait for who is granted now, and is not in the way, lapses (CAT-3).
            let isTold = words.contains { $0 == word || (word == "interruptionEnded" && $0 == "waitLapsed") }
            try #require(isTold, "\(place): \(session.id) was told \(words), not \(word)")
        }
        for session in transition.state.sessions where before[session.id] != session {
            try #require(told.contains(session.id), "\(place): \(session.id) was not told")
        }
        try #require(told.allSatisfy { transition.state[$0] != nil }, "\(place): one is told who is not there")
    }

    /// What a session is told whose activity is another one than its record says; nil when it is told nothing of it.
    private static func word(from before: SessionState?, to after: SessionState, _ state: PolicyState) -> String? {
        guard let before, before.isActive != after.isActive || (before.wait == nil) != (after.wait == nil) else {
            return nil
        }
        if after.isActive { return "activated" }
        if after.wait != nil { return "interruptionBegan" }
        if before.isActive { return "deactivatedBySystem" }
        // BG-3: who is suspended is told nothing.
        return after.app != .system && state.app(after.app).life == .suspended ? nil : "interruptionEnded"
    }

    /// The state is one like others: events on it keep the invariants, and its own records give it again.
    private func goOn(
        from transition: Policy.Transition, _ mixture: SpoiledRecords, _ now: EventTime,
        _ random: inout SeededGenerator,
        _ place: String
    ) throws {
        var order = GrantOrder(transition.state, rebuiltFrom: mixture.system, mixture.sessions)
        var state = transition.state
        for step in 1...2 {
            let records = state.sessions.filter { $0.app != .system }.compactMap { state.record(of: $0.id, order) }
            let time = EventTime(nanoseconds: now.nanoseconds + UInt64(step))
            let again = Policy().rebuild(state.systemRecord(order), records, at: time)
            let differing = again.state.fields(differingFrom: state)
            try #require(differing.isEmpty, "\(place): not the same again after \(step - 1) events: \(differing)")
            let event = PolicyEvent(RandomWalk.anyAction(&random), at: time)
            guard let next = try? Policy().apply(event, to: state) else { continue }
            let broken = Invariants.broken(by: Observation(before: state, next))
            try #require(broken.isEmpty, "\(place): \(event.action): \(broken)")
            state = next.state
            order.follow(state)
        }
    }
}

extension PolicyState {
    /// What is not the same, field by field, as the message of a failed test; empty if and only if the states are equal.
    fileprivate func fields(differingFrom other: PolicyState) -> [String] {
        guard self != other else { return [] }
        let sessions = zip(self.sessions, other.sessions).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
        let fields = zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children).filter {
            $0.label != "sessions" && "\($0.value)" != "\($1.value)"
        }
        return sessions + fields.map { "\($0.label ?? ""): \($0.value) instead of \($1.value)" }
    }
}
