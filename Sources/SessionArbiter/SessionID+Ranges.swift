package import SessionPolicy

/// The numbers of sessions. The arbiter of all apps assigns them from 1 upwards. A process that
/// arbitrates its own sessions because no arbiter answers uses numbers of a range of its own: it
/// may join an arbiter later, and its sessions then keep their numbers.
extension SessionID {
    /// The first number that the arbiter of all apps does not assign. All numbers can be
    /// represented exactly as floating-point numbers in JSON.
    private static let end: UInt64 = 1_000_000_000_000
    /// How many numbers a process has for its own sessions.
    private static let countPerProcess: UInt64 = 1_000_000

    /// Whether the arbiter of all apps can have assigned this number.
    package var isAssigned: Bool { rawValue > 0 && rawValue < Self.end }

    /// The numbers of the sessions that a process has registered without that arbiter. Empty for 0,
    /// a process outside this PID namespace.
    package static func own(ofProcess process: Int32) -> Range<UInt64> {
        guard process > 0 else { return 0..<0 }
        let start = end + UInt64(process) * countPerProcess
        return start + 1..<start + countPerProcess
    }
}
