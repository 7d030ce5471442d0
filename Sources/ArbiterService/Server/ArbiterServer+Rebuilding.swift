internal import Platform
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Clients of an arbiter that died, which reconnect and restore their sessions (SRV-3).
extension ArbiterServer {
    /// How far the number of a restored session may exceed the known numbers, if the state file was
    /// lost.
    private static let numberSlack: UInt64 = 1_000_000

    /// Continues from the state that the previous arbiter left. If that arbiter had clients that
    /// are still alive, first waits for them to restore their sessions. Until then no gate changes,
    /// so that each session keeps its last grant.
    func begin() {
        let (left, warning) = stateFile?.read() ?? (nil, nil)
        if let warning { report(warning) }
        guard var left else { return beginWithDefaults() }
        let dropped = left.dropImpossibleValues()
        if dropped > 0 { report("\(dropped) values of the state file that no arbiter writes were dropped.") }
        core.lastSessionNumber = left.reservedSessions
        persisted.reservedSessions = left.reservedSessions
        persisted.system = left.system
        persisted.bufferSizeOverride = left.bufferSizeOverride
        core.bufferSizeOverride = left.bufferSizeOverride
        persisted.sampleRateOverride = left.sampleRateOverride
        core.sampleRateOverride = left.sampleRateOverride
        let living = left.hasEnded ? [] : left.clients.filter(\.isAlive)
        guard !living.isEmpty else {
            _ = core.rebuild(left.system, [])
            persistSystem()
            return persist()
        }
        persisted.clients = left.clients
        rebuilding = Rebuilding(
            deadline: Self.now + settings.rebuildLimit, expected: living, system: left.system)
        report("The previous arbiter ended with \(living.count) clients; waiting for them to reconnect.")
    }

    /// Sets the volumes of the settings, since no earlier state contains others.
    private func beginWithDefaults() {
        if settings.volume != 1 { try? decide(.setVolume(settings.volume)) }
        if settings.ringVolume != 1 { try? decide(.setRingVolume(settings.ringVolume)) }
        persistSystem()
    }

    /// Records how many sessions a client will restore.
    func expect(_ connection: Connection) {
        guard rebuilding != nil, let hello = connection.hello else { return }
        // A client that announces no sessions does not complete its process: it may be another
        // connection of that process. If the process has released its sessions, the wait lasts
        // until the deadline.
        if hello.restoring > 0 { rebuilding?.missing[connection.number] = hello.restoring }
    }

    /// Records that a client has restored all sessions that it announced.
    private func recordComplete(_ connection: Connection) {
        guard var remaining = rebuilding else { return }
        remaining.missing[connection.number] = nil
        if let index = remaining.expected.firstIndex(where: { $0.process == connection.peer.process }) {
            remaining.expected.remove(at: index)
        }
        rebuilding = remaining
    }

    /// Handles a client's request to restore a session. Stores it: while the state is being
    /// rebuilt, until all clients have sent theirs, and otherwise until this client has.
    func restore(
        _ restoration: ClientMessage.Restoration, _ serial: UInt64, _ connection: Connection
    ) throws(RequestError) {
        let isAnnounced = connection.unrestoredSessions > 0
        if isAnnounced { connection.unrestoredSessions -= 1 }
        // A session that is refused here also counts as sent.
        defer { if isAnnounced, connection.unrestoredSessions == 0 { concludeLateRestoration(connection) } }
        let session = restoration.record.session
        let isOwn = session.app == connection.app && session.rank == .app && restoration.record.app.id == connection.app
        guard isOwn || connection.peer.isTrusted else {
            throw RequestError(
                .notPermitted,
                "\(session.id) cannot be restored: it is not an app session of process \(connection.peer.process).")
        }
        let isAssigned = session.id.isAssigned && session.id.rawValue <= core.lastSessionNumber + Self.numberSlack
        guard isAssigned || SessionID.own(ofProcess: connection.peer.process).contains(session.id.rawValue) else {
            throw RequestError(.malformed, "\(session.id) cannot be restored: no arbiter has assigned that number.")
        }
        guard isAnnounced else {
            throw RequestError(.malformed, "\(session.id) cannot be restored: hello announced fewer sessions.")
        }
        var restoration = restoration
        // Limits the grant number: no arbiter has assigned a higher one.
        let highest = rebuilding?.system.reservedGrants ?? core.state.systemRecord(core.grants).reservedGrants
        if highest > 0 { restoration.record.grantNumber = min(restoration.record.grantNumber, highest) }
        // The devices of this server are not known any longer. The client reports them next, and
        // that first report causes no route change.
        let devices = rebuilding?.system.devices ?? core.state.devices
        if let server = restoration.record.app.server, !devices.contains(where: { $0.server == server }) {
            restoration.record.app.server = nil
        }
        let restored = Rebuilding.Restored(connection: connection.number, serial: serial, restoration: restoration)
        guard rebuilding != nil else { return collect(restored, connection) }
        rebuilding?.missing[connection.number] = connection.unrestoredSessions
        rebuilding?.restored.append(restored)
        if connection.unrestoredSessions == 0 { recordComplete(connection) }
    }

    /// Rebuilds the state when all clients have restored their sessions, or the deadline has
    /// passed. Then replies to the restored sessions with their gates, and answers the requests
    /// that were held.
    func concludeRebuilding(at now: Double) {
        guard let finished = rebuilding, finished.isComplete || now >= finished.deadline else { return }
        rebuilding = nil
        if !finished.expected.isEmpty { report("\(finished.expected.count) clients did not reconnect in time.") }
        let notices = core.rebuild(finished.system, finished.restored.map(\.restoration.record))
        let kept = Set(finished.system.sessions.map(\.session.id))
        for restored in finished.restored { sendNewGate(restored, keeping: kept) }
        queueNotices(notices)
        clientsToUpdate.formUnion(connections.keys)
        persistSystem()
        persistClientList()
        for connection in connections.values where connection.hello != nil { applyKnownAppState(connection) }
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            let held = connection.held
            connection.held = []
            for message in held where !connection.hasEnded { answer(message, to: connection) }
        }
    }

    /// Replies to a restored session with its new gate. The gate first contains the words of the
    /// old one and then the current values, so that the change is a ramp. Refuses a session that
    /// was not restored, that another client owns, or that is in `kept` and thus belongs to the
    /// arbiter.
    func sendNewGate(_ restored: Rebuilding.Restored, keeping kept: Set<SessionID> = []) {
        guard let connection = connections[restored.connection] else { return }
        let claimed = restored.restoration.record.session
        let id = claimed.id
        guard let session = core.state[id], owners[id] == nil, !kept.contains(id), session.app == claimed.app,
            session.rank == claimed.rank
        else {
            let error = RequestError(
                Refusal(.expiredSession, .act12, "\(id) could not be restored; create a new session."))
            return send(.failure(restored.serial, error), to: connection)
        }
        do throws(RequestError) {
            let (gate, descriptor) = try makeGate()
            gate.write(restored.restoration.gate)
            owners[id] = connection.number
            if core.state[id]?.rank == .app {
                connection.sessions.insert(id)
                core.attach(gate, to: id)
            } else {
                connection.systemSessions.insert(id)
            }
            connection.sessionsToReport.insert(id)
            var reply = Reply()
            reply.session = id
            send(.reply(restored.serial, reply), to: connection, descriptor: descriptor)
        } catch {
            try? decide(.unregister(id))
            send(.failure(restored.serial, error), to: connection)
        }
    }
}
