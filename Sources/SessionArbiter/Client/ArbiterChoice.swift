internal import Foundation
internal import Platform

/// Which arbiter decides for a process.
public enum ArbiterChoice {
    /// The one of all apps of the user; within the process where `AUDIOSESSION_ARBITER` says `in-process`, and, with one warning on standard
    /// error, where there is no service to be had. Everybody in a process gets the same one, as long as somebody holds it.
    public static func make() -> any SessionArbiter {
        shared.withLock { shared in
            if let arbiter = shared.arbiter { return arbiter }
            let arbiter = choose()
            shared.arbiter = arbiter
            return arbiter
        }
    }

    private struct Shared { weak var arbiter: (any SessionArbiter)? }
    private static let shared = Locked(Shared())

    private static func choose() -> any SessionArbiter {
        if ProcessInfo.processInfo.environment["AUDIOSESSION_ARBITER"] == "in-process" { return InProcessArbiter() }
        do throws(ArbiterError) {
            return try RemoteArbiter(at: try ArbiterAddress.standard())
        } catch {
            warn(error)
            return InProcessArbiter()
        }
    }

    private static let hasWarned = Locked(false)

    private static func warn(_ error: ArbiterError) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        let line = """
            audio session: \(error.description) This process arbitrates for itself alone, so that other apps neither interrupt it nor are \
            interrupted; AUDIOSESSION_ARBITER=in-process says that this is wanted.

            """
        FileHandle.standardError.write(Data(line.utf8))
    }
}
