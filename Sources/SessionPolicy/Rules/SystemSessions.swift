/// Calls, alarms, the assistant and stand-in interruptions (rules ACT-4, INT-6, SIM-1).
extension Arbitration {
    /// Registers and activates a system session at once, or refuses.
    mutating func beginSystemSession(_ id: SessionID, rank: Rank, isRinging: Bool) throws(Refusal) {
        guard !isRinging || rank == .call else {
            throw Refusal(
                .badParam, .int6, "A ringing session of rank \(rank) was asked for; only calls ring. Use rank call.")
        }
        try register(id, app: .system, rank: rank)
        let category = rank.systemCategory
        state[id]?.configuration = Configuration(category: category)
        state[id]?.routedCategory = category
        state[id]?.isRinging = isRinging
        state[id]?.isRunning = true
        if state.isDoNotDisturbOn, isRinging || rank == .assistant {
            state[id]?.isHeldBack = true
        } else {
            try activate(id)
        }
    }

    /// Keeps INT-6: only now those who run on are interrupted, and an older call (ACT-4). What was held back, silent, begins now.
    mutating func acceptCall(_ id: SessionID) throws(Refusal) {
        var call = try session(id)
        guard call.isRinging else {
            throw Refusal(.badParam, .int6, "\(id) was to be accepted, but it does not ring; accept a ringing call.")
        }
        call.isRinging = false
        call.isHeldBack = false
        try replace(call)
        if !call.isActive { try activate(id) }
    }

    /// Keeps GUIDE-9: what begins to ring, and the assistant, wait while it is on; what rings already goes on. Once it is off they begin,
    /// in the order of their ids, as far as nobody of a higher rank stands in their way by then: who is refused stays inactive.
    mutating func setDoNotDisturb(_ isOn: Bool) {
        state.isDoNotDisturbOn = isOn
        guard !isOn else { return }
        for session in state.sessions where session.isHeldBack {
            state[session.id]?.isHeldBack = false
            try? activate(session.id)
        }
    }

    /// Keeps INT-6: who no longer minds being disturbed by what rings is interrupted by it; who begins to mind waits on.
    mutating func preferNoInterruptionsFromSystemAlerts(_ id: SessionID, _ prefers: Bool) throws(Refusal) {
        try change(id) { $0.prefersNoInterruptionsFromSystemAlerts = prefers }
        guard let session = state[id], session.isActive,
            let ringing = state.active.last(where: { $0.isRinging && $0.keepsFromActivating(session) })
        else { return }
        interrupt(id, .default, .int6, by: ringing.id)
    }

    mutating func endSystemSession(_ id: SessionID, shouldResume: Bool) throws(Refusal) {
        _ = try session(id)
        forget([id], shouldResume ? .withNotice : .withNoticeNotToResume)
    }

    /// A new session is inactive, with the default configuration (keeps CAT-1).
    mutating func register(_ id: SessionID, app: AppID, rank: Rank = .app) throws(Refusal) {
        guard state[id] == nil else {
            throw Refusal(.badParam, .act10, "\(id) was to be registered, but it already is; use a new id.")
        }
        state[id] = SessionState(id: id, app: app, rank: rank, at: now)
    }
}

extension Rank {
    /// What a session of this rank is for when the system begins it: calls and the assistant also listen.
    fileprivate var systemCategory: Category {
        switch self {
        case .app: .soloAmbient
        case .alarm: .playback
        case .assistant, .call: .playAndRecord
        }
    }
}
