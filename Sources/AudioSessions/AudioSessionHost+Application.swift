internal import SessionArbiter
internal import SessionPolicy

/// Where the app is in its life. A desktop tells nobody, so whoever knows says it here: a shell's integration, tests, tools.
extension AudioSessionHost {
    public enum ApplicationState: String, Sendable, CaseIterable {
        case foreground, background, suspended
    }

    /// Says where this app is; it begins in the foreground. In the background it stays active only with declared background audio and a
    /// category that is for it (keeps BG-1); suspended, it is inactive (keeps BG-3). Others resume as if it had left with notice.
    public func setApplicationState(_ state: ApplicationState) throws {
        try submit(.setApplicationState(app, SessionPolicy.ApplicationState(state)))
    }

    /// Says whether this app plays or records in the background; it does not unless it says so (keeps ACT-6, BG-1).
    public func setDeclaresBackgroundAudio(_ declares: Bool) throws {
        try submit(.setDeclaresBackgroundAudio(app, declares))
    }

    /// Locks or unlocks the screen: behind it every app is in the background (keeps BG-2, SIM-3).
    public func setScreenLocked(_ isLocked: Bool) throws { try submit(.setScreenLocked(isLocked)) }
}

extension SessionPolicy.ApplicationState {
    fileprivate init(_ state: AudioSessionHost.ApplicationState) {
        self =
            switch state {
            case .foreground: .foreground
            case .background: .background
            case .suspended: .suspended
            }
    }
}
