internal import Foundation
internal import Platform

/// Chooses the arbiter that decides for a process.
public enum ArbiterChoice {
    /// Returns the arbiter of all apps of the user. Returns one within the process if
    /// `AUDIOSESSION_ARBITER` is `in-process`, or, with one warning on standard error, if the
    /// service is not available. All callers in a process share one arbiter for as long as one of
    /// them holds it.
    public static func make() -> any SessionArbiter {
        shared.withLock { shared in
            if let arbiter = shared.arbiter { return arbiter }
            let arbiter = choose()
            shared.arbiter = arbiter
            return arbiter
        }
    }

    private struct Shared { weak var arbiter: (any SessionArbiter)? }
    private static let shared = Mutex(Shared())

    private static func choose() -> any SessionArbiter {
        if ProcessInfo.processInfo.environment["AUDIOSESSION_ARBITER"] == "in-process" { return InProcessArbiter() }
        do throws(ArbiterError) {
            return try RemoteArbiter(at: try ArbiterAddress.standard())
        } catch {
            warn(error)
            return InProcessArbiter()
        }
    }

    private static let hasWarned = Mutex(false)

    private static func warn(_ error: ArbiterError) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        let line = """
            audio session: \(error.description) This process arbitrates its own sessions only: other apps neither \
            interrupt it nor are interrupted by it. If this is intended, set AUDIOSESSION_ARBITER=in-process.

            """
        FileHandle.standardError.write(Data(line.utf8))
    }
}
