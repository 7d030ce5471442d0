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
        try submit(.setApplicationState(app.id, SessionPolicy.ApplicationState(state)))
    }

    /// Declares whether this app plays or records in the background; false by default. In the
    /// background, withdrawing the declaration deactivates its sessions (keeps ACT-6, BG-1).
    public func setDeclaresBackgroundAudio(_ declares: Bool) throws {
        try submit(.setDeclaresBackgroundAudio(app.id, declares))
    }

    /// Reports to the arbiter that the screen was locked or unlocked. While it is locked, every app
    /// counts as in the background (keeps BG-2, SIM-3).
    public func setScreenLocked(_ isLocked: Bool) throws { try submit(.setScreenLocked(isLocked)) }
}

/// The user's answers and the microphone's hardware switch, for shell integrations, tests and
/// tools.
extension AudioSessionHost {
    /// Sets the prompt that asks the user for permission the first time that the app starts to
    /// record or requests permission.
    ///
    /// The prompt calls `answer` once, on any thread, when the user has answered. Without a prompt,
    /// the library grants permission: a desktop lets every program read its microphone.
    public func setRecordPermissionPrompt(
        _ prompt: @escaping @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void
    ) { permission.setPrompt(prompt) }

    /// Sets the user's answer, or revokes it: after `undetermined`, the next request asks the user
    /// again (keeps PERM-2).
    public func setRecordPermission(_ permission: RecordPermission) {
        self.permission.set(permission)
    }

    /// Mutes or unmutes the microphone as its hardware switch does: as a mute key, which gives
    /// zeros to all inputs, or by a setting as a closed lid, which interrupts (keeps INT-10).
    public func setMicrophoneMuted(_ isMuted: Bool) throws { try submit(.setMicrophoneMuted(isMuted)) }
}

extension AudioApplication {
    /// The application of this process.
    public static var shared: AudioApplication { AudioSessionHost.shared.application }

    /// Asks the user for permission to record in this process, as the instance method does.
    public static func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        shared.requestRecordPermission(completionHandler: response)
    }

    /// Asks the user for permission to record in this process and returns whether it is granted.
    public static func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            shared.requestRecordPermission { continuation.resume(returning: $0) }
        }
    }
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
