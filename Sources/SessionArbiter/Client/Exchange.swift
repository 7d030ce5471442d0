internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionPolicy

/// A reply on its way.
struct PendingReply: Sendable {
    struct Content: Sendable {
        var reply: Reply
        var descriptor: OwnedDescriptor?
    }
    fileprivate let serial: UInt64
    fileprivate let answer: Answer<Result<Content, RequestError>>
    fileprivate let exchange: Exchange
    fileprivate let asked: String

    /// Waits for it; a reply that comes later is thrown away.
    func wait(before deadline: Deadline) throws(RequestError) -> Content {
        guard let result = answer.wait(seconds: deadline.seconds) else {
            exchange.giveUp(serial)
            throw exchange.silence(asked)
        }
        return try result.get()
    }
}

/// Requests and replies over one socket: numbers go out strictly growing, and every reply finds who asked.
final class Exchange: Sendable {
    private struct State {
        var serial: UInt64 = 0
        var waiting: [UInt64: Answer<Result<PendingReply.Content, RequestError>>] = [:]
        var hasEnded = false
        /// Said hello and was welcomed: who is told of the end.
        var isWelcome = false
    }
    private let socket: PacketSocket
    private let place: String
    private let receive: @Sendable (ArbiterMessage) -> Void
    private let state = Locked(State())
    /// Whose turn it is to number a message and send it. A semaphore, because the wait for it has an end.
    private let turn = DispatchSemaphore(value: 1)
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
    func begin(_ hello: ClientMessage.Hello, timeout: Double) throws(RequestError) -> Reply.Welcome {
        guard let welcome = try request(.hello(hello), timeout: timeout).reply.welcome,
            welcome.version == ArbiterProtocol.version
        else {
            throw RequestError(
                .unavailable,
                "The program at '\(place)' does not speak version \(ArbiterProtocol.version) of the protocol; end it, so that this library's own is started."
            )
        }
        let hasEnded = state.withLock { state in
            state.isWelcome = !state.hasEnded
            return state.hasEnded
        }
        guard !hasEnded else { throw end(of: "hello") }
        return welcome
    }

    func request(_ request: ClientMessage.Request, timeout: Double) throws(RequestError) -> PendingReply.Content {
        let deadline = Deadline(seconds: timeout)
        return try send(request, before: deadline).wait(before: deadline)
    }

    func send(_ request: ClientMessage.Request, before deadline: Deadline) throws(RequestError) -> PendingReply {
        let answer = Answer<Result<PendingReply.Content, RequestError>>()
        let serial = try post(request, before: deadline, answer)
        return PendingReply(serial: serial, answer: answer, exchange: self, asked: request.name)
    }

    /// Sends a message under the next number, with whoever waits for the reply noted before.
    @discardableResult
    private func post(
        _ request: ClientMessage.Request, before deadline: Deadline,
        _ answer: Answer<Result<PendingReply.Content, RequestError>>?
    ) throws(RequestError) -> UInt64 {
        guard turn.wait(timeout: .now() + deadline.seconds) == .success else { throw silence(request.name) }
        defer { turn.signal() }
        let serial: UInt64? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.serial += 1
            if let answer { state.waiting[state.serial] = answer }
            return state.serial
        }
        guard let serial else { throw end(of: request.name) }
        guard let packet = try? JSONEncoder().encode(ClientMessage(serial: serial, request)) else {
            giveUp(serial)
            throw RequestError(
                .malformed, "'\(request.name)' was to be asked of the arbiter, but a value in it is no number; correct it.")
        }
        do throws(PacketSocket.SendFailure) {
            try socket.send(packet, before: deadline)
        } catch {
            giveUp(serial)
            switch error {
            case .full: throw silence(request.name)
            case .ended: throw end(of: request.name)
            case .tooLong:
                throw RequestError(
                    .limit, "'\(request.name)' was to be asked of the arbiter with \(packet.count) bytes; say it in fewer.")
            }
        }
        return serial
    }

    /// Nobody waits for this reply any longer.
    fileprivate func giveUp(_ serial: UInt64) { state.withLock { $0.waiting[serial] = nil } }

    fileprivate func silence(_ asked: String) -> RequestError {
        RequestError(
            .unavailable,
            """
            '\(asked)' was asked of the arbiter at '\(place)', but it does not answer; if it hangs, end audiosessiond: the next call starts \
            another.
            """)
    }

    private func end(of asked: String) -> RequestError {
        RequestError(
            .unavailable,
            "'\(asked)' was asked of the arbiter at '\(place)', but the connection has ended; ask again on a new one.")
    }

    // MARK: Reading

    /// Reads until the connection is over. On the reading thread.
    func read(ended: @Sendable () -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArbiterProtocol.packetLimit, alignment: 16)
        defer { buffer.deallocate() }
        while !hasEnded, let received = socket.receive(into: buffer) {
            let bytes = Data(buffer[..<received.count])
            guard let message = try? JSONDecoder().decode(ArbiterMessage.self, from: bytes),
                take(message, received.descriptor)
            else { break }
        }
        end()
        if state.withLock({ $0.isWelcome }) { ended() }
    }

    /// False when it breaks the protocol.
    private func take(_ message: ArbiterMessage, _ descriptor: OwnedDescriptor?) -> Bool {
        switch message {
        case .reply(let serial, let reply):
            answer(serial, .success(.init(reply: reply, descriptor: descriptor)))
        case .failure(let serial, let error): answer(serial, .failure(error))
        case .long(let serial):
            guard let reply = descriptor.flatMap(Self.readLong) else { return false }
            answer(serial, .success(.init(reply: reply, descriptor: nil)))
        case .ping(let number): _ = try? post(.pong(number), before: Deadline(seconds: ArbiterConnection.timeout), nil)
        case .notice, .status, .application, .devices, .hardware, .decision: receive(message)
        }
        return true
    }

    private func answer(_ serial: UInt64, _ result: Result<PendingReply.Content, RequestError>) {
        state.withLock { $0.waiting.removeValue(forKey: serial) }?.set(result)
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
        for (_, answer) in waiting { answer.set(.failure(end(of: "a request"))) }
    }
}

extension ClientMessage.Request {
    /// For messages.
    fileprivate var name: String {
        switch self {
        case .hello: "hello"
        case .restore(let restoration): "restore \(restoration.record.session.id)"
        case .register: "register"
        case .submit(let action): String(String(describing: action).prefix(120))
        case .beginSystemSession: "beginSystemSession"
        case .loan: "loan"
        case .permission: "permission"
        case .report: "report"
        case .log: "log"
        case .history: "history"
        case .synchronise: "synchronise"
        case .pong: "pong"
        }
    }
}
