internal import SessionArbiter
internal import SessionPolicy

/// The app's life-cycle state. A desktop does not report it, so a shell integration, a test or a
/// tool sets it here.
extension AudioSessionHost {
    public enum ApplicationState: String, Sendable, CaseIterable {
        case foreground, background, suspended
    }

    /// Sets this app's state, which is initially foreground.
    ///
    /// In the background, a session stays active only if the app has declared background audio and
    /// the category allows it (keeps BG-1). Suspension deactivates every session (keeps BG-3).
    /// Sessions that a deactivated session interrupted are notified that they may resume.
    public func setApplicationState(_ state: ApplicationState) throws {
        try submit(.setApplicationState(app, SessionPolicy.ApplicationState(state)))
    }

    /// Declares whether this app plays or records in the background; false by default. In the
    /// background, withdrawing the declaration deactivates its sessions (keeps ACT-6, BG-1).
    public func setDeclaresBackgroundAudio(_ declares: Bool) throws {
        try submit(.setDeclaresBackgroundAudio(app, declares))
    }

    /// Reports to the arbiter that the screen was locked or unlocked. While it is locked, every app
    /// counts as in the background (keeps BG-2, SIM-3).
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
