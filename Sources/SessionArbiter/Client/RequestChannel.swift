internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionPolicy

/// Requests and replies over one socket. Serials strictly increase, and every reply reaches the
/// caller that sent the request.
final class RequestChannel: Sendable {
    private struct State {
        var serial: UInt64 = 0
        var waiting: [UInt64: Waiter] = [:]
        /// The arbiter's last message before it closed the connection.
        var shutdown: RequestError?
        var hasEnded = false
        /// Whether hello was sent and accepted; then `ended` is called at the end.
        var isWelcome = false
    }

    private struct Waiter {
        let result: Promise<Result<PendingReply.Content, RequestChannelError>>?
        let handler: PendingReply.ReplyHandler?
        var isAbandoned = false
    }
    private let socket: PacketSocket
    private let socketName: String
    private let receive: @Sendable (ArbiterMessage) -> Void
    private let state = Mutex(State())
    /// Held while a thread assigns a serial to a message and sends it. A semaphore, because waiting
    /// for one can time out.
    private let sending = DispatchSemaphore(value: 1)
    /// Set when the reading thread has read the last message.
    private let hasFinishedReading = Promise<Void>()
    /// The maximum size of a long reply in bytes; the largest log takes some tens of millions.
    private static let longestReply = 1 << 28

    init(_ socket: PacketSocket, socketName: String, receive: @escaping @Sendable (ArbiterMessage) -> Void) {
        self.socket = socket
        self.socketName = socketName
        self.receive = receive
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Requests

    /// Sends hello. Throws if the arbiter refuses this client, supports another version of the
    /// protocol, has ended, or does not reply in time.
    func begin(_ hello: ClientMessage.Hello, timeout: Double) throws(RequestChannelError) -> Reply.Welcome {
        let deadline = Deadline(seconds: timeout)
        let reply: Reply
        do throws(RequestChannelError) {
            reply = try ask(.hello(hello), before: deadline).reply
        } catch {
            guard case .ended = error else { throw error }
            // The arbiter may have sent a reason before it closed.
            _ = hasFinishedReading.wait(seconds: deadline.seconds)
            throw endError(of: "hello")
        }
        guard let welcome = reply.welcome, ArbiterProtocol.versions.contains(welcome.version) else {
            throw .rejected(
                RequestError(
                    .unavailable,
                    """
                    The program at '\(socketName)' does not support \(ArbiterProtocol.supportedVersions) \
                    of the protocol. End it, so that the one that came with this library is started.
                    """))
        }
        let hasEnded = state.withLock { state in
            state.isWelcome = !state.hasEnded
            return state.hasEnded
        }
        guard !hasEnded else { throw endError(of: "hello") }
        return welcome
    }

    /// Sends a request and waits for the reply; `handler` handles it as soon as it arrives.
    func ask(
        _ request: ClientMessage.Request, before deadline: Deadline, handler: PendingReply.ReplyHandler? = nil
    ) throws(RequestChannelError) -> PendingReply.Content {
        try wait(for: try send(request, before: deadline, handler: handler), before: deadline)
    }

    /// Sends a request and returns its pending reply.
    func send(
        _ request: ClientMessage.Request, before deadline: Deadline = Deadline(seconds: ArbiterProtocol.replyTimeout),
        handler: PendingReply.ReplyHandler? = nil
    ) throws(RequestChannelError) -> PendingReply {
        let result = Promise<Result<PendingReply.Content, RequestChannelError>>()
        let serial = try post(request, before: deadline, Waiter(result: result, handler: handler))
        return PendingReply(serial: serial, request: request, result: result)
    }

    /// Waits for a reply until the deadline. A reply that arrives later is not delivered.
    func wait(for reply: PendingReply, before deadline: Deadline) throws(RequestChannelError) -> PendingReply.Content {
        if let result = reply.result.wait(seconds: deadline.seconds) { return try result.get() }
        // If the reply has just arrived and is being handled, wait for the result.
        if !stopWaiting(for: reply.serial), let result = reply.result.wait(seconds: ArbiterProtocol.replyTimeout) {
            return try result.get()
        }
        throw timeoutError(of: reply.request)
    }

    /// Assigns the next serial, registers the waiter for the reply, and sends the message. Returns
    /// the serial.
    @discardableResult
    private func post(
        _ request: ClientMessage.Request, before deadline: Deadline, _ waiter: Waiter? = nil
    ) throws(RequestChannelError) -> UInt64 {
        guard sending.wait(timeout: .now() + deadline.seconds) == .success else { throw timeoutError(of: request) }
        defer { sending.signal() }
        let serial: UInt64? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.serial += 1
            state.waiting[state.serial] = waiter
            return state.serial
        }
        guard let serial else { throw endError(of: request.name) }
        do throws(RequestChannelError) {
            try sendPacket(ClientMessage(serial: serial, request), before: deadline)
        } catch {
            state.withLock { $0.waiting[serial] = nil }
            throw error
        }
        return serial
    }

    private func sendPacket(_ message: ClientMessage, before deadline: Deadline) throws(RequestChannelError) {
        guard let packet = try? JSONEncoder().encode(message) else {
            throw .rejected(
                RequestError(
                    .malformed,
                    "'\(message.request.name)' cannot be sent because a value in it is not a finite number; correct it."
                )
            )
        }
        do throws(PacketSocket.SendFailure) {
            guard packet.count <= ArbiterProtocol.packetLimit else { throw .tooLong }
            try socket.send(packet, before: deadline)
        } catch {
            switch error {
            case .full: throw timeoutError(of: message.request)
            case .ended: throw endError(of: message.request.name)
            case .tooLong:
                throw .rejected(
                    RequestError(
                        .limit,
                        """
                        '\(message.request.name)' cannot be sent because it takes \(packet.count) bytes and a packet has at most \
                        \(ArbiterProtocol.packetLimit); shorten it.
                        """))
            }
        }
    }

