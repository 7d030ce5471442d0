internal import SessionArbiter
internal import SessionPolicy

/// What the server does at a time rather than at a message: pings, and the end without clients.
extension ArbiterServer {
    /// Milliseconds until the next timed action, if no client sends anything.
    var timeout: Int32 {
        if hasClientsToUpdate { return 0 }
        var due = [Double]()
        if !connections.isEmpty { due.append(nextPing) }
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
    /// pings those that owe no answer (ACT-12). Does nothing until the next ping is due.
    func pingClients(at now: Double) {
        guard now >= nextPing else { return }
        // This process itself was delayed, so answers may still be unread: measure their time from
        // now.
        if now - nextPing > settings.pingInterval {
            for connection in connections.values { connection.ping?.since = now }
        }
        nextPing = now + settings.pingInterval
        pings += 1
        for connection in connections.values {
            if let ping = connection.ping {
                guard now - ping.since >= settings.leaseLimit else { continue }
                report(
                    "\(connection.peer.program) (\(connection.peer.process)) has not answered for \(now - ping.since) s."
                )
                connection.hasEnded = true
            } else if connection.hello != nil {
                connection.ping = (pings, now)
                send(.ping(pings), to: connection)
            } else {
                // A client that connects and sends nothing has the same time limit as one that does
                // not answer.
                connection.ping = (0, now)
            }
        }
    }
}
