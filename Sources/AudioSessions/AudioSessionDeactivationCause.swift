public import AudioSessionTypes
internal import SessionPolicy

/// Why the session is no longer active, in more detail than `AudioSessionDeactivationSource`.
public enum AudioSessionDeactivationCause: Hashable, Sendable {
    /// The app deactivated the session.
    case app
    /// Another session, the microphone's hardware switch or a disconnected output interrupted it
    /// (INT-2).
    case interruption(InterruptionReason)
    /// The app left the foreground or withdrew its declaration of background audio, or the screen
    /// was locked (BG-1, BG-2). Also reported when a setting resets the sessions with the server
    /// (SRV-2).
    case background
    /// The app was suspended (BG-3).
    case suspension
    /// The arbiter service dropped the session: the app had not responded for several seconds, or a
    /// service that replaced another one could not restore the session (ACT-12).
    case cutOff
    /// For the duration of `idleTimeout`, nothing played or recorded in the session.
    case idle
    /// The session ducked others for the duration of `duckLimit`.
    case duckLimit

    /// What ended the activity. The app's own limits count as the app.
    public var source: AudioSessionDeactivationSource {
        switch self {
        case .app, .idle, .duckLimit: .app
        case .interruption, .background, .suspension, .cutOff: .system
        }
    }

    /// The interruption reason to report; nil when the app ended the activity.
    var interruptionReason: InterruptionReason? {
        switch self {
        case .app, .idle, .duckLimit: nil
        case .interruption(let reason): reason
        case .background, .cutOff: .default
        case .suspension: .appWasSuspended
        }
    }
}

/// What ended the session's activity. Raw values are specific to this library.
public enum AudioSessionDeactivationSource: Int, Hashable, Sendable {
    /// The app, by a call or by a limit that it set.
    case app = 0
    /// An interruption, the background, suspension, a reset with the server, or the arbiter
    /// service, which dropped the session.
    case system = 1
}
