/// Foreground, background, suspension and the lock (rules ACT-6, ACT-16, BG-1, BG-2, BG-3).
extension Arbitration {
    /// Keeps BG-1 and BG-3.
    mutating func setApplicationState(_ app: AppID, _ life: ApplicationState) throws(Refusal) {
        try checkApp(app)
        let before = state.app(app).life
        guard life != before else { return }
        state.changeApp(app) { $0.life = life }
        if before == .suspended { tellSuspension(of: app) }
        switch life {
        case .foreground: break
        case .background: try leaveForeground(.bg1)
        case .suspended: try suspend(app)
        }
    }

    mutating func setDeclaresBackgroundAudio(_ app: AppID, _ declares: Bool) throws(Refusal) {
        try checkApp(app)
        state.changeApp(app) { $0.declaresBackgroundAudio = declares }
        try leaveForeground(.bg1)
    }

    /// Keeps BG-2: behind a locked screen every app is in the background.
    mutating func setScreenLocked(_ isLocked: Bool) throws(Refusal) {
        state.isScreenLocked = isLocked
        try leaveForeground(.bg2)
    }

    /// Deactivates, with notice, whoever is active and may not be in the background.
    private mutating func leaveForeground(_ rule: Rule) throws(Refusal) {
        for session in state.active where !state.mayRun(session) && !isForegroundLent(to: session) {
            tell(session.id, .deactivatedBySystem, rule)
            try deactivate(session.id, .withNotice)
        }
    }

    /// Who does not run is inactive, and waits for nobody (keeps BG-3).
    private mutating func suspend(_ app: AppID) throws(Refusal) {
        for session in state.sessions where session.app == app {
            if session.isActive {
                tell(session.id, .deactivatedBySystem, .bg3)
                state[session.id]?.wasSuspended = true
            }
            try deactivate(session.id, .withNotice)
        }
    }

    /// Keeps BG-3: what was suspended learns of it only by a setting, and there is no end to that.
    private mutating func tellSuspension(of app: AppID) {
        for session in state.sessions where session.app == app && session.wasSuspended {
            state[session.id]?.wasSuspended = false
            if settings.tellsSuspension { tell(session.id, .interruptionBegan(.appWasSuspended), .bg3) }
        }
    }

    /// The system has no such life, and needs nobody's permission.
    func checkApp(_ app: AppID, _ rule: Rule = .bg1) throws(Refusal) {
        guard app != .system else {
            throw Refusal(
                .badParam, rule, "The system was named where only an app has a life or a permission; name an app.")
        }
    }

    /// Keeps ACT-16: the one decision that depends on the time.
    mutating func lendForeground(_ id: SessionID) throws(Refusal) {
        let until = settings.endOfLentForeground(from: now)
        try change(id) { $0.foregroundLentUntil = until }
    }

    private func isForegroundLent(to session: SessionState) -> Bool {
        guard let until = session.foregroundLentUntil, state.app(session.app).life != .suspended else { return false }
        return now < until
    }

    /// What an app may activate from the background (keeps ACT-6); nothing else lifts this, not INT-5 either.
    func checkBackground(of session: SessionState) throws(Refusal) {
        guard !state.isForeground(session), !isForegroundLent(to: session) else { return }
        let category = session.configuration.category
        guard state.mayRun(session) else {
            let (verb, code): (String, Refusal.Code) =
                category.traits.hasInput ? ("record", .cannotStartRecording) : ("play", .cannotStartPlaying)
            throw Refusal(
                code, .act6,
                """
                \(session.id) asked to be active with category \(category.rawValue) while its app is \(state.whereabouts(of: session)); \
                to \(verb) there, the app declares background audio and uses playback, playAndRecord, record or multiRoute. Or \
                bring it to the foreground.
                """)
        }
        guard session.isPrimary else { return }
        guard let rival = state.active.last(where: { $0.id != session.id && $0.rank == .app && $0.isPrimary }) else {
            return
        }
        throw Refusal(
            .cannotInterruptOthers, .act6, by: rival.id,
            """
            \(session.id) asked to be active while its app is \(state.whereabouts(of: session)) and \(rival.id) plays; from there \
            it may not interrupt. Use mixWithOthers or duckOthers, or bring the app to the foreground.
            """)
    }
}

extension PolicySettings {
    /// Until when a remote play command lends the foreground (ACT-16).
    func endOfLentForeground(from now: EventTime) -> EventTime {
        let grace = UInt64(min(max(0, remotePlayGrace), 1e9) * 1e9)
        let (end, isBeyond) = now.nanoseconds.addingReportingOverflow(grace)
        return EventTime(nanoseconds: isBeyond ? .max : end)
    }
}

extension PolicyState {
    /// Whether a session counts as in the foreground: the system's always do.
    func isForeground(_ session: SessionState) -> Bool {
        session.app == .system || (app(session.app).life == .foreground && !isScreenLocked)
    }

    /// Whether it may be active where its app is.
    func mayRun(_ session: SessionState) -> Bool {
        if isForeground(session) { return true }
        let app = app(session.app)
        return app.life != .suspended && app.declaresBackgroundAudio
            && session.configuration.category.mayRunInBackground
    }

    func whereabouts(of session: SessionState) -> String {
        switch app(session.app).life {
        case .suspended: "suspended"
        case .background: "in the background"
        case .foreground: "behind a locked screen"
        }
    }
}
