internal import Foundation
internal import SessionPolicy

/// While the clients of an arbiter that died come back (SRV-3).
struct Rebuilding {
    /// When the state is rebuilt, whoever is missing; in seconds.
    let deadline: Double
    /// Clients of that arbiter that live and have not restored all of theirs; a process stands here once for each connection that had sessions.
    var expected: [ClientMark]
    /// How many sessions a client is still to restore.
    var missing: [UInt64: Int] = [:]
    var restored: [Restored] = []
    let system: SystemRecord

    /// A session that a client has restored, and the request that awaits its reply.
    struct Restored {
        var connection: UInt64
        var serial: UInt64
        var restoration: ClientMessage.Restoration
    }

    var isComplete: Bool { expected.isEmpty && missing.values.allSatisfy { $0 <= 0 } }
}

extension ArbiterServer {
    /// How far beyond the numbers that are known a restored session's may lie, where the state file was lost.
    private static let numberSlack: UInt64 = 1_000_000

    /// Goes on with what an arbiter before this one left. Until its clients have come back nobody's verdict is loosened: they keep theirs.
    func begin() {
        let (left, warning) = stateFile?.read() ?? (nil, nil)
        if let warning { report(warning) }
        guard let left else { return beginAnew() }
        // Numbers go on growing from there, whatever a file says.
        let reserved = min(left.reservedSessions, UInt64.max / 2)
        tower.lastNumber = reserved
        persisted.reservedSessions = reserved
        persisted.system = left.system
        persisted.loan = left.loan
        tower.loan = left.loan
        persisted.rateLoan = left.rateLoan
        tower.rateLoan = left.rateLoan
        let living = left.hasEnded ? [] : left.clients.filter(\.isAlive)
        guard !living.isEmpty else {
            _ = tower.rebuild(left.system, [])
            persistSystem()
            return persist()
        }
        persisted.clients = left.clients
        rebuilding = Rebuilding(
            deadline: Self.now + settings.rebuildLimit, expected: living, system: left.system)
        report("The arbiter before this one ended with \(living.count) clients; waiting for them.")
    }

    private func beginAnew() {
        if settings.volume != 1 { try? decide(.setVolume(settings.volume)) }
        if settings.ringVolume != 1 { try? decide(.setRingVolume(settings.ringVolume)) }
        persistSystem()
    }

    /// A client has said how many sessions it will restore.
    func expect(_ connection: Connection) {
        guard rebuilding != nil, let hello = connection.hello else { return }
        // Who is expected had sessions. One without is another connection of its process, or has given them up: that costs a short wait.
        if hello.restoring > 0 { rebuilding?.missing[connection.number] = hello.restoring }
    }

    private func noteComplete(_ connection: Connection) {
        guard var present = rebuilding else { return }
        present.missing[connection.number] = nil
        if let place = present.expected.firstIndex(where: { $0.process == connection.peer.process }) {
            present.expected.remove(at: place)
        }
        rebuilding = present
    }

    func restore(
        _ restoration: ClientMessage.Restoration, _ serial: UInt64, _ connection: Connection
    ) throws(RequestError) {
        let session = restoration.record.session
        let isOwn = session.app == connection.app && session.rank == .app && restoration.record.app.id == connection.app
        guard isOwn || connection.peer.isTrusted else {
            throw RequestError(
                .notPermitted,
                "\(session.id) was to be restored, but it is no app session of process \(connection.peer.process).")
        }
        guard session.id.rawValue > 0, session.id.rawValue <= tower.lastNumber + Self.numberSlack else {
            throw RequestError(.malformed, "\(session.id) was to be restored; no arbiter has given that number.")
        }
        guard connection.toRestore > 0 else {
            throw RequestError(.malformed, "\(session.id) was to be restored, but hello announced fewer sessions.")
        }
        connection.toRestore -= 1
        var restoration = restoration
        // No arbiter has given a higher one.
        let highest = rebuilding?.system.reservedGrants ?? tower.state.systemRecord(tower.grants).reservedGrants
        if highest > 0 { restoration.record.grant = min(restoration.record.grant, highest) }
        // A server of which nothing is left: what it has is told by the client next, as news that are none.
        let devices = rebuilding?.system.devices ?? tower.state.devices
        if let server = restoration.record.app.server, !devices.contains(where: { $0.server == server }) {
            restoration.record.app.server = nil
        }
        let one = Rebuilding.Restored(connection: connection.number, serial: serial, restoration: restoration)
        guard rebuilding != nil else { return try restoreLate(one, connection) }
        let left = connection.toRestore + 1
        rebuilding?.missing[connection.number] = left - 1
        rebuilding?.restored.append(one)
        if left == 1 { noteComplete(connection) }
    }

