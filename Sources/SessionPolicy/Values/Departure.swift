/// How a session that stood in others' way leaves it (ACT-8).
public enum Departure: String, Hashable, Sendable, Codable, CaseIterable {
    /// As by notifyOthersOnDeactivation: ended + shouldResume.
    case withNotice
    /// Ended is told, but nobody shall start again by it (SIM-1 `--no-resume`).
    case withNoticeNotToResume
    /// Nobody is told; waits lapse.
    case silent
}
