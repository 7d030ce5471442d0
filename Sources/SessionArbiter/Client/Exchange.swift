internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionPolicy

/// Requests and replies over one socket: numbers go out strictly growing, and every reply finds who asked.
final class Exchange: Sendable {
    private struct State {
        var serial: UInt64 = 0
        var waiting: [UInt64: Waiter] = [:]
        /// What the arbiter said before it closed.
        var farewell: RequestError?
        var hasEnded = false
        /// Said hello and was welcomed: who is told of the end.
        var isWelcome = false
    }

    private struct Waiter {
        let answer: Answer<Result<PendingReply.Content, ExchangeFailure>>?
        let taking: PendingReply.Taking?
        var isLate = false
    }
    private let socket: PacketSocket
    private let place: String
    private let receive: @Sendable (ArbiterMessage) -> Void
    private let state = Locked(State())
    /// Whose turn it is to number a message and send it. A semaphore, because the wait for it has an end.
    private let turn = DispatchSemaphore(value: 1)
    /// Nothing more is read.
    private let isOver = Answer<Void>()
    /// Bytes of a long reply; a log at its largest is some tens of millions.
    private static let longestReply = 1 << 28

    init(_ socket: PacketSocket, place: String, receive: @escaping @Sendable (ArbiterMessage) -> Void) {
        self.socket = socket
        self.place = place
        self.receive = receive
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Asking

    /// Says hello; throws when this client and the arbiter do not speak the same protocol.
    func begin(_ hello: ClientMessage.Hello, timeout: Double) throws(ExchangeFailure) -> Reply.Welcome {
        let deadline = Deadline(seconds: timeout)
        let reply: Reply
        do throws(ExchangeFailure) {
            reply = try send(.hello(hello), before: deadline).wait(before: deadline).reply
        } catch {
            guard case .end = error else { throw error }
            // It may have said why before it closed.
            _ = isOver.wait(seconds: deadline.seconds)
            throw end(of: "hello")
        }
        guard let welcome = reply.welcome, welcome.version == ArbiterProtocol.version else {
            throw .answer(
                RequestError(
                    .unavailable,
                    """
                    The program at '\(place)' does not speak version \(ArbiterProtocol.version) of the protocol; end it, so that the one that \
                    came with this library is started.
                    """))
        }
        let hasEnded = state.withLock { state in
            state.isWelcome = !state.hasEnded
            return state.hasEnded
        }
        guard !hasEnded else { throw end(of: "hello") }
        return welcome
    }

    /// Sends a request; the reply is to be waited for.
    func send(
        _ request: ClientMessage.Request, before deadline: Deadline, taking: PendingReply.Taking? = nil
    ) throws(ExchangeFailure) -> PendingReply {
        let answer = Answer<Result<PendingReply.Content, ExchangeFailure>>()
        let serial = try post(request, before: deadline, Waiter(answer: answer, taking: taking))
        return PendingReply(serial: serial, answer: answer, exchange: self, asked: request.name)
    }

    /// Sends a message under the next number, with whoever waits for the reply noted before.
    @discardableResult
    private func post(
        _ request: ClientMessage.Request, before deadline: Deadline, _ waiter: Waiter? = nil
    ) throws(ExchangeFailure) -> UInt64 {
        guard turn.wait(timeout: .now() + deadline.seconds) == .success else { throw silence(request.name) }
        defer { turn.signal() }
        let serial: UInt64? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.serial += 1
            state.waiting[state.serial] = waiter
            return state.serial
        }
        guard let serial else { throw end(of: request.name) }
        do throws(ExchangeFailure) {
            try sendPacket(ClientMessage(serial: serial, request), before: deadline)
        } catch {
            state.withLock { $0.waiting[serial] = nil }
            throw error
        }
        return serial
    }

    private func sendPacket(_ message: ClientMessage, before deadline: Deadline) throws(ExchangeFailure) {
        let name = message.request.name
        guard let packet = try? JSONEncoder().encode(message) else {
            throw .answer(
                RequestError(
                    .malformed, "'\(name)' was to be asked of the arbiter, but a value in it is no number; correct it.")
            )
        }
        do throws(PacketSocket.SendFailure) {
            guard packet.count <= ArbiterProtocol.packetLimit else { throw .tooLong }
            try socket.send(packet, before: deadline)
        } catch {
            switch error {
            case .full: throw silence(name)
            case .ended: throw end(of: name)
            case .tooLong:
                throw .answer(
                    RequestError(
                        .limit,
                        """
                        '\(name)' was to be asked of the arbiter in \(packet.count) bytes, but a packet has at most \
                        \(ArbiterProtocol.packetLimit); say it in fewer.
                        """))
            }
        }
    }

