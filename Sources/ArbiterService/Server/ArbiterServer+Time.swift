internal import SessionArbiter
internal import SessionPolicy

/// What the server does at a time rather than at a message: pings, and the end without clients.
extension ArbiterServer {
    /// Milliseconds until the next timed action, if no client sends anything.
    var timeout: Int32 {
        if hasClientsToUpdate { return 0 }
        var due = [Double]()
        if mayHaveToPing { due.append(nextPing) }
        if let rebuilding { due.append(rebuilding.deadline) }
        if let lateRestorationDeadline { due.append(lateRestorationDeadline) }
        if let idleSince, mayBecomeIdle { due.append(idleSince + settings.idleExit) }
        if let listenAgainAt { due.append(listenAgainAt) }
        if let release = core.idleReleaseDue { due.append(Double(release.nanoseconds) / 1e9) }
        if let checkSocketAt { due.append(checkSocketAt) }
        if let mediaControlDue { due.append(mediaControlDue) }
        guard let first = due.min() else { return -1 }
        return Int32(clamping: Int(max(0, (first - Self.now) * 1_000).rounded(.up)))
    }

    private var mayBecomeIdle: Bool { settings.idleExit > 0 && rebuilding == nil && core.state.sessions.isEmpty }

    func isIdle(at now: Double) -> Bool {
        guard let idleSince, mayBecomeIdle else { return false }
        return now - idleSince >= settings.idleExit
    }

    /// Disconnects clients that have not answered a ping for `settings.leaseLimit` seconds, and
    /// pings those that owe no answer (ACT-12), except idle ones. Does nothing until the next ping
    /// is due.
    func pingClients(at now: Double) {
        guard mayHaveToPing, now >= nextPing else { return }
        // This process itself was delayed, so answers may still be unread: measure their time from
        // now.
        if now - nextPing > settings.pingInterval {
            for connection in connections.values { connection.ping?.since = now }
        }
        nextPing = now + settings.pingInterval
        pings += 1
        mayHaveToPing = false
        let awaited = Set(core.state.sessions.compactMap { $0.wait?.interrupter })
        for connection in connections.values {
            if let ping = connection.ping {
                mayHaveToPing = true
                guard now - ping.since >= settings.leaseLimit else { continue }
                report(
                    "\(connection.peer.program) (\(connection.peer.process)) has not answered for \(now - ping.since) s."
                )
                connection.hasEnded = true
            } else if connection.hello == nil {
                // A client that connects and sends nothing has the same time limit as one that does
                // not answer.
                mayHaveToPing = true
                connection.ping = (0, now)
            } else if connection.hasNewMessages || affectsOthers(connection, awaited: awaited) {
                mayHaveToPing = true
                connection.ping = (pings, now)
                send(.ping(pings), to: connection)
                connection.hasNewMessages = false
            }
        }
    }

    /// Has all clients pinged, so that those that hang are found although they are idle.
    func pingIdleClients() {
        for connection in connections.values { connection.hasNewMessages = true }
        mayHaveToPing = true
    }

    /// Whether other clients would notice that the client hangs, although it is sent nothing: it
    /// has an active session, one that will be, or one for which another session waits, also while
    /// it is to resume or is interrupted itself (ACT-8); a call; or the devices of a server.
    private func affectsOthers(_ connection: Connection, awaited: Set<SessionID>) -> Bool {
        let apps = connection.sessions.compactMap { core.state[$0]?.app }
        return !connection.systemSessions.isEmpty
            || ([connection.app] + apps).contains { core.state.app($0).server != nil }
            || connection.sessions.contains { id in
                core.state[id]?.isActive == true || core.state.pendingActivations.contains(id) || awaited.contains(id)
            }
    }
}
