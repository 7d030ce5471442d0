/// Idle release: an active session in which nothing plays or records for a while no longer lowers
/// other sessions and keeps none waiting (rule ACT-17).
///
/// The policy has no clock. It records since when a session is silent (`updateSilence`) and says
/// when the next release is due (`nextIdleRelease`); its host then submits that release.
extension Arbitration {
    /// Releases other sessions from one that is silent: from its ducking, or from all that its
    /// activity means to them, as if it had left with notice (keeps ACT-17). Its own app is not
    /// notified. Does nothing if the session is not silent any longer.
    mutating func releaseIdle(_ id: SessionID, _ release: IdleRelease) throws(Refusal) {
        let session = try session(id)
        guard let silence = session.silence, silence.release < release, release != .all || silence.unusedSince != nil
        else { return }
        state[id]?.silence?.release = release
        if release == .all { self.release(waitersFor: [id], .withNotice) }
    }

    /// Arbitrates a session that is active and was released, and sounds again, as an activation. If
    /// a rule refuses that, the session is interrupted (keeps ACT-17).
    mutating func endIdleRelease(of id: SessionID) {
        guard let session = state[id], session.isActive, session.idleRelease != .none else { return }
        do throws(Refusal) {
            try reactivate(id)
        } catch {
            var sounding = session
            sounding.silence = nil
            let blocker = error.by.flatMap { state[$0] }
            let rule = blocker.flatMap { precedence.rule(by: $0, interrupting: sounding) } ?? .act17
            interrupt(id, .default, rule, by: blocker?.id)
        }
    }

    /// Activates a session again that is active and was released. Throws what an activation throws
    /// because of another session; then nothing has changed.
    mutating func reactivate(_ id: SessionID) throws(Refusal) {
        var session = try session(id)
        session.silence?.release = .none
        try checkPriority(of: session)
        try checkBackgroundInterruption(by: session)
        state[id] = session
        makeActive(id)
    }

    /// Updates since when the sessions of apps have been silent, after a decision that began with
    /// the state `before`. An activation, and a change that counts as one, restarts the time.
    mutating func updateSilence(since before: PolicyState) {
        state.changeSessions { session in
            guard session.rank == .app, session.app != .system else { return }
            guard session.isActive, !session.isRunning, !session.isInputRunning else {
                session.silence = nil
                return
            }
            if session.silence == nil || before[session.id]?.activity != session.activity {
                let release = session.idleRelease
                session.silence = Silence(since: now, unusedSince: now, release: release)
            }
            if session.isPaused {
                session.silence?.unusedSince = nil
            } else if session.silence?.unusedSince == nil {
                session.silence?.unusedSince = now
            }
        }
    }
}

extension SessionState {
    /// Returns the next release of this session and when it is due; nil if there is none.
    fileprivate func nextIdleRelease(_ settings: PolicySettings) -> (release: IdleRelease, due: EventTime)? {
        guard let silence, silence.release != .all else { return nil }
        let ducks = configuration.mayDuck && (!ducksOnlyWhileAudible || isAudible)
        let limit = ducks ? settings.idleDuckRelease : settings.idleRelease
        guard limit > 0 else { return nil }
        if ducks, silence.release == .none, silence.unusedSince != silence.since {
            return (.ducking, silence.since.advanced(by: limit))
        }
        return silence.unusedSince.map { (.all, $0.advanced(by: limit)) }
    }
}

extension PolicyState {
    /// Returns the release that the host submits next as `releaseIdle`, and when (ACT-17). Nil if
    /// no active session is silent and keeps or lowers others.
    public func nextIdleRelease(_ settings: PolicySettings) -> (action: PolicyAction, due: EventTime)? {
        var next: (action: PolicyAction, due: EventTime)?
        for session in sessions {
            guard let (release, due) = session.nextIdleRelease(settings), next.map({ due < $0.due }) ?? true else {
                continue
            }
            next = (.releaseIdle(session.id, release), due)
        }
        return next
    }
}
