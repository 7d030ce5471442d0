/// One audio session, for as long as its arbiter knows it.
public struct SessionID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "session \(rawValue)" }
}

/// One app (a process): what its sessions share is foreground, permission, declared background audio, and death.
public struct AppID: Hashable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Who owns the system's sessions; it never dies.
    public static let system = AppID(0)

    public var description: String { "app \(rawValue)" }
}

/// When an event happened. The policy has no clock: it copies these times into reasons, and decides by them
/// in one place only: how long a remote command lends the foreground (ACT-16).
public struct EventTime: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds of the arbiter's steady clock.
    public var nanoseconds: UInt64

    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    public static let zero = EventTime(nanoseconds: 0)

    public static func < (a: EventTime, b: EventTime) -> Bool { a.nanoseconds < b.nanoseconds }
}

/// Who goes before whom. Ranks above `app` are *system sessions* (ACT-4).
public enum Rank: Int, Hashable, Comparable, Sendable, Codable, CaseIterable {
    case app, assistant, alarm, call

    public static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }

    public var isSystem: Bool { self > .app }
}
