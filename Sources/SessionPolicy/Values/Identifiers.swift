/// Identifies one audio session for as long as its arbiter knows it.
public struct SessionID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "session \(rawValue)" }
}

/// Identifies one app (a process). The sessions of an app share its foreground state, permission
/// and declared background audio, and end with it.
public struct AppID: Hashable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The app that owns the system's sessions. It is not a process and never ends.
    public static let system = AppID(0)

    public var description: String { "app \(rawValue)" }
}

/// The time of an event. The policy has no clock. It copies these times into reasons, and says when
/// a silent session is due to release others (ACT-17). Two decisions depend on them: whether a
/// session still counts as in the foreground after a remote play command (ACT-16), and, when the
/// state is rebuilt, whether the microphone was muted after a session became active (INT-10).
public struct EventTime: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds of the arbiter's monotonic clock.
    public var nanoseconds: UInt64

    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Returns the time a number of seconds later, from 0 to 1e9.
    func advanced(by seconds: Double) -> EventTime {
        let (end, isBeyond) = nanoseconds.addingReportingOverflow(UInt64(min(max(0, seconds), 1e9) * 1e9))
        return EventTime(nanoseconds: isBeyond ? .max : end)
    }

    public static let zero = EventTime(nanoseconds: 0)

    public static func < (a: EventTime, b: EventTime) -> Bool { a.nanoseconds < b.nanoseconds }
}

/// The rank of a session, which decides precedence. Sessions of ranks above `app` are *system
/// sessions* (ACT-4). One of rank `sleep` lasts while the machine sleeps.
public enum Rank: Int, Hashable, Comparable, Sendable, Codable, CaseIterable {
    case app, assistant, alarm, call, sleep

    public static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }

    public var isSystem: Bool { self > .app }
}
