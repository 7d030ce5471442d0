internal import Dispatch
internal import Foundation
internal import Platform
internal import SessionPolicy

/// The connection to the current arbiter. If the connection is lost, the link finds or starts the
/// next arbiter and restores this client's sessions there (SRV-3).
final class ArbiterLink: Sendable {
    private struct State {
        var connection: ArbiterConnection?
        /// The number of connections so far, including those that failed.
        var number = 0
        var waiting: [Promise<Void>] = []
        var isReconnecting = false
        var isClosed = false
    }
    private let state = Mutex(State())
    private let launch: ArbiterLaunch
    private let mirror: ArbiterMirror
    /// Reports each connection after the first one.
    let reconnections = Broadcaster<Void>()
    /// Signalled when the link is closed; ends the pause between two attempts.
    private let closing = DispatchSemaphore(value: 0)

    /// Seconds between two attempts.
    private static let (shortestPause, longestPause) = (0.01, 1.0)
    /// Seconds within which an arbiter replies to a client that restores sessions: it waits for
    /// other clients first.
    private static let restoreLimit = 5.0

    init(_ address: ArbiterAddress, _ mirror: ArbiterMirror) {
        launch = ArbiterLaunch(address: address)
        self.mirror = mirror
    }

    /// Connects for the first time.
    func open(_ attempt: ArbiterLaunch.Attempt) throws(ArbiterError) { try connect(attempt) }

    /// Closes the link; requests that wait throw. Idempotent.
    func close() {
        let (connection, waiting) = state.withLock { state in
            state.isClosed = true
            defer { (state.connection, state.waiting) = (nil, []) }
            return (state.connection, state.waiting)
        }
        connection?.close()
        closing.signal()
        for promise in waiting { promise.set(()) }
    }

    /// Whether requests reach an arbiter now.
    var isConnected: Bool { state.withLock { $0.connection }?.hasEnded == false }

    // MARK: Requests

    /// Sends a request to the current arbiter and returns the reply. If that arbiter is lost
    /// meanwhile, sends the request to the next one, for up to `ArbiterLaunch.limit` seconds in
    /// total.
    func request(
        _ request: ClientMessage.Request, handler: PendingReply.ReplyHandler? = nil
    ) throws(RequestError) -> Reply {
        let deadline = Deadline(seconds: ArbiterLaunch.limit)
        while let connection = connection(before: deadline) {
            do throws(RequestChannelError) {
                let limit = Deadline(seconds: min(ArbiterProtocol.replyTimeout, deadline.seconds))
                return try connection.channel.ask(request, before: limit, handler: handler).reply
            } catch {
                // A decision that a lost arbiter has not reported is lost with it, so the request
                // is sent again, to the next one.
                guard case .ended = error, !deadline.hasPassed else { throw error.error }
                handleLoss(of: connection)
            }
        }
        throw RequestError(
            .unavailable,
            """
            '\(request.name)' failed: the arbiter has ended, and no other has started at '\(launch.address.path)'. \
            Run `audiosession doctor` to find out why audiosessiond does not start.
            """)
    }

