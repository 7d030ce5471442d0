/// Live input: who may hear it, and the microphone's switch (rules PERM, INT-10).
extension Arbitration {
    /// Input begins or ends to be taken (keeps PERM-3, INT-10).
    mutating func setInputRunning(_ id: SessionID, _ running: Bool) throws(Refusal) {
        var session = try session(id)
        if running, !session.isInputRunning { try checkInput(of: session) }
        session.isInputRunning = running
        state[id] = session
        if running, !state.hasPermissionAnswer(session) { tell(id, .recordPermissionNeeded, .perm3) }
    }

    private func checkInput(of session: SessionState) throws(Refusal) {
        let category = session.configuration.category
        guard category.traits.hasInput else {
            throw Refusal(
                .incompatibleCategory, .categoryTable,
                """
                \(session.id) was to take input with category \(category.rawValue), which has none; set record, playAndRecord or \
                multiRoute first.
                """)
        }
        guard session.isActive else {
            throw Refusal(
                .sessionNotActive, .act1, "\(session.id) was to take input, but it is not active; activate it first.")
        }
        guard !state.microphoneMute.isOn || session.runsWithMutedMicrophone else {
            throw Refusal(
                .resourceNotAvailable, .int10,
                """
                \(session.id) was to take input while the microphone is muted in hardware; unmute it, or set the option \
                overrideMutedMicrophoneInterruption to go on with silence.
                """)
        }
    }

    /// Keeps PERM-2: every session of the app learns of it, and the gates follow.
    mutating func setRecordPermission(_ app: AppID, _ permission: RecordPermission) throws(Refusal) {
        try checkApp(app, .perm2)
        guard state.app(app).recordPermission != permission else { return }
        state.changeApp(app) { $0.recordPermission = permission }
        for session in state.sessions where session.app == app {
            tell(session.id, .recordPermissionChanged(permission), .perm2)
        }
    }

    /// Keeps PERM-4: zeros, no interruption; told where input is active.
    mutating func setInputMuted(_ app: AppID, _ muted: Bool) throws(Refusal) {
        try checkApp(app, .perm4)
        guard state.app(app).isInputMuted != muted else { return }
        state.changeApp(app) { $0.isInputMuted = muted }
        for session in state.active where session.app == app && session.configuration.category.traits.hasInput {
            tell(session.id, .inputMuteChanged(muted), .perm4)
        }
    }

    /// Keeps INT-10.
    mutating func setMicrophoneMuted(_ isMuted: Bool) {
        guard state.microphoneMute.isOn != isMuted else { return }
        state.microphoneMute = .init(isOn: isMuted, since: now)
        for session in isMuted ? state.active : [] where session.isStoppedByMicrophone(state) {
            interruptByMicrophone(session.id)
        }
        // Input that an interruption holds is stopped as well.
        for session in isMuted ? state.sessions : [] where session.isInputRunning && !session.runsWithMutedMicrophone {
            state[session.id]?.isInputRunning = false
        }
        for session in isMuted ? [] : state.sessions where session.wait?.rule == .int10 {
            endWait(of: session.id, .withNoticeNotToResume, by: nil)
        }
    }

    /// Input that stops so never starts again unasked, and nobody is asked to resume (keeps INT-2, INT-10).
    mutating func interruptByMicrophone(_ id: SessionID) {
        interrupt(id, .builtInMicMuted, .int10, by: nil)
        guard var session = state[id], var wait = session.wait else { return }
        wait.mayResume = false
        session.activity = .waiting(wait)
        session.isInputRunning = false
        state[id] = session
    }
}

extension SessionState {
    /// It goes on, with zeros, when the microphone is muted (INT-10).
    var runsWithMutedMicrophone: Bool { configuration.options.contains(.overrideMutedMicrophoneInterruption) }

    /// Whether the muted microphone stops what it does.
    func isStoppedByMicrophone(_ state: PolicyState) -> Bool {
        state.microphoneMute.isOn && isActive && isInputRunning && configuration.category.traits.hasInput
            && !runsWithMutedMicrophone
    }
}

extension PolicyState {
    /// The system's own sessions need none.
    func hasPermissionAnswer(_ session: SessionState) -> Bool {
        session.app == .system || app(session.app).recordPermission != .undetermined
    }

    /// Why a session that takes input hears zeros; nil when it hears (keeps PERM-1, PERM-4, INT-10).
    func ruleForSilentInput(of session: SessionState) -> Rule? {
        guard session.app != .system else { return nil }
        let app = app(session.app)
        if app.recordPermission != .granted { return .perm1 }
        if app.isInputMuted { return .perm4 }
        return microphoneMute.isOn ? .int10 : nil
    }
}
