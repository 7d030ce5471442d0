/// Foreground, background, suspension and the locked screen (rules ACT-6, ACT-16, BG-1, BG-2,
/// BG-3).
extension Arbitration {
    /// Moves an app to the foreground, to the background or into suspension (keeps BG-1 and BG-3).
    mutating func setApplicationState(_ app: AppID, _ life: ApplicationState) throws(Refusal) {
        try checkApp(app)
        let before = state
        guard life != before.app(app).life else { return }
        state.changeApp(app) { $0.life = life }
        if before.app(app).life == .suspended { notifySuspension(of: app) }
        switch life {
        case .foreground: break
        case .background: leaveForeground(before, .bg1)
        case .suspended: suspend(app)
        }
    }

    /// Records whether an app declares background audio. If it no longer does and is in the
    /// background, its sessions are deactivated (keeps BG-1).
    mutating func setDeclaresBackgroundAudio(_ app: AppID, _ declares: Bool) throws(Refusal) {
        try checkApp(app)
        let before = state
        state.changeApp(app) { $0.declaresBackgroundAudio = declares }
        leaveForeground(before, .bg1)
    }

    /// Records whether the screen is locked. A locked screen puts every app in the background
    /// (keeps BG-2).
    mutating func setScreenLocked(_ isLocked: Bool) {
        let before = state
        state.isScreenLocked = isLocked
        leaveForeground(before, .bg2)
    }

    /// Deactivates the sessions that this event forbids to run: those of an app that enters the
    /// background, or is now behind a locked screen. They are deactivated also if they wait, have
    /// requested activation or have been notified of an end, so that no session waits for them
    /// (keeps BG-1, BG-2). A session that was not allowed to run before, but activated after a
    /// remote play command, continues (ACT-16).
    private mutating func leaveForeground(_ before: PolicyState, _ rule: Rule) {
        let stopped = state.inOrderOfActivation.filter { session in
            before.mayRun(session) && !state.mayRun(session) || endsWait(of: session, since: before)
        }
        deactivateBySystem(stopped, rule)
    }

    /// Returns whether this event ends the wait of a session that could not run before either,
    /// because it changed its category while it waited: its app may no longer play at all.
    private func endsWait(of session: SessionState, since before: PolicyState) -> Bool {
        !session.isActive && session.temporaryForegroundUntil == nil
            && before.allowsAudio(of: session) && !state.allowsAudio(of: session)
    }

    /// Deactivates the sessions of a suspended app and ends their waits (keeps BG-3).
    private mutating func suspend(_ app: AppID) {
        let sessions = state.inOrderOfActivation.filter { $0.app == app }
        for session in sessions where session.isActive { state[session.id]?.wasSuspended = true }
        deactivateBySystem(sessions, .bg3)
    }

    /// Notifies the sessions of a resumed app that they were suspended, if a setting asks for that
    /// (keeps BG-3). No end of this interruption is reported.
    private mutating func notifySuspension(of app: AppID) {
        for session in state.sessions where session.app == app && session.wasSuspended {
            state[session.id]?.wasSuspended = false
            if settings.notifiesSuspension { notify(session.id, .interruptionBegan(.appWasSuspended), .bg3) }
        }
    }

    /// Throws badParam if `app` is the system, which has no life cycle and needs no permission.
    func checkApp(_ app: AppID, _ rule: Rule = .bg1) throws(Refusal) {
        guard app != .system else {
            throw Refusal(
                .badParam, rule, "The system has no application state, devices or permission; pass the id of an app.")
        }
    }

    /// Lets a session count as in the foreground for a while after a remote play command (keeps
    /// ACT-16). Apart from rebuilding, only this rule depends on the time.
    mutating func grantTemporaryForeground(_ id: SessionID) throws(Refusal) {
        let until = now.advanced(by: settings.remotePlayGrace)
        try change(id) { $0.temporaryForegroundUntil = until }
    }

