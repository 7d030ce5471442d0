internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The state while the clients of an arbiter that died reconnect (SRV-3).
struct Rebuilding {
    /// When the state is rebuilt even if clients are missing, in seconds.
    let deadline: Double
    /// The clients of that arbiter that are alive and have not restored all their sessions. A
    /// process is listed once for each connection that had sessions.
    var expected: [ProcessMark]
    /// How many sessions each client has yet to restore.
    var missing: [UInt64: Int] = [:]
    var restored: [Restored] = []
    let system: SystemRecord

    /// A session that a client has restored, and the request that awaits its reply.
    struct Restored {
        var connection: UInt64
        var serial: UInt64
        var restoration: ClientMessage.Restoration
    }

    var isComplete: Bool { expected.isEmpty && missing.values.allSatisfy { $0 <= 0 } }
}

/// The sessions that one client restores after the state has been rebuilt. They are collected until
/// the client has sent all of them, and restored in one decision: none is notified of what follows
/// only from another one not being known yet.
struct LateRestoration {
    var restored: [Rebuilding.Restored] = []
    /// When the sessions that have arrived are restored although others are missing, in seconds. A
    /// client that joins has no such time: all of its sessions are restored, or none.
    var deadline: Double?
    /// What a client that joins has sent first; nil for a client that returns late.
    var join: ClientMessage.Join?
}