    /// Rebuilds the state when all are there, or the time is over.
    func concludeRebuilding(at now: Double) {
        guard let done = rebuilding, done.isComplete || now >= done.deadline else { return }
        rebuilding = nil
        if !done.expected.isEmpty { report("\(done.expected.count) clients did not come back in time.") }
        let notices = tower.rebuild(done.system, done.restored.map(\.restoration.record))
        let kept = Set(done.system.sessions.map(\.session.id))
        for one in done.restored { handOver(one, keeping: kept) }
        spread(notices)
        stale.formUnion(connections.keys)
        persistSystem()
        persistClients()
        for connection in connections.values where connection.hello != nil { takeOn(connection) }
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            let held = connection.held
            connection.held = []
            for message in held where !connection.isOver { answer(message, to: connection) }
        }
    }

    /// Sends a restored session its new gate, which begins with the words of the old one and then says what holds now.
    /// What is the arbiter's own, those `kept`, is nobody's.
    private func handOver(_ one: Rebuilding.Restored, keeping kept: Set<SessionID> = []) {
        guard let connection = connections[one.connection] else { return }
        let claimed = one.restoration.record.session
        let id = claimed.id
        guard let session = tower.state[id], owners[id] == nil, !kept.contains(id), session.app == claimed.app,
            session.rank == claimed.rank
        else {
            let error = RequestError(
                Refusal(.expiredSession, .act12, "\(id) could not be restored; make a new session."))
            return send(.failure(one.serial, error), to: connection)
        }
        do throws(RequestError) {
            let (gate, descriptor) = try makeGate()
            gate.write(one.restoration.gate)
            owners[id] = connection.number
            if tower.state[id]?.rank == .app {
                connection.sessions.insert(id)
                tower.attach(gate, to: id)
            } else {
                connection.systemSessions.insert(id)
            }
            connection.staleSessions.insert(id)
            var reply = Reply()
            reply.session = id
            send(.reply(one.serial, reply), to: connection, descriptor: descriptor)
        } catch {
            try? decide(.unregister(id))
            send(.failure(one.serial, error), to: connection)
        }
    }

    /// A session that comes when the state has been rebuilt: it takes part as if it had come in time, and those granted since go before it. Who was
    /// cut off by this very arbiter has lost its grant (ACT-12).
    private func restoreLate(_ one: Rebuilding.Restored, _ connection: Connection) throws(RequestError) {
        var record = one.restoration.record
        let id = record.session.id
        guard tower.state[id] == nil else {
            throw RequestError(
                Refusal(
                    .expiredSession, .act12, "\(id) was to be restored, but it has another owner; make a new session."))
        }
        try permit(registering: record.session.app, connection)
        try reserveSession()
        connection.turnIsOver = true
        var notices: [SessionNotice] = []
        let wasCutOff = connection.hello?.arbiter == number
        if wasCutOff, record.loseGrant(at: ControlTower.now) {
            notices.append(SessionNotice(decision: tower.log.count, effect: Effect(id, .deactivatedBySystem, .act12)))
        }
        notices += tower.rebuildAdding(record)
        handOver(one)
        // Whatever was told of a session before, its number of grant may be another.
        for (id, owner) in owners { connections[owner]?.staleSessions.insert(id) }
        spread(notices)
        stale.formUnion(connections.keys)
        persistSystem()
        persistClients()
    }
}

extension SessionRecord {
    /// Makes it inactive; returns whether it was not.
    fileprivate mutating func loseGrant(at time: EventTime) -> Bool {
        pending = nil
        if case .inactive = session.activity { return false }
        session.activity = .inactive(since: time)
        session.isRunning = false
        session.isInputRunning = false
        return true
    }
}
