internal import Dispatch
internal import Platform
public import SessionPolicy

/// The arbiter of all apps of a user: `audiosessiond`, which this starts if none is running.
///
/// The arbiter sends this object every change, so that reading its properties requires no request,
/// except `decisions`. Registering, submitting, beginning system sessions, setting overrides and
/// draining wait for a reply, for at most `ArbiterProtocol.replyTimeout`. If the arbiter dies, the
/// gates keep their last grants; the next arbiter is found or started, and the sessions are
/// restored there (keeps SRV-3). Requests made in the meantime wait for that, at most 5 s. A
/// process that forks must not use this object in the child.
public final class RemoteArbiter: SessionArbiter {
    private let mirror: ArbiterMirror
    private let link: ArbiterLink

    /// Connects, and starts the service if necessary. Throws if the service is not available.
    public convenience init(at address: ArbiterAddress) throws(ArbiterError) {
        try self.init(at: address, .persistent, notices: .notices())
    }

    /// `notices` may be the queue of another arbiter too.
    init(at address: ArbiterAddress, _ attempt: ArbiterLaunch.Attempt, notices: DispatchQueue) throws(ArbiterError) {
        mirror = ArbiterMirror(notices: notices)
        link = ArbiterLink(address, mirror)
        try link.open(attempt)
        // The arbiter sends its state before this reply.
        _ = try? link.request(.synchronise)
    }

    /// The arbiter sees the connection end (ACT-12).
    deinit { link.close() }

    /// The id of this process as an app, assigned by the arbiter.
    public var app: AppID { mirror.welcome.app }

    /// Whether an arbiter is connected. After a loss, the next one is usually connected within a
    /// second.
    package var isConnected: Bool { link.isConnected }

    /// Calls `body` on a thread of the connection when another arbiter has been connected after a
    /// loss, and has restored the sessions. May be called for the same arbiter, too.
    package func whenReconnected(_ body: @escaping @Sendable () -> Void) {
        _ = link.reconnections.add { _ in body() }
    }

    /// Whether a session of this client still exists, as far as is known. One that the next arbiter
    /// did not accept does not.
    package func holds(_ session: SessionID) -> Bool { mirror.holds(session) }

    public var storesPermissions: Bool { true }

    public var settings: ArbiterSettings { mirror.welcome.settings }

