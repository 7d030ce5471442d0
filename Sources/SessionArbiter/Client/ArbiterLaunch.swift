internal import Foundation
internal import Platform

/// Connects to the arbiter of a user, and starts it if none is listening. If several processes do
/// so at the same time, a lock ensures that only one of them starts it.
package struct ArbiterLaunch: Sendable {
    let address: ArbiterAddress
    /// Time limit in seconds for the entire operation: connecting, waiting for other processes that
    /// start the arbiter, and starting it.
    static let limit = 5.0
    /// The maximum number of attempts after the first connection failed: an arbiter may exit before
    /// it replies, and so may the next one.
    private static let attempts = 8
    /// The minimum time in seconds for an arbiter's reply to hello, even if starting it took long.
    private static let minimumReplyTimeout = 0.5

    package init(address: ArbiterAddress) { self.address = address }

    /// How hard to try to connect.
    enum Attempt: Sendable {
        /// Starts an arbiter if necessary, and tries again if one ends before it has replied.
        case persistent
        /// Connects once and waits at most this many seconds for the reply to hello. Starts an
        /// arbiter first if none is listening and `starts` is true.
        case once(replyTimeout: Double, starts: Bool)
    }

    /// Connects and sends hello.
    func connect(
        _ attempt: Attempt, hello: ClientMessage.Hello, receive: @escaping @Sendable (ArbiterMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) -> ArbiterConnection {
        guard case .once(let timeout, let starts) = attempt else {
            return try connect(hello: hello, receive: receive, ended: ended)
        }
        let socket: OwnedDescriptor
        switch ArbiterConnection.connect(address, timeout: min(timeout, Self.limit)) {
        case .success(let connected): socket = connected
        case .failure(.noListener) where starts: socket = try connectOrStart(before: Deadline(seconds: Self.limit))
        case .failure(let failure): throw .unavailable(failure.reason)
        }
        return try ArbiterConnection(
            over: socket, at: address.path, hello: hello, timeout: timeout, receive: receive, ended: ended)
    }

    /// Connects and sends hello; starts an arbiter first if necessary.
    package func connect(
        hello: ClientMessage.Hello, receive: @escaping @Sendable (ArbiterMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) -> ArbiterConnection {
        let deadline = Deadline(seconds: Self.limit)
        if case .success(let socket) = ArbiterConnection.connect(address, timeout: deadline.seconds) {
            let timeout = min(ArbiterProtocol.replyTimeout, deadline.seconds)
            if let connection = try? ArbiterConnection(
                over: socket, at: address.path, hello: hello, timeout: timeout, receive: receive, ended: ended)
            {
                return connection
            }
        }
        // An arbiter that exits because no client needs it closes connections that arrive at that
        // moment; it holds the lock until it has exited. An arbiter that dies closes them too, and
        // the next one may die as well.
        for _ in 1..<Self.attempts {
            do throws(ArbiterError) {
                return try attemptConnection(before: deadline, hello: hello, receive: receive, ended: ended)
            } catch {
                guard !deadline.hasPassed else { throw error }
            }
        }
        return try attemptConnection(before: deadline, hello: hello, receive: receive, ended: ended)
    }

    /// Connects once, and starts an arbiter first if necessary, then sends hello.
    private func attemptConnection(
        before deadline: Deadline, hello: ClientMessage.Hello, receive: @escaping @Sendable (ArbiterMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) -> ArbiterConnection {
        let socket = try connectOrStart(before: deadline)
        return try ArbiterConnection(
            over: socket, at: address.path, hello: hello,
            timeout: min(ArbiterProtocol.replyTimeout, max(deadline.seconds, Self.minimumReplyTimeout)),
            receive: receive,
            ended: ended)
    }

    /// Returns whether the arbiter inherits an environment variable. It serves all apps, so it
    /// inherits only what it needs itself: where its files are, the language, the loader's path to
    /// its libraries, the desktop's bus, and settings for testing it. In particular it does not
    /// inherit LD_PRELOAD.
    private static func keepsVariable(_ name: String) -> Bool {
        let names: Set = [
            "HOME", "PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
            "DBUS_SESSION_BUS_ADDRESS", "LLVM_PROFILE_FILE",
        ]
        return names.contains(name) || name.hasSuffix("SAN_OPTIONS")
            || ["XDG_", "LC_", "AUDIOSESSION", "SWIFT_"].contains { name.hasPrefix($0) }
    }

    /// Returns a socket connected to the arbiter. Starts the arbiter under the lock if no process
    /// listens.
    private func connectOrStart(before deadline: Deadline) throws(ArbiterError) -> OwnedDescriptor {
        do throws(SystemFailure) {
            let lock = try FileLock(path: address.startingLock, within: deadline.seconds)
            defer { lock.unlock() }
            switch ArbiterConnection.connect(address, timeout: deadline.seconds) {
            case .success(let socket): return socket
            case .failure(.failed(let reason)): throw SystemFailure(reason)
            case .failure(.noListener): break
            }
            try ProgramLaunch.run(
                try ProgramLaunch.find("audiosessiond", orNamedBy: "AUDIOSESSIOND"),
                arguments: ["--socket", address.path], timeoutSeconds: deadline.seconds,
                keepsVariable: Self.keepsVariable)
            switch ArbiterConnection.connect(address, timeout: max(Self.minimumReplyTimeout, deadline.seconds)) {
            case .success(let socket): return socket
            case .failure(let failure): throw SystemFailure(failure.reason)
            }
        } catch {
            throw .unavailable(error.reason)
        }
    }
}
