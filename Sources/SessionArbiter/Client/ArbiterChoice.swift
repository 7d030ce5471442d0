internal import Foundation
internal import Platform

/// Chooses the arbiter that decides for a process.
public enum ArbiterChoice {
    /// Returns the arbiter of all apps of the user. Returns one within the process if
    /// `AUDIOSESSION_ARBITER` is `in-process`. If the service is not available, warns once on
    /// standard error and returns one that arbitrates within the process until it can join the
    /// service. All callers in a process share one arbiter for as long as one of them holds it.
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
        // Read once: the app may change it while this process looks for the arbiter.
        let environment = ProcessInfo.processInfo.environment
        if environment["AUDIOSESSION_ARBITER"] == "in-process" { return InProcessArbiter() }
        let address: ArbiterSearch.Address = { () throws(ArbiterError) in try ArbiterAddress.standard(in: environment) }
        do throws(ArbiterError) {
            return try RemoteArbiter(at: try address())
        } catch {
            warn(error)
            return JoiningArbiter(at: address) { address in
                report("This process has joined the arbiter at '\(address.path)': all apps are arbitrated together.")
            }
        }
    }

    private static func report(_ text: String) {
        FileHandle.standardError.write(Data("audio session: \(text)\n".utf8))
    }

    private static let hasWarned = Mutex(false)

    private static func warn(_ error: ArbiterError) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        report(
            """
            \(error.description) This process arbitrates its own sessions only, until it can join an arbiter: other \
            apps neither interrupt it nor are interrupted by it. If this is intended, set \
            AUDIOSESSION_ARBITER=in-process.
            """)
    }
}
