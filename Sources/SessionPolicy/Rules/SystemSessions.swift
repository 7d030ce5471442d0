/// Sleep, calls, alarms, the assistant, and simulated apps and interruptions (rules ACT-4, INT-6,
/// ROUTE-3, SIM-1).
extension Arbitration {
    /// Registers a system session and activates it at once. If one of higher rank is active, it
    /// waits for that one (keeps ACT-4). While do-not-disturb is on, a ringing call is deferred
    /// instead: it stays inactive (GUIDE-9). Throws if a rule refuses a simulated app.
    mutating func beginSystemSession(_ id: SessionID, rank: Rank, isRinging: Bool) throws(Refusal) {
        guard !isRinging || rank == .call else {
            throw Refusal(
                .badParam, .int6, "A session of rank \(rank) cannot ring; only calls can. Use rank call.")
        }
        try register(id, app: .system, rank: rank)
        let category = rank.systemCategory
        state[id]?.configuration = Configuration(category: category)
        state[id]?.routedCategory = category
        state[id]?.isRinging = isRinging
        state[id]?.isRunning = true
        if state.isDoNotDisturbOn, isRinging {
            state[id]?.isDeferred = true
        } else {
            try activateOrWait(id)
        }
    }

    /// Activates a system session, or lets it wait for an active one of higher rank (keeps ACT-4).
    /// Throws if a rule refuses a simulated app.
    private mutating func activateOrWait(_ id: SessionID) throws(Refusal) {
        let session = try session(id)
        if session.rank.isSystem,
            let blocker = state.active.last(where: { precedence.keeps($0, fromActivating: session) })
        {
            // One that waits already is not interrupted again.
            guard session.wait == nil else { return }
            interrupt(id, .default, blocker.isRinging ? .int6 : .act4, by: blocker.id)
        } else {
            try activate(id)
        }
    }

    /// Accepts a ringing call (keeps INT-6). Only now does it interrupt the sessions that continued
    /// while it rang, and an older call (ACT-4). A call that was deferred, and therefore silent,
    /// begins now, or when the machine has woken. Throws badParam if the session does not ring.
    mutating func acceptCall(_ id: SessionID) throws(Refusal) {
        var call = try session(id)
        guard call.isRinging else {
            throw Refusal(.badParam, .int6, "\(id) cannot be accepted because it is not ringing; accept a ringing one.")
        }
        call.isRinging = false
        call.isDeferred = false
        try replace(call)
        if !call.isActive { try activateOrWait(id) }
    }

    /// Turns do-not-disturb on or off (keeps GUIDE-9). While it is on, new ringing calls are
    /// deferred; a call that already rings continues to ring. When it is turned off, the deferred
    /// calls ring, in the order of their ids.
    mutating func setDoNotDisturb(_ isOn: Bool) {
        state.isDoNotDisturbOn = isOn
        guard !isOn else { return }
        for session in state.sessions where session.isDeferred {
            state[session.id]?.isDeferred = false
            try? activateOrWait(session.id)
        }
    }

    /// Sets whether a session prefers no interruptions from system alerts (keeps INT-6). A session
    /// that no longer prefers this is interrupted by a call that rings. A session that is already
    /// interrupted continues to wait.
    mutating func preferNoInterruptionsFromSystemAlerts(_ id: SessionID, _ prefers: Bool) throws(Refusal) {
        try change(id) { $0.prefersNoInterruptionsFromSystemAlerts = prefers }
        guard let session = state[id], session.isActive,
            let ringing = state.active.last(where: { $0.isRinging && precedence.keeps($0, fromActivating: session) })
        else { return }
        interrupt(id, .default, .int6, by: ringing.id)
    }

    /// Ends and forgets a system session, or declines a call. The sessions that waited for it are
    /// notified; they are asked to resume only if `shouldResume`.
    mutating func endSystemSession(_ id: SessionID, shouldResume: Bool) throws(Refusal) {
        _ = try session(id)
        forget([id], shouldResume ? .withNotice : .withNoticeNotToResume)
    }

    /// Notifies the sessions that are active or interrupted that the machine has woken (keeps
    /// ROUTE-3): its ports may work differently, although none has come or gone. Does nothing if
    /// the last of the sleep sessions is not among those that end.
    mutating func reportWaking(after ending: [SessionID]) {
        guard state.sessions.contains(where: { $0.rank == .sleep && ending.contains($0.id) }),
            !state.sessions.contains(where: { $0.rank == .sleep && !ending.contains($0.id) })
        else { return }
        for session in state.sessions where session.rank == .app && (session.isActive || session.wait != nil) {
            notify(session.id, .routeChanged(previous: state.route(of: session), .wakeFromSleep), .route3)
        }
    }

    /// Registers a new session, which is inactive and has the default configuration (keeps CAT-1).
    mutating func register(_ id: SessionID, app: AppID, rank: Rank = .app) throws(Refusal) {
        guard state[id] == nil else {
            throw Refusal(.badParam, .act10, "\(id) is already registered; use a new id.")
        }
        state[id] = SessionState(id: id, app: app, rank: rank, at: now)
    }
}

extension Rank {
    /// The category of a session of this rank that the system begins. Calls and the assistant also
    /// record.
    fileprivate var systemCategory: Category {
        switch self {
        case .app: .soloAmbient
        case .alarm, .sleep: .playback
        case .assistant, .call: .playAndRecord
        }
    }
}
