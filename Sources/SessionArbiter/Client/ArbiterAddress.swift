internal import Foundation
internal import Platform

/// Where the arbiter of a user listens: the path of its socket.
public struct ArbiterAddress: Hashable, Sendable {
    public let path: String

    /// Throws for a path that no socket can have.
    public init(path: String) throws(ArbiterError) {
        guard !path.isEmpty, path.utf8.count <= Self.longest, !path.utf8.contains(0) else {
            throw .unavailable(
                """
                its socket was to be at '\(path)', but such a path has 1 to \(Self.longest) bytes and this one has \
                \(path.utf8.count); set AUDIOSESSION_SOCKET or XDG_RUNTIME_DIR to another
                """)
        }
        self.path = path
    }

    /// What `AUDIOSESSION_SOCKET` says, else `arbiter.socket` in the user's runtime folder. Throws when there is no such folder to be had.
    public static func standard() throws(ArbiterError) -> ArbiterAddress {
        if let path = ProcessInfo.processInfo.environment["AUDIOSESSION_SOCKET"], !path.isEmpty {
            return try ArbiterAddress(path: path)
        }
        return try ArbiterAddress(path: try runtimeFolder() + "/arbiter.socket")
    }

    /// The runtime folder of the user, as an arbiter's error.
    static func runtimeFolder() throws(ArbiterError) -> String {
        do throws(SystemFailure) {
            return try RuntimeFolder.path()
        } catch {
            throw .unavailable(error.reason)
        }
    }

    /// What `sun_path` holds beside its end.
    private static let longest = 107
}
