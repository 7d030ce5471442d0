import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// Collects the values that observers receive.
private final class Record<Value: Sendable>: @unchecked Sendable {
    // Accessed only with the lock held.
    private let lock = NSLock()
    private var values: [Value] = []

    func append(_ value: Value) {
        lock.lock()
        defer { lock.unlock() }
        values.append(value)
    }

    var all: [Value] {
        lock.lock()
        defer { lock.unlock() }
        return values
    }
}

@Suite struct ArbiterTests {
    private let arbiter = InProcessArbiter()

    private func add(
        _ category: Category, _ options: CategoryOptions = [], app: UInt64 = 1,
        observer: @escaping @Sendable (SessionNotice) -> Void = { _ in }
    ) throws -> SessionRegistration {
        let session = try arbiter.register(app: AppID(app), observer: observer)
        try arbiter.submit(.configure(session.id, .category(category, options: options)))
        return session
    }

    @Test("INT-1: the gate is closed before the call returns and before any notice is delivered")
    func gateFirst() throws {
        let seen = Record<(kind: Effect.Kind, paused: Bool)>()
        let gates = Record<SessionGate>()
        let music = try add(.playback) { notice in
            guard let gate = gates.all.first else { return }
            seen.append((notice.effect.kind, gate.grant.isPaused))
        }
        gates.append(music.gate)
        try arbiter.submit(.activate(music.id))
        arbiter.drain()
        #expect(!music.gate.grant.isPaused)
        let call = try arbiter.beginSystemSession(rank: .call, isRinging: true)
        #expect(music.gate.grant.isPaused)
        arbiter.drain()
        let began = seen.all.filter { $0.kind == .interruptionBegan(.default) }
        #expect(began.map(\.paused) == [true])
        try arbiter.submit(.endSystemSession(call, shouldResume: true))
        arbiter.drain()
        #expect(seen.all.filter { $0.kind == .interruptionEnded(shouldResume: true) }.count == 1)
    }

    @Test("DUCK-3, DUCK-5: the page holds 14 dB in 1/256 dB with the attack, and exact unity with the release")
    func page() throws {
        let music = try add(.playback)
        let prompt = try add(.playback, .duckOthers)
        try arbiter.submit(.activate(music.id))
        try arbiter.submit(.activate(prompt.id))
        let ducked = sgate_page_grant(music.gate.page)
        #expect(ducked.attenuation == 14 * 256 && ducked.ramp_ms == 50 && !ducked.paused)
        try arbiter.submit(.deactivate(prompt.id, notifyOthers: true))
        let free = sgate_page_grant(music.gate.page)
        #expect(free.attenuation == 0 && free.ramp_ms == 500)
        let shut = sgate_page_grant(prompt.gate.page)
        #expect(shut.paused && shut.ramp_ms == 5)
    }

    @Test("Only pages whose grant changed are written, and serials increase by one")
    func serials() throws {
        let music = try add(.playback)
        let prompt = try add(.playback, .duckOthers, app: 2)
        let measuring = try arbiter.register(app: AppID(3)) { _ in }
        try arbiter.submit(.configure(measuring.id, .category(.playback, mode: .measurement, options: .mixWithOthers)))
        try arbiter.submit(.activate(music.id))
        try arbiter.submit(.activate(measuring.id))
        let before = (music.gate.serial, measuring.gate.serial)
        try arbiter.submit(.activate(prompt.id))
        #expect(music.gate.serial == before.0 + 1)
        #expect(measuring.gate.serial == before.1)
        try arbiter.submit(.activate(prompt.id))
        try arbiter.submit(.setSilentSwitch(true))
        #expect(music.gate.serial == before.0 + 1)
        try arbiter.submit(.appDied(AppID(2)))
        #expect(music.gate.serial == before.0 + 2)
        #expect(prompt.gate.grant.isPaused, "the page of a session that is gone is shut (ACT-12)")
    }

    @Test("VOL-1: the system volume is written to every page")
    func volume() throws {
        let gates = try [add(.playback), add(.ambient)].map(\.gate)
        try arbiter.submit(.setVolume(0.5))
        for gate in gates {
            #expect(sgate_page_volume(gate.page).gain == 0.5)
            #expect(sgate_page_volume(gate.page).ramp_ms == 20)
        }
        #expect(throws: ArbiterError.self) { try arbiter.submit(.setVolume(2)) }
        #expect(gates[0].volume == 0.5)
    }

    @Test("ACT-1, ACT-13, OPT-3: a refusal is thrown and logged, and writes no page")
    func refusal() throws {
        let music = try add(.playback)
        try arbiter.submit(.activate(music.id))
        let (state, serial) = (arbiter.state, music.gate.serial)
        let error = #expect(throws: ArbiterError.self) {
            try arbiter.submit(.configure(music.id, .category(.playback, options: .defaultToSpeaker)))
        }
        guard case .refused(let refusal) = error else { throw try #require(error) }
        #expect(refusal.rule == .opt3)
        #expect(arbiter.state == state && music.gate.serial == serial)
        #expect(arbiter.decisions.last?.outcome == .refused(refusal))
    }

