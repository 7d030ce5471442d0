internal import Foundation
internal import Platform

/// Reaches the arbiter of a user, and starts it where none listens. Of many who start it at once one does.
package struct ArbiterLaunch: Sendable {
    let address: ArbiterAddress
    /// Seconds for all: connecting, waiting for others who start it, starting it.
    static let limit = 5.0
    /// To greet an arbiter: more than one may die, or leave, on the way.
    private static let attempts = 8
    /// Seconds that an arbiter has for its answer when it took so long to start.
    private static let leastTimeout = 0.5

    package init(address: ArbiterAddress) { self.address = address }

    /// Connects and says hello, with a new arbiter if need be.
    package func connect(
        hello: ClientMessage.Hello, receive: @escaping @Sendable (ArbiterMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) -> ArbiterConnection {
        let deadline = Deadline(seconds: Self.limit)
        if case .success(let socket) = ArbiterConnection.connect(address, timeout: deadline.seconds) {
            let timeout = min(ArbiterConnection.timeout, deadline.seconds)
            if let connection = try? ArbiterConnection(
                over: socket, at: address.path, hello: hello, timeout: timeout, receive: receive, ended: ended)
            {
                return connection
            }
        }
        // One that leaves because nobody needs it closes on whoever comes in that moment; it holds the lock until it is gone. One that
        // dies does so too, and the next may die as well.
        for _ in 1..<Self.attempts {
            do throws(ArbiterError) {
                return try greet(before: deadline, hello: hello, receive: receive, ended: ended)
            } catch {
                guard !deadline.hasPassed else { throw error }
            }
        }
        return try greet(before: deadline, hello: hello, receive: receive, ended: ended)
    }

    private func greet(
        before deadline: Deadline, hello: ClientMessage.Hello, receive: @escaping @Sendable (ArbiterMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) -> ArbiterConnection {
        let socket = try reachOrStart(before: deadline)
        return try ArbiterConnection(
            over: socket, at: address.path, hello: hello,
            timeout: min(ArbiterConnection.timeout, max(deadline.seconds, Self.leastTimeout)), receive: receive,
            ended: ended)
    }

    /// Held by who starts an arbiter, and by one that leaves; by no other.
    private var lockPath: String {
        let path = address.path
        return (path.hasSuffix(".socket") ? String(path.dropLast(7)) : path) + ".lock"
    }

    private func reachOrStart(before deadline: Deadline) throws(ArbiterError) -> OwnedDescriptor {
        do throws(SystemFailure) {
            let lock = try FileLock(path: lockPath, within: deadline.seconds)
            defer { lock.unlock() }
            switch ArbiterConnection.connect(address, timeout: deadline.seconds) {
            case .success(let socket): return socket
            case .failure(.failed(let reason)): throw SystemFailure(reason)
            case .failure(.nobody): break
            }
            try ProgramLaunch.run(
                try ProgramLaunch.find("audiosessiond", orNamedBy: "AUDIOSESSIOND"),
                arguments: ["--socket", address.path], limit: deadline.seconds)
            switch ArbiterConnection.connect(address, timeout: max(Self.leastTimeout, deadline.seconds)) {
            case .success(let socket): return socket
            case .failure(let failure): throw SystemFailure(failure.reason)
            }
        } catch {
            throw .unavailable(error.reason)
        }
    }
}
