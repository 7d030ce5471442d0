/// How a session for which others wait deactivates (ACT-8).
public enum DeactivationKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Notifies others, as with notifyOthersOnDeactivation: interruption ended, with shouldResume.
    case withNotice
    /// Reports the end of the interruption, but asks no session to resume (SIM-1 `--no-resume`).
    case withNoticeNotToResume
    /// Notifies no other session; waits lapse.
    case silent
}