    /// Sends a request to the current arbiter without waiting for the reply. Does nothing if there
    /// is no connection, or if it ends.
    func post(_ request: ClientMessage.Request, handler: PendingReply.ReplyHandler) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        _ = try? connection.channel.send(request, handler: handler)
    }

    /// Returns the current connection, and waits for one if necessary; nil after the deadline, or
    /// if the link is closed.
    private func connection(before deadline: Deadline) -> ArbiterConnection? {
        while true {
            let update = Promise<Void>()
            let (connection, isClosed) = state.withLock { state in
                if state.connection == nil { state.waiting.append(update) }
                return (state.connection, state.isClosed)
            }
            if connection != nil || isClosed { return connection }
            startReconnecting()
            guard update.wait(seconds: deadline.seconds) != nil else { return nil }
        }
    }

    // MARK: Connecting

    /// Connects to the current arbiter, restores this client's sessions and devices there, and then
    /// directs requests to it. Throws if one of these steps fails.
    private func connect(_ attempt: ArbiterLaunch.Attempt = .persistent) throws(ArbiterError) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        mirror.forgetUnknown()
        let restorations = mirror.restorations
        let last = mirror.welcome
        mirror.acceptMessages(of: number)
        let connection = try launch.connect(
            attempt,
            hello: .init(
                arbiter: last.arbiter == 0 ? nil : last.arbiter, restoring: restorations.count,
                application: last.arbiter == 0 ? nil : mirror.application(last.app)),
            receive: { [weak mirror] in mirror?.handle($0, over: number) },
            ended: { [weak self] in self?.handleLoss(ofNumber: number) })
        mirror.setWelcome(connection.welcome)
        do throws(RequestChannelError) {
            mirror.setKeys(try requestKeys(connection))
            var replies: [(id: SessionID, reply: PendingReply)] = []
            for restoration in restorations {
                replies.append((restoration.record.session.id, try connection.channel.send(.restore(restoration))))
            }
            for (id, reply) in replies { try finishRestoring(id, reply, connection) }
            try reportDevices(connection)
            // An arbiter that does not know this request refuses it, which does no harm.
            for (id, description) in mirror.descriptions {
                _ = try connection.channel.send(.describe(id, description))
            }
            // Requests are sent only now: the arbiter knows all restored sessions, and every
            // session has its new gate.
            try directRequests(to: connection)
        } catch {
            throw ArbiterError(error.error)
        }
    }

    /// Returns the keys page of the arbiter; nil if it has none, as an older one, or if the page
    /// cannot be mapped.
    private func requestKeys(_ connection: ArbiterConnection) throws(RequestChannelError) -> SessionKeys? {
        do throws(RequestChannelError) {
            let content = try connection.channel.ask(
                .keys, before: Deadline(seconds: ArbiterProtocol.replyTimeout))
            return content.descriptor.flatMap { try? SessionKeys(mapping: $0.number) }
        } catch {
            guard case .rejected = error else { throw error }
            return nil
        }
    }

    /// Directs requests to the connection. Throws if it has already ended or the link is closed.
    private func directRequests(to connection: ArbiterConnection) throws(RequestChannelError) {
        let waiting: [Promise<Void>]? = state.withLock { state in
            guard !state.isClosed, !connection.hasEnded else { return nil }
            state.connection = connection
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { throw .ended(RequestError(.unavailable, "The connection to the arbiter has ended.")) }
        for promise in waiting { promise.set(()) }
    }

    /// Waits for the reply to a session's restoration, and adopts the session's new gate. Drops a
    /// session that the arbiter does not accept or whose gate cannot be mapped.
    private func finishRestoring(
        _ id: SessionID, _ pending: PendingReply, _ connection: ArbiterConnection
    ) throws(RequestChannelError) {
        let content: PendingReply.Content
        do throws(RequestChannelError) {
            content = try connection.channel.wait(for: pending, before: Deadline(seconds: Self.restoreLimit))
        } catch {
            guard case .rejected = error else { throw error }
            return mirror.expire(id)
        }
        // The session was unregistered meanwhile, while there was no arbiter to notify.
        guard mirror.holds(id) else { return _ = try? connection.request(.submit(.unregister(id))) }
        guard mirror.hasGate(id) else { return }
        guard let descriptor = content.descriptor,
            let gate = try? SessionGate(mapping: descriptor.number, keys: mirror.keys)
        else {
            mirror.expire(id)
            return _ = try? connection.request(.submit(.unregister(id)))
        }
        mirror.replaceGate(of: id, by: gate)
    }

    /// Reports the devices that this process sees on its audio server. A refusal is ignored.
    private func reportDevices(
        _ connection: ArbiterConnection, before deadline: Deadline = Deadline(seconds: restoreLimit)
    ) throws(RequestChannelError) {
        guard let action = mirror.seenDevices else { return }
        do throws(RequestChannelError) {
            _ = try connection.channel.ask(.submit(action), before: deadline)
        } catch {
            guard case .rejected = error else { throw error }
        }
    }

    // MARK: Joining

    /// Restores the sessions of a process that has arbitrated for itself, at the current arbiter,
    /// in one decision. Returns their gates there. The sessions remain unknown to the mirror, which
    /// keeps what the arbiter notifies them of, until `ArbiterMirror.adopt`. Throws if the arbiter
    /// refuses one of them, does not reply in time, or has ended: it then forgets all of them at
    /// the latest when the link is closed.
    func join(_ joining: JoiningState, before deadline: Deadline) throws(ArbiterError) -> [SessionID: SessionGate] {
        guard let connection = state.withLock({ $0.connection }) else {
            throw .unavailable("it has ended before this process could join it")
        }
        do throws(RequestChannelError) {
            let channel = connection.channel
            _ = try channel.ask(.join(joining.message), before: deadline)
            var replies: [(session: JoiningState.Session, reply: PendingReply)] = []
            for session in joining.sessions {
                let restoration = ClientMessage.Restoration(session.update, of: session.app, gate: session.gate)
                replies.append((session, try channel.send(.restore(restoration), before: deadline)))
            }
            var gates: [SessionID: SessionGate] = [:]
            for (session, reply) in replies {
                let content = try channel.wait(for: reply, before: deadline)
                guard session.gate != nil else { continue }
                gates[session.id] = try mapGate(of: content)
            }
            try reportDevices(connection, before: deadline)
            // Before this reply, the arbiter sends the state of all sessions.
            _ = try channel.ask(.synchronise, before: deadline)
            return gates
        } catch {
            throw ArbiterError(error.error)
        }
    }

    private func mapGate(of content: PendingReply.Content) throws(RequestChannelError) -> SessionGate {
        guard let descriptor = content.descriptor,
            let gate = try? SessionGate(mapping: descriptor.number, keys: mirror.keys)
        else {
            throw .rejected(
                RequestError(
                    .unavailable,
                    "A gate that the arbiter sent cannot be mapped; this process may be at its limit of open files."))
        }
        return gate
    }

    // MARK: Loss

    /// Handles the loss of a connection, unless another one has replaced it.
    private func handleLoss(of connection: ArbiterConnection) {
        let number = state.withLock { $0.connection === connection ? $0.number : nil }
        if let number { handleLoss(ofNumber: number) }
    }

    /// Handles the end of the connection with this number.
    private func handleLoss(ofNumber number: Int) {
        let wasConnected = state.withLock { state in
            guard state.number == number, state.connection != nil else { return false }
            state.connection = nil
            return true
        }
        if wasConnected { startReconnecting() }
    }

    /// Starts a thread that tries to reconnect, with growing pauses, until the link is connected or
    /// closed. Does nothing if one is already running.
    private func startReconnecting() {
        let isFirst = state.withLock { state in
            guard state.connection == nil, !state.isClosed else { return false }
            defer { state.isReconnecting = true }
            return !state.isReconnecting
        }
        guard isFirst else { return }
        let thread = WorkerThread()
        let isStarted = thread.start(name: "audio-reconnect") { [weak self, closing] in
            var pause = Self.shortestPause
            while let next = self?.attemptReconnect(pause: pause) {
                if closing.wait(timeout: .now() + pause) == .success { return }
                pause = next
            }
        }
        // If no thread could be started, the next request tries again.
        if !isStarted { state.withLock { $0.isReconnecting = false } }
    }

    /// Tries once to connect. Returns the pause that follows `pause`, for the attempt after next;
    /// nil if the link is connected or closed.
    private func attemptReconnect(pause: Double) -> Double? {
        if (try? connect()) != nil { reconnections.send(()) }
        return state.withLock { state in
            guard state.connection == nil, !state.isClosed else {
                state.isReconnecting = false
                return nil
            }
            return min(pause * 2, Self.longestPause)
        }
    }
}