    /// Stops waiting for a reply. If it arrives later, its request is undone, if it has a handler.
    /// Returns false if the reply has already arrived and is being handled.
    private func stopWaiting(for serial: UInt64) -> Bool {
        state.withLock { state in
            guard let waiter = state.waiting[serial] else { return false }
            if waiter.handler == nil {
                state.waiting[serial] = nil
            } else {
                state.waiting[serial]?.isAbandoned = true
            }
            return true
        }
    }

    private func timeoutError(of request: ClientMessage.Request) -> RequestChannelError {
        .timedOut(
            RequestError(
                .unavailable,
                """
                '\(request.name)' failed: the arbiter at '\(socketName)' does not answer. If it hangs, end \
                audiosessiond; the next call starts another.
                """))
    }

    private func endError(of requestName: String) -> RequestChannelError {
        .ended(
            state.withLock { $0.shutdown }
                ?? RequestError(
                    .unavailable,
                    """
                    '\(requestName)' failed: the connection to the arbiter at '\(socketName)' has ended; try again \
                    on a new one.
                    """))
    }

    // MARK: Reading

    /// Reads and handles messages until the connection has ended, then calls `ended`. [reading
    /// thread]
    func read(ended: @Sendable () -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArbiterProtocol.packetLimit, alignment: 16)
        defer { buffer.deallocate() }
        while !hasEnded, let received = socket.receive(into: buffer) {
            let bytes = Data(buffer[..<received.count])
            guard let message = try? JSONDecoder().decode(ArbiterMessage.self, from: bytes) else {
                // A newer arbiter may send messages that this version does not know; these are
                // ignored. A known message must be valid.
                if UnknownMessage.isOne(bytes) { continue }
                break
            }
            guard handle(message, received.descriptor) else { break }
        }
        end()
        hasFinishedReading.set(())
        if state.withLock({ $0.isWelcome }) { ended() }
    }

    /// Handles a message; returns false if it violates the protocol.
    private func handle(_ message: ArbiterMessage, _ descriptor: OwnedDescriptor?) -> Bool {
        switch message {
        case .reply(let serial, let reply):
            deliver(serial, .success(.init(reply: reply, descriptor: descriptor)))
        case .failure(0, let error): state.withLock { $0.shutdown = error }
        case .failure(let serial, let error): deliver(serial, .failure(.rejected(error)))
        case .long(let serial):
            guard let reply = descriptor.flatMap(Self.readLong) else { return false }
            deliver(serial, .success(.init(reply: reply, descriptor: nil)))
        case .ping(let number):
            _ = try? post(.pong(number), before: Deadline(seconds: ArbiterProtocol.replyTimeout))
        case .notice, .status, .application, .devices, .hardware, .decision: receive(message)
        }
        return true
    }

    /// Passes a reply or an error to the waiter, after its handler has handled the reply. If the
    /// waiter has given up, undoes the request instead.
    private func deliver(_ serial: UInt64, _ result: Result<PendingReply.Content, RequestChannelError>) {
        let waiter = state.withLock { $0.waiting.removeValue(forKey: serial) }
        if case .success(let content) = result, let handler = waiter?.handler {
            guard waiter?.isAbandoned == false else {
                guard let undo = handler.undo(content.reply) else { return }
                return _ = try? post(undo, before: Deadline(seconds: ArbiterProtocol.replyTimeout))
            }
            handler.handle(content)
        }
        waiter?.result?.set(result)
    }

    /// Reads a long reply from the memory file that came with its message; nil if it is invalid.
    private static func readLong(_ descriptor: OwnedDescriptor) -> Reply? {
        let size = ssocket_memory_size(descriptor.number)
        guard size > 0, size <= longestReply else { return nil }
        var bytes = Data(count: size)
        let count = bytes.withUnsafeMutableBytes { ssocket_memory_read(descriptor.number, $0.baseAddress, $0.count) }
        guard count == size else { return nil }
        return try? JSONDecoder().decode(Reply.self, from: bytes)
    }

    /// Ends the connection; requests that wait fail. Idempotent.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        socket.shutDown()
        for (_, waiter) in waiting { waiter.result?.set(.failure(endError(of: "a request"))) }
    }
}

extension ClientMessage.Request {
    /// The name in messages.
    var name: String {
        switch self {
        case .hello: "hello"
        case .join: "join"
        case .restore(let restoration): "restore \(restoration.record.session.id)"
        case .register: "register"
        case .submit(let action): String(String(describing: action).prefix(120))
        case .beginSystemSession: "beginSystemSession"
        case .bufferSizeOverride: "loan"
        case .sampleRateOverride: "rateLoan"
        case .permission: "permission"
        case .describe(let session, _): "describe \(session)"
        case .report: "report"
        case .log: "log"
        case .history: "history"
        case .nowPlaying: "nowPlaying"
        case .keys: "keys"
        case .synchronise: "synchronise"
        case .pong: "pong"
        }
    }
}

/// Recognizes messages for which this version has no name, and notices that contain values for
/// which it has none, such as the effect.
private enum UnknownMessage {
    private static let known: Set = [
        "reply", "notice", "status", "application", "devices", "hardware", "ping", "decision",
    ]

    static func isOne(_ bytes: Data) -> Bool {
        guard let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else { return false }
        if let notice = object["notice"] as? [String: Any] {
            return notice["decision"] is NSNumber && notice["session"] is NSNumber && notice["effect"] is String
        }
        return !object.isEmpty && known.isDisjoint(with: object.keys)
    }
}
