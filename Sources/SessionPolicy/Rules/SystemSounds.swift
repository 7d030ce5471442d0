/// System sounds, such as clicks and alerts: they need no activation and interrupt no session (rule
/// PLAY-4).
///
/// The system sounds of an app play in a session of their own, which is never active: it neither
/// takes precedence over another session nor is interrupted, and no other app counts it as other
/// audio. Its grant alone says whether it is heard.
extension Arbitration {
    /// Makes a session that of its app's system sounds, with the settings of a new one. Does
    /// nothing if it already is. Throws badParam if the session is active, is interrupted or awaits
    /// its activation, and for a system session.
    mutating func playSystemSounds(_ id: SessionID) throws(Refusal) {
        let session = try session(id)
        guard !session.playsSystemSounds else { return }
        guard session.rank == .app, session.app != .system, case .inactive = session.activity,
            !state.pendingActivations.contains(id)
        else {
            throw Refusal(
                .badParam, .play4,
                """
                \(id) cannot play system sounds, because it is \
                \(session.rank == .app && session.app != .system ? "in use" : "a session of the system"). \
                Use a new session.
                """)
        }
        state[id] = session.forSystemSounds(at: now)
    }

    /// Throws badParam for a session of system sounds, which is never active (keeps PLAY-4).
    func checkOrdinary(_ session: SessionState) throws(Refusal) {
        guard session.playsSystemSounds else { return }
        throw Refusal(
            .badParam, .play4,
            """
            \(session.id) plays system sounds: it needs no activation and has no settings. Use another session for \
            other sound.
            """)
    }
}

extension SessionState {
    /// Returns a new session with this one's identity, for system sounds.
    func forSystemSounds(at time: EventTime) -> SessionState {
        var session = SessionState(id: id, app: app, rank: rank, at: time)
        if case .inactive(let since) = activity { session.activity = .inactive(since: min(since, time)) }
        session.playsSystemSounds = true
        return session
    }
}

extension GrantResolver {
    /// Returns why system sounds are silent; empty if they are heard (keeps PLAY-4, CAT-4, VOL-2,
    /// BG-3, SRV-2, ROUTE-9).
    func muteReasons(ofSystemSounds session: SessionState) -> [Reason] {
        var reasons: [Reason] = []
        // A conversation silences the system sounds of the other apps (ACT-18).
        if let call, call.app != session.app {
            reasons.append(Reason(.muted, .play4, by: call.id, since: later(session, call)))
        }
        if let interrupted = interruptedSession(of: session.app), let wait = interrupted.wait {
            reasons.append(Reason(.muted, .play4, by: wait.interrupter, since: later(session, interrupted)))
        }
        if let recorder {
            reasons.append(Reason(.muted, .cat4, by: recorder.id, since: later(session, recorder)))
        }
        if state.silentSwitch.isOn {
            reasons.append(Reason(.muted, .vol2, since: max(since(session), state.silentSwitch.since)))
        }
        if state.app(session.app).life == .suspended {
            reasons.append(Reason(.muted, .bg3, since: since(session)))
        }
        // A pause would let them be heard when the output has returned.
        if state.awaitsOutput(session) { reasons.append(Reason(.muted, .srv2, since: since(session))) }
        if state.lacksOutput(session) { reasons.append(Reason(.muted, .route9, since: since(session))) }
        return reasons
    }

    /// Returns a session of an app that waits for a session of another app, or of the system. Waits
    /// that no other sound causes do not silence system sounds (INT-10, ROUTE-4).
    private func interruptedSession(of app: AppID) -> SessionState? {
        state.sessions.first { session in
            guard session.app == app, let interrupter = session.wait?.interrupter else { return false }
            return state[interrupter]?.app != app
        }
    }
}