    /// Nobody waits for this reply any longer; false when it has come already, and is being looked at.
    func giveUp(_ serial: UInt64) -> Bool {
        state.withLock { state in
            guard let waiter = state.waiting[serial] else { return false }
            if waiter.taking == nil {
                state.waiting[serial] = nil
            } else {
                state.waiting[serial]?.isLate = true
            }
            return true
        }
    }

    func silence(_ asked: String) -> ExchangeFailure {
        .silence(
            RequestError(
                .unavailable,
                """
                '\(asked)' was asked of the arbiter at '\(place)', but it does not answer; if it hangs, end audiosessiond: the next call \
                starts another.
                """))
    }

    private func end(of asked: String) -> ExchangeFailure {
        .end(
            state.withLock { $0.farewell }
                ?? RequestError(
                    .unavailable,
                    "'\(asked)' was asked of the arbiter at '\(place)', but the connection has ended; ask again on a new one."
                ))
    }

    // MARK: Reading

    /// Reads until the connection is over. On the reading thread.
    func read(ended: @Sendable () -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArbiterProtocol.packetLimit, alignment: 16)
        defer { buffer.deallocate() }
        while !hasEnded, let received = socket.receive(into: buffer) {
            let bytes = Data(buffer[..<received.count])
            guard let message = try? JSONDecoder().decode(ArbiterMessage.self, from: bytes) else {
                // What a newer arbiter may tell beside this is not for us; what is known must be understood.
                if UnknownMessage.isOne(bytes) { continue }
                break
            }
            guard take(message, received.descriptor) else { break }
        }
        end()
        isOver.set(())
        if state.withLock({ $0.isWelcome }) { ended() }
    }

    /// False when it breaks the protocol.
    private func take(_ message: ArbiterMessage, _ descriptor: OwnedDescriptor?) -> Bool {
        switch message {
        case .reply(let serial, let reply):
            answer(serial, .success(.init(reply: reply, descriptor: descriptor)))
        case .failure(0, let error): state.withLock { $0.farewell = error }
        case .failure(let serial, let error): answer(serial, .failure(.answer(error)))
        case .long(let serial):
            guard let reply = descriptor.flatMap(Self.readLong) else { return false }
            answer(serial, .success(.init(reply: reply, descriptor: nil)))
        case .ping(let number):
            _ = try? post(.pong(number), before: Deadline(seconds: ArbiterConnection.timeout))
        case .notice, .status, .application, .devices, .hardware, .decision: receive(message)
        }
        return true
    }

    private func answer(_ serial: UInt64, _ result: Result<PendingReply.Content, ExchangeFailure>) {
        let waiter = state.withLock { $0.waiting.removeValue(forKey: serial) }
        if case .success(let content) = result, let taking = waiter?.taking {
            guard waiter?.isLate == false else {
                guard let undoing = taking.undo(content.reply) else { return }
                return _ = try? post(undoing, before: Deadline(seconds: ArbiterConnection.timeout))
            }
            taking.take(content)
        }
        waiter?.answer?.set(result)
    }

    private static func readLong(_ descriptor: OwnedDescriptor) -> Reply? {
        let size = ssocket_memory_size(descriptor.number)
        guard size > 0, size <= longestReply else { return nil }
        var bytes = Data(count: size)
        let count = bytes.withUnsafeMutableBytes { ssocket_memory_read(descriptor.number, $0.baseAddress, $0.count) }
        guard count == size else { return nil }
        return try? JSONDecoder().decode(Reply.self, from: bytes)
    }

    /// Ends the connection; whoever waits is told. Idempotent.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        socket.shutDown()
        for (_, waiter) in waiting { waiter.answer?.set(.failure(end(of: "a request"))) }
    }
}

extension ClientMessage.Request {
    /// For messages.
    var name: String {
        switch self {
        case .hello: "hello"
        case .restore(let restoration): "restore \(restoration.record.session.id)"
        case .register: "register"
        case .submit(let action): String(String(describing: action).prefix(120))
        case .beginSystemSession: "beginSystemSession"
        case .loan: "loan"
        case .rateLoan: "rateLoan"
        case .permission: "permission"
        case .report: "report"
        case .log: "log"
        case .history: "history"
        case .synchronise: "synchronise"
        case .pong: "pong"
        }
    }
}

/// Something that this version has no name for.
private enum UnknownMessage {
    private static let known: Set = [
        "reply", "notice", "status", "application", "devices", "hardware", "ping", "decision",
    ]

    static func isOne(_ bytes: Data) -> Bool {
        guard let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else { return false }
        return !object.isEmpty && known.isDisjoint(with: object.keys)
    }
}
