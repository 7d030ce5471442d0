/// The user's settings for the events of the desktop (`audiosession-desktop`).
public struct DesktopSettings: Hashable, Sendable, Codable {
    /// Whether sessions are interrupted before the machine sleeps. Default true.
    public var reportsSleep = true
    /// Whether they should resume when it wakes. Default false.
    public var resumesAfterSleep = false
    /// What a locked screen means. Default ignore.
    public var lock = LockReaction.ignore
    /// Whether calls of modems interrupt sessions. Default true.
    public var reportsCalls = true
    /// Whether do-not-disturb is that of the desktop. Default true.
    public var reportsDoNotDisturb = true

    public init() {}

    public enum LockReaction: String, Hashable, Sendable, Codable, CaseIterable {
        /// Everything plays on.
        case ignore
        /// The arbiter knows that the screen is locked: apps are in the background (BG-2).
        case background
    }
}