    @Test("ACT-13: the log is bounded and without gaps, and explains the state of a session")
    func log() throws {
        var settings = ArbiterSettings()
        settings.logCapacity = 8
        let arbiter = InProcessArbiter(settings: settings)
        let music = try arbiter.register(app: AppID(1)) { _ in }
        for _ in 0..<20 {
            try arbiter.submit(.activate(music.id))
            try arbiter.submit(.deactivate(music.id, notifyOthers: false))
        }
        #expect(arbiter.decisions.map(\.number) == Array(34...41))
        try arbiter.submit(.activate(music.id))
        let call = try arbiter.beginSystemSession(rank: .call, isRinging: false)
        #expect(arbiter.explain(music.id) == ["\(music.id) is interrupted by ACT-4 because of \(call)"])
        let reason = try #require(arbiter.status(of: music.id)?.resolvedGrant.reasons.first)
        #expect(reason.since == arbiter.decisions.last?.event.time)
    }

    @Test(
        "ACT-11, ACT-13: 8 threads: all observers see the log's order, pages match the state, the log replays"
    )
    func hammer() throws {
        var settings = ArbiterSettings()
        settings.logCapacity = 100_000
        let arbiter = InProcessArbiter(settings: settings)
        let notified = Record<SessionNotice>()
        let own = (0..<8).map { _ in Record<SessionNotice>() }
        let sessions = try (0..<8).map { index in
            let record = own[index]
            return try arbiter.register(app: AppID(UInt64(index))) {
                notified.append($0)
                record.append($0)
            }
        }
        onEightThreads { index in
            let (id, gate) = (sessions[index].id, sessions[index].gate)
            var serial = gate.serial
            let options: [CategoryOptions] = [[], .mixWithOthers, .duckOthers]
            for step in 0..<150 {
                try? arbiter.submit(.configure(id, .category(.playback, options: options[(step + index) % 3])))
                try? arbiter.submit(.activate(id))
                if index == 0, step % 10 == 0, let call = try? arbiter.beginSystemSession(rank: .call, isRinging: true)
                {
                    try? arbiter.submit(.endSystemSession(call, shouldResume: true))
                }
                try? arbiter.submit(.deactivate(id, notifyOthers: step % 2 == 0))
                let now = gate.serial
                #expect(now >= serial, "serials are monotone")
                serial = now
            }
        }
        arbiter.drain()

        let known = Set(sessions.map(\.id))
        var logged: [SessionNotice] = []
        for decision in arbiter.decisions {
            guard case .granted(let effects) = decision.outcome else { continue }
            logged += effects.filter { known.contains($0.session) }
                .map { SessionNotice(decision: decision.number, effect: $0) }
        }
        #expect(notified.all == logged)
        for (session, record) in zip(sessions, own) {
            #expect(record.all == logged.filter { $0.effect.session == session.id })
        }
        for session in sessions {
            let status = try #require(arbiter.status(of: session.id))
            #expect(session.gate.grant == status.resolvedGrant.grant)
        }
        try expectReplay(arbiter)
    }

    /// Starts eight new threads: a queue would provide only as many as there are cores.
    private func onEightThreads(_ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for index in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                body(index)
                group.leave()
            }
        }
        group.wait()
    }

    private func expectReplay(_ arbiter: InProcessArbiter) throws {
        let policy = Policy()
        var state = PolicyState()
        for decision in arbiter.decisions {
            switch decision.outcome {
            case .granted(let effects):
                let transition = try policy.apply(decision.event, to: state)
                #expect(transition.effects == effects)
                state = transition.state
            case .refused(let refusal):
                #expect(throws: refusal) { try policy.apply(decision.event, to: state) }
            }
        }
        #expect(state == arbiter.state)
    }

    @Test("ACT-12: a session that is gone receives nothing more, and releases the sessions it interrupted")
    func gone() throws {
        let notified = Record<Effect.Kind>()
        let music = try add(.playback)
        let interrupter = try add(.playback) { notified.append($0.effect.kind) }
        try arbiter.submit(.activate(music.id))
        try arbiter.submit(.activate(interrupter.id))
        try arbiter.submit(.unregister(interrupter.id))
        arbiter.drain()
        let count = notified.all.count
        try arbiter.submit(.setVolume(0.1))
        arbiter.drain()
        #expect(notified.all.count == count)
        #expect(arbiter.status(of: interrupter.id) == nil)
        #expect(arbiter.status(of: music.id)?.session.wait == nil)
    }

    @Test("Protocol values survive JSON coding, for an arbiter in another process")
    func codable() throws {
        let music = try add(.playback, .duckOthers)
        try arbiter.submit(.activate(music.id))
        let status = try #require(arbiter.status(of: music.id))
        let decisions = arbiter.decisions
        #expect(try JSONDecoder().decode(SessionStatus.self, from: JSONEncoder().encode(status)) == status)
        #expect(try JSONDecoder().decode([Decision].self, from: JSONEncoder().encode(decisions)) == decisions)
    }
}