    public func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        let registered = Promise<Result<SessionRegistration, ArbiterError>>()
        let handler = PendingReply.ReplyHandler(
            handle: { [mirror] in registered.set(Self.adoptSession($0, observer, mirror)) },
            undo: { $0.session.map { .submit(.unregister($0)) } })
        let reply = try request(.register(app: app == self.app ? nil : app), handler: handler)
        do throws(ArbiterError) {
            guard let result = registered.wait(seconds: 0) else {
                throw .unavailable("its reply to register is invalid")
            }
            return try result.get()
        } catch {
            if let id = reply.session { try? submit(.unregister(id)) }
            throw error
        }
    }

    /// Adds the session on the reading thread, so that it is known before further messages for it
    /// arrive.
    private static func adoptSession(
        _ content: PendingReply.Content, _ observer: any SessionObserver, _ mirror: ArbiterMirror
    ) -> Result<SessionRegistration, ArbiterError> {
        Result { () throws(ArbiterError) in
            guard let id = content.reply.session, let descriptor = content.descriptor else {
                throw .unavailable("it sent no gate for a session; this process may be at its limit of open files")
            }
            let gate = try SessionGate(mapping: descriptor.number, keys: mirror.keys)
            mirror.add(id, gate: gate, observer: observer)
            return SessionRegistration(id: id, gate: gate)
        }
    }

    public func submit(_ action: PolicyAction) throws(ArbiterError) {
        if case .session(let id) = action.subject, mirror.hasExpired(id) {
            throw .refused(
                Refusal(
                    .expiredSession, .act12,
                    "\(id) was lost with an arbiter that has ended; create a new session."))
        }
        switch action {
        case .unregister(let id):
            // The client has released the session even if the request fails, so it must not be
            // restored with the next arbiter.
            mirror.remove(id)
            // Further notices may arrive until the arbiter has removed the session.
            defer { mirror.remove(id) }
            _ = try request(.submit(action))
        case .endSystemSession(let id, _):
            _ = try request(.submit(action))
            mirror.remove(id)
        case .setDevices(let app, let server, let devices):
            _ = try request(.submit(action))
            if app == self.app { mirror.setSeenDevices(.init(server: server, devices: devices)) }
        default: _ = try request(.submit(action))
        }
    }

    public func post(_ action: PolicyAction, whenAccepted: @escaping @Sendable () -> Void) {
        // If this arbiter is lost before it has decided, the next one needs the devices.
        if case .setDevices(let app, let server, let devices) = action, app == self.app {
            mirror.setSeenDevices(.init(server: server, devices: devices))
        }
        link.post(.submit(action), handler: .init(handle: { _ in whenAccepted() }, undo: { _ in nil }))
    }

    /// Returns everything that the arbiter knows, for tools.
    package func report() throws(ArbiterError) -> ArbiterReport {
        guard let report = try request(.report).report else {
            throw .unavailable("its reply to report is invalid")
        }
        return report
    }

    /// Says something about a session of this client, for tools; nil clears that. It is repeated to
    /// the next arbiter. Texts that are too long are cut off. Does nothing for another session, and
    /// at an arbiter that does not know the request.
    public func describe(_ session: SessionID, as description: SessionDescription?) {
        let description = description?.shortened
        guard mirror.describe(session, as: description) else { return }
        _ = try? link.request(.describe(session, description))
    }

    public func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        let handler = PendingReply.ReplyHandler(
            handle: { [mirror] in if let id = $0.reply.session { mirror.add(id, gate: nil, observer: nil) } },
            // Apps do not resume because a sleep was not reported in time.
            undo: { $0.session.map { .submit(.endSystemSession($0, shouldResume: rank != .sleep)) } })
        let reply = try request(
            .beginSystemSession(rank: rank, isRinging: isRinging, isKept: false), handler: handler)
        guard let id = reply.session else { throw .unavailable("its reply to beginSystemSession is invalid") }
        return id
    }

    /// The status of a session of this client; nil for other sessions.
    public func status(of session: SessionID) -> SessionStatus? { mirror.status(of: session) }

    /// The state of this process's app; the default state for others, which the arbiter does not
    /// report here.
    public func application(_ app: AppID) -> AppState { mirror.application(app) }

    public var devices: [AudioDevice] { mirror.devices }

    public var hardware: HardwareRequest { mirror.hardware }

    public func setOverride(_ hardwareOverride: BufferSizeOverride?) {
        mirror.setOverride(hardwareOverride)
        _ = try? link.request(.bufferSizeOverride(hardwareOverride))
    }

    public func setOverride(rate hardwareOverride: SampleRateOverride?) {
        mirror.setOverride(rate: hardwareOverride)
        _ = try? link.request(.sampleRateOverride(hardwareOverride))
    }

    public func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) { mirror.whenHardwareChanges(body) }

    /// Requested from the arbiter; empty if it cannot be reached.
    public var decisions: [Decision] {
        (try? link.request(.log(after: 0, follows: false)))?.decisions ?? []
    }

    public func afterNotices(_ body: @escaping @Sendable () -> Void) { mirror.afterNotices(body) }

    public func drain() {
        _ = try? link.request(.synchronise)
        mirror.drain()
    }

    // MARK: Joining

    /// The result of `join`, for `adopt`.
    struct Joined: Sendable {
        let state: JoiningState
        let gates: [SessionID: SessionGate]
    }

    /// Restores the sessions of a process that has arbitrated for itself at this arbiter, in one
    /// decision. No observer is called, and no session has its new gate, before `adopt`: after an
    /// error, and until then, releasing this object undoes everything.
    func join(_ joining: JoiningState, before deadline: Deadline) throws(ArbiterError) -> Joined {
        guard joining.application.id == app else {
            throw .unavailable(
                "it knows this process by another number, \(app), because they are in different PID namespaces")
        }
        if let seen = joining.seenDevices { mirror.setSeenDevices(seen) }
        return Joined(state: joining, gates: try link.join(joining, before: deadline))
    }

    /// Makes the sessions those of this arbiter: gives each its new gate, and delivers the notices
    /// that the arbiter has sent for them. Throws if the connection was lost meanwhile, and with it
    /// the state of the sessions; then nothing has changed.
    func adopt(_ joined: Joined) throws(ArbiterError) {
        guard mirror.adopt(joined.state.sessions, joined.gates) else {
            throw .unavailable("it has ended before this process had joined it")
        }
        for session in joined.state.sessions {
            if let gate = joined.gates[session.id] { session.observer?.replaceGate(gate) }
        }
    }

    private func request(
        _ request: ClientMessage.Request, handler: PendingReply.ReplyHandler? = nil
    ) throws(ArbiterError) -> Reply {
        do throws(RequestError) {
            return try link.request(request, handler: handler)
        } catch {
            throw ArbiterError(error)
        }
    }
}