    /// Returns whether a session that is notified of the end of an interruption may activate again
    /// in the current state of its app.
    func mayReturn(_ session: SessionState) -> Bool { state.mayRun(session) || hasTemporaryForeground(session) }

    private func hasTemporaryForeground(_ session: SessionState) -> Bool {
        guard let until = session.temporaryForegroundUntil, state.app(session.app).life != .suspended else {
            return false
        }
        return now < until
    }

    /// Throws if a session may not activate from the background: its app or category does not allow
    /// background audio, or it would interrupt another primary app session (keeps ACT-6). A session
    /// that counts as in the foreground after a remote play command is not restricted (ACT-16). No
    /// other rule lifts this restriction, not even INT-5.
    func checkBackground(of session: SessionState) throws(Refusal) {
        try checkApplicationState(of: session)
        try checkBackgroundInterruption(by: session)
    }

    /// Throws if a session may not be active in the current state of its app, whichever other
    /// sessions are active (keeps ACT-6).
    func checkApplicationState(of session: SessionState) throws(Refusal) {
        guard !mayReturn(session) else { return }
        let category = session.configuration.category
        let (verb, code): (String, Refusal.Code) =
            category.traits.hasInput ? ("record", .cannotStartRecording) : ("play", .cannotStartPlaying)
        throw Refusal(
            code, .act6,
            """
            \(session.id) cannot activate with category \(category.rawValue) while its app is \
            \(state.whereabouts(of: session)). To \(verb) there, the app must declare background audio and use \
            playback, playAndRecord, record or multiRoute. Otherwise, bring the app to the foreground.
            """)
    }

    /// Returns whether an active session records, or plays and no rule mutes it (ACT-6).
    private func isHeard(_ session: SessionState) -> Bool {
        if session.isInputRunning { return true }
        return session.isRunning && !GrantResolver(state, settings).resolvedGrant(of: session).grant.isMuted
    }

    /// Throws if a session in the background would interrupt another primary app session that plays
    /// or records (keeps ACT-6). One in a chat mode may (ACT-18).
    func checkBackgroundInterruption(by session: SessionState) throws(Refusal) {
        guard !state.isForeground(session), !hasTemporaryForeground(session), session.isPrimary,
            !precedence.mayConverse(session)
        else { return }
        // It is asked for what it does when it sounds (ACT-17).
        var sounding = session
        sounding.silence = nil
        let other = state.active.last { other in
            other.id != session.id && other.rank == .app && other.isPrimary
                && precedence.rule(by: sounding, interrupting: other) != nil && isHeard(other)
        }
        guard let other else { return }
        throw Refusal(
            .cannotInterruptOthers, .act6, by: other.id,
            """
            \(session.id) cannot activate while its app is \(state.whereabouts(of: session)), because it would \
            interrupt \(other.id), which plays or records. Use mixWithOthers or duckOthers, or bring the app to the foreground.
            """)
    }
}

extension PolicyState {
    /// All sessions: the active ones in the order of their activation, then the others.
    fileprivate var inOrderOfActivation: [SessionState] { active + sessions.filter { !$0.isActive } }

    /// Returns whether a session counts as in the foreground. System sessions always do.
    func isForeground(_ session: SessionState) -> Bool {
        session.app == .system || (app(session.app).life == .foreground && !isScreenLocked)
    }

    /// Returns whether a session may be active in the current state of its app.
    func mayRun(_ session: SessionState) -> Bool {
        isForeground(session) || (allowsAudio(of: session) && session.configuration.category.mayRunInBackground)
    }

    /// Returns whether the state of a session's app allows audio, with a category that may run
    /// there.
    func allowsAudio(of session: SessionState) -> Bool {
        if isForeground(session) { return true }
        let app = app(session.app)
        return app.life != .suspended && app.declaresBackgroundAudio
    }

    /// Returns where a session's app is, as a part of a sentence in a refusal.
    func whereabouts(of session: SessionState) -> String {
        switch app(session.app).life {
        case .suspended: "suspended"
        case .background: "in the background"
        case .foreground: "behind a locked screen"
        }
    }
}
