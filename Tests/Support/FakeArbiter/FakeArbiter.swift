internal import CSessionSocket
internal import Foundation
internal import Platform
package import SessionArbiter
internal import SessionPolicy
internal import TestSupport

/// A fake arbiter: a socket, and a script that runs for every client, on a thread of its own.
package final class FakeArbiter: Sendable {
    package let address: ArbiterAddress
    private let folder: TemporaryDirectory
    private let listener: Int32
    private let thread = WorkerThread()

    /// The arbiter's end of one connection; closed when the script has ended.
    package final class Peer: Sendable {
        /// Number of the connection, starting at 1.
        package let number: Int
        private let socket: Int32

        init(number: Int, socket: Int32) {
            self.number = number
            self.socket = socket
        }

        deinit { close(socket) }

        package func send(_ message: ArbiterMessage, descriptor: Int32 = -1) {
            guard let data = try? JSONEncoder().encode(message) else { return }
            send(raw: Array(data), descriptor: descriptor)
        }

        package func send(raw bytes: [UInt8], descriptor: Int32 = -1) {
            while ssocket_send(socket, bytes, bytes.count, descriptor) == -Int(EAGAIN) { wait(for: POLLOUT) }
        }

        /// Returns the next message; nil when the client has disconnected. Answers `keys` as an
        /// older arbiter does, which does not know that request.
        package func receive() -> ClientMessage? {
            while let message = receiveAny() {
                guard case .keys = message.request else { return message }
                send(.failure(message.serial, RequestError(.malformed, "A request 'keys' is not known.")))
            }
            return nil
        }

        private func receiveAny() -> ClientMessage? {
            var bytes = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)
            while true {
                let count = ssocket_receive(socket, &bytes, bytes.count, false, nil)
                guard count == -Int(EAGAIN) else {
                    guard count > 0 else { return nil }
                    return try? JSONDecoder().decode(ClientMessage.self, from: Data(bytes[..<count]))
                }
                wait(for: POLLIN)
            }
        }

        /// Waits for hello and answers it; returns the hello message.
        @discardableResult
        package func welcome(
            as arbiter: UInt64 = 1, version: Int = ArbiterProtocol.versions.upperBound
        ) -> ClientMessage.Hello? {
            guard let message = receive(), case .hello(let hello) = message.request else { return nil }
            var reply = Reply()
            reply.welcome = Reply.Welcome(
                version: version, arbiter: arbiter, app: AppID(UInt64(getpid())), isTrusted: false,
                settings: ArbiterSettings())
            send(.reply(message.serial, reply))
            return hello
        }

        /// Answers every request until the client disconnects.
        package func obey() { while let message = receive() { send(.reply(message.serial, Reply())) } }

        /// Returns when the client has disconnected.
        package func awaitEnd() { while receive() != nil {} }

        private func wait(for events: Int32) {
            var watched = pollfd(fd: socket, events: Int16(events), revents: 0)
            _ = poll(&watched, 1, -1)
        }
    }

    package init(_ script: @escaping @Sendable (Peer) -> Void) throws {
        folder = try TemporaryDirectory()
        address = try ArbiterAddress(path: folder.file("a.socket"))
        listener = ssocket_listen(address.path, 8)
        guard listener >= 0 else { throw TestFailure("No socket can be listened at.") }
        let isStarted = thread.start(name: "fake-arbiter") { [listener] in
            for number in 1... {
                var watched = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                _ = poll(&watched, 1, -1)
                let socket = ssocket_accept(listener)
                guard socket >= 0 else { return }
                let peer = Peer(number: number, socket: socket)
                guard WorkerThread().start(name: "fake-peer", { script(peer) }) else { return }
            }
        }
        guard isStarted else { throw TestFailure("No thread can be created.") }
    }

    /// Stops listening; open connections remain.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join(seconds: 10)
        close(listener)
    }
}

/// The arbiters of one test. They listen until the test ends.
package final class FakeArbiters: Sendable {
    package init() {}

    private let all = Mutex<[FakeArbiter]>([])

    package func start(_ script: @escaping @Sendable (FakeArbiter.Peer) -> Void) throws -> FakeArbiter {
        let one = try FakeArbiter(script)
        all.withLock { $0.append(one) }
        return one
    }
}

/// A gate as an arbiter creates it, with its page writable by the test.
package final class FakeGate: @unchecked Sendable {
    // Immutable; the page's words are atomic.
    package let page: OpaquePointer
    package let descriptor: Int32

    package init() throws {
        var page: OpaquePointer?
        descriptor = ssocket_gate_create(&page)
        guard let page else { throw TestFailure("There is no memory for a gate.") }
        self.page = page
    }

    deinit {
        ssocket_gate_unmap(page)
        close(descriptor)
    }
}
