internal import Foundation
internal import Platform

/// The address at which a user's arbiter listens: the path of its socket.
public struct ArbiterAddress: Hashable, Sendable {
    public let path: String

    /// Throws if no socket can have this path: it is empty, too long, or contains a zero byte.
    public init(path: String) throws(ArbiterError) {
        guard !path.isEmpty, path.utf8.count <= Self.longest, !path.utf8.contains(0) else {
            throw .unavailable(
                """
                its socket path '\(path)' must have 1 to \(Self.longest) bytes and no zero byte, and has \
                \(path.utf8.count) bytes; set AUDIOSESSION_SOCKET or XDG_RUNTIME_DIR to another path
                """)
        }
        self.path = path
    }

    /// Returns the path in `AUDIOSESSION_SOCKET`, otherwise `arbiter.socket` in the user's runtime
    /// folder. Throws if that folder cannot be created or is not private to the user, or if no
    /// socket can have the path.
    public static func standard() throws(ArbiterError) -> ArbiterAddress {
        try standard(in: ProcessInfo.processInfo.environment)
    }

    /// Returns that path for an environment.
    static func standard(in environment: [String: String]) throws(ArbiterError) -> ArbiterAddress {
        if let path = environment["AUDIOSESSION_SOCKET"], !path.isEmpty { return try ArbiterAddress(path: path) }
        let folder: String
        do throws(SystemFailure) {
            folder = try RuntimeFolder.path(environment: environment)
        } catch {
            throw .unavailable(error.reason)
        }
        return try ArbiterAddress(path: folder + "/arbiter.socket")
    }

    /// The socket's path without its extension: the beginning of the names of all files of a
    /// service.
    package var base: String { path.hasSuffix(".socket") ? String(path.dropLast(7)) : path }

    /// The lock that a running service holds.
    package var runningLock: String { base + ".running" }

    /// The lock held by a process that starts a service and by a service that exits, and by no
    /// other.
    package var startingLock: String { base + ".lock" }

    /// The capacity of `sun_path` in bytes, without the terminating zero.
    private static let longest = 107
}
