/// What an active session in which nothing sounds no longer does to other sessions (ACT-17).
public enum IdleRelease: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// It takes part as any active session does.
    case none
    /// It lowers nobody.
    case ducking
    /// For other sessions it has deactivated with notice: it lowers, mutes and interrupts nobody,
    /// and nobody waits for it.
    case all

    public static func < (a: IdleRelease, b: IdleRelease) -> Bool {
        allCases.firstIndex(of: a) ?? 0 < allCases.firstIndex(of: b) ?? 0
    }
}

/// The silence of an active session: it neither plays nor records (ACT-17).
public struct Silence: Hashable, Sendable, Codable {
    public var since: EventTime
    /// Since when, in addition, none of its players has been paused part-way; nil while one is.
    public var unusedSince: EventTime?
    /// What the silence has released other sessions from.
    public var release = IdleRelease.none

    public init(since: EventTime, unusedSince: EventTime?, release: IdleRelease = .none) {
        self.since = since
        self.unusedSince = unusedSince
        self.release = release
    }
}
