internal import SessionArbiter
internal import SessionPolicy

/// Clients that return late from an arbiter that died, and clients that join because they found no
/// arbiter before (SRV-3).
extension ArbiterServer {
    /// Handles the request of a client that has arbitrated for itself, which precedes its sessions.
    func join(_ join: ClientMessage.Join, _ connection: Connection) throws(RequestError) {
        guard connection.sessions.isEmpty, connection.unrestoredSessions == 0, connection.lateRestoration == nil else {
            throw RequestError(
                .malformed, "A client joins before it registers or restores sessions; connect again to join.")
        }
        guard (0...settings.limits.sessionsPerApp).contains(join.restoring), join.application.id == connection.app
        else {
            throw RequestError(
                .limit,
                """
                \(join.application.id) cannot join with \(join.restoring) sessions: \(connection.app) can join with \
                at most \(settings.limits.sessionsPerApp). Release some, or raise limits.sessions-per-app in the \
                settings.
                """)
        }
        connection.lateRestoration = LateRestoration(join: join)
        connection.unrestoredSessions = join.restoring
        if join.restoring == 0 { concludeLateRestoration(connection) }
    }

    /// Stores a session until its client has sent all of its sessions.
    func collect(_ restored: Rebuilding.Restored, _ connection: Connection) {
        if connection.lateRestoration == nil {
            connection.lateRestoration = LateRestoration(deadline: Self.now + settings.rebuildLimit)
        }
        connection.lateRestoration?.restored.append(restored)
    }

    /// When the next late restoration is concluded although sessions are missing; nil if none is.
    var lateRestorationDeadline: Double? { connections.values.compactMap { $0.lateRestoration?.deadline }.min() }

    func concludeLateRestorations(at now: Double) {
        for connection in connections.values {
            if let deadline = connection.lateRestoration?.deadline, now >= deadline {
                concludeLateRestoration(connection)
            }
        }
    }

    /// Restores the sessions that a client has sent. They take part as if they had been restored in
    /// time, and sessions that were granted since take precedence over them. A client that this
    /// same arbiter disconnected has lost its grants (ACT-12). The sessions of a client that joins
    /// rank below all others.
    func concludeLateRestoration(_ connection: Connection) {
        guard let late = connection.lateRestoration else { return }
        connection.lateRestoration = nil
        guard let accepted = acceptable(late, connection) else { return }
        connection.yieldsToOthers = true
        var records = accepted.map(\.restoration.record)
        var notices: [SessionNotice] = []
        if connection.hello?.arbiter == number {
            for index in records.indices where records[index].loseGrant(at: ArbiterCore.now) {
                let effect = Effect(records[index].session.id, .deactivatedBySystem, .act12)
                notices.append(SessionNotice(decision: core.log.count, effect: effect))
            }
        }
        if let join = late.join { adoptApp(join, connection) }
        if !records.isEmpty { notices += core.rebuildAdding(records, late.join == nil ? .byNumber : .belowAll) }
        for restored in accepted { sendNewGate(restored) }
        // Rebuilding may have changed the grant numbers of all sessions, so all are reported again.
        for (id, owner) in owners { connections[owner]?.sessionsToReport.insert(id) }
        queueNotices(notices)
        if late.join != nil { applyStoredPermission(connection) }
        clientsToUpdate.formUnion(connections.keys)
        persistSystem()
        persistClientList()
    }

    /// Returns the sessions that may be restored, and refuses the others. Returns nil if none may:
    /// also if one session of a client that joins may not.
    private func acceptable(_ late: LateRestoration, _ connection: Connection) -> [Rebuilding.Restored]? {
        var accepted: [Rebuilding.Restored] = []
        var refused: [(serial: UInt64, error: RequestError)] = []
        for restored in late.restored {
            do throws(RequestError) {
                try permit(restoring: restored, after: accepted, connection)
                accepted.append(restored)
            } catch {
                refused.append((restored.serial, error))
            }
        }
        if let join = late.join, accepted.count < join.restoring {
            let error = RequestError(
                .malformed, "The sessions of a client that joins are restored together, and one of them was refused.")
            refused += accepted.map { ($0.serial, error) }
            accepted = []
            for (serial, error) in refused { send(.failure(serial, error), to: connection) }
            return nil
        }
        for (serial, error) in refused { send(.failure(serial, error), to: connection) }
        return accepted.isEmpty && late.join == nil ? nil : accepted
    }

    /// Throws unless the session may be restored in addition to others of its client.
    private func permit(
        restoring restored: Rebuilding.Restored, after others: [Rebuilding.Restored], _ connection: Connection
    ) throws(RequestError) {
        let session = restored.restoration.record.session
        guard core.state[session.id] == nil, !others.contains(where: { $0.restoration.record.session.id == session.id })
        else {
            throw RequestError(
                Refusal(
                    .expiredSession, .act12,
                    "\(session.id) cannot be restored: it has another owner. Create a new session."))
        }
        if session.app != .system {
            let ofApp = others.count { $0.restoration.record.session.app == session.app }
            try permit(registering: session.app, besides: ofApp, connection)
        }
        try reserveSession(besides: others.count)
    }

    /// Adopts what a client that joins knows of its app, and the overrides that it has made.
    private func adoptApp(_ join: ClientMessage.Join, _ connection: Connection) {
        let app = connection.app
        let actions: [PolicyAction] = [
            .setApplicationState(app, join.application.life),
            .setDeclaresBackgroundAudio(app, join.application.declaresBackgroundAudio),
            .setInputMuted(app, join.application.isInputMuted),
            .setRecordPermission(app, join.application.recordPermission),
        ]
        for action in actions { try? decide(action) }
        core.bufferSizeOverride = Self.combine(core.bufferSizeOverride, join.bufferSizeOverride)
        core.sampleRateOverride = Self.combine(core.sampleRateOverride, join.sampleRateOverride)
        persistOverrides()
    }

    /// Combines the override that the arbiter knows, which takes precedence, with one that a client
    /// has made, so that the server's own value is restored (HW-2).
    private static func combine<Override: HardwareOverride>(_ known: Override?, _ made: Override?) -> Override? {
        guard let made, made.isPossible else { return known }
        return known?.combined(with: made) ?? made
    }

    /// Applies the user's answer for the program of a client that has joined, if the user gave one:
    /// it takes precedence over the answer that the client brought (PERM-2).
    private func applyStoredPermission(_ connection: Connection) {
        guard let answer = storedPermission(of: connection.peer.program) else { return }
        try? decide(.setRecordPermission(connection.app, answer))
    }
}

extension SessionRecord {
    /// Makes the record inactive; returns whether it was not inactive before.
    fileprivate mutating func loseGrant(at time: EventTime) -> Bool {
        pending = nil
        if case .inactive = session.activity { return false }
        session.activity = .inactive(since: time)
        session.isRunning = false
        session.isInputRunning = false
        return true
    }
}
