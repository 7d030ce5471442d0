internal import CSessionSocket
internal import Foundation
internal import Platform

/// One connection to the arbiter of a user: requests go out, replies and news come back.
///
/// Calls are synchronous, bounded in time and safe from any thread but libjack's and the render thread. A thread of the connection's own
/// reads, and answers pings. A process that forks must not use it in the child: both would write to one socket.
public final class ArbiterConnection: Sendable {
    /// Seconds within which an arbiter answers.
    public static let timeout = 2.0

    /// What the arbiter said of itself and of this client.
    public let welcome: Reply.Welcome
    private let exchange: Exchange
    private let reader: WorkerThread

    /// Connects, and says hello. `receive` is handed all that is no reply, on the reading thread and in order: what comes before a reply is
    /// handed on before that is returned. `ended` is called once, on the same thread, when the connection is over; not if this throws.
    /// Throws when nobody listens there, when it is not answered, and when the arbiter does not take this client.
    public convenience init(
        _ address: ArbiterAddress, hello: ClientMessage.Hello = .init(), timeout: Double = timeout,
        receive: @escaping @Sendable (ArbiterMessage) -> Void = { _ in }, ended: @escaping @Sendable () -> Void = {}
    ) throws(ArbiterError) {
        switch Self.connect(address, timeout: timeout) {
        case .success(let socket):
            try self.init(
                over: socket, at: address.path, hello: hello, timeout: timeout, receive: receive, ended: ended)
        case .failure(let failure): throw .unavailable(failure.reason)
        }
    }

    /// Says hello over a socket that is connected already; `place` is its name in messages.
    init(
        over socket: OwnedDescriptor, at place: String, hello: ClientMessage.Hello = .init(),
        timeout: Double = timeout, receive: @escaping @Sendable (ArbiterMessage) -> Void = { _ in },
        ended: @escaping @Sendable () -> Void = {}
    ) throws(ArbiterError) {
        let exchange = Exchange(PacketSocket(socket), place: place, receive: receive)
        let reader = WorkerThread()
        guard reader.start(name: "audio-arbiter", { exchange.read(ended: ended) }) else {
            throw .unavailable("the system has no thread to give for the connection to it")
        }
        do throws(ExchangeFailure) {
            welcome = try exchange.begin(hello, timeout: timeout)
        } catch {
            exchange.end()
            throw ArbiterError(error.error)
        }
        self.exchange = exchange
        self.reader = reader
    }

    deinit { exchange.end() }

    /// Asks, and returns the reply. Throws what the arbiter says against it; with code `unavailable` when it does not answer within `timeout`
    /// seconds, or is gone: then it is not known whether it was done.
    public func request(
        _ request: ClientMessage.Request, timeout: Double = timeout
    ) throws(RequestError) -> Reply {
        try requestWithDescriptor(request, timeout: timeout).reply
    }

    /// The same, and the descriptor that came with the reply.
    public func requestWithDescriptor(
        _ request: ClientMessage.Request, timeout: Double = timeout
    ) throws(RequestError) -> (reply: Reply, descriptor: OwnedDescriptor?) {
        do throws(ExchangeFailure) {
            let content = try ask(request, timeout: timeout)
            return (content.reply, content.descriptor)
        } catch {
            throw error.error
        }
    }

    /// The same, with what is to be done about the reply as soon as it comes.
    func ask(
        _ request: ClientMessage.Request, timeout: Double = timeout, taking: PendingReply.Taking? = nil
    ) throws(ExchangeFailure) -> PendingReply.Content {
        let deadline = Deadline(seconds: timeout)
        return try exchange.send(request, before: deadline, taking: taking).wait(before: deadline)
    }

    /// Asks without waiting for the reply.
    func send(
        _ request: ClientMessage.Request, timeout: Double = timeout
    ) throws(ExchangeFailure) -> PendingReply {
        try exchange.send(request, before: Deadline(seconds: timeout))
    }

    /// Whether the arbiter is gone, or `close` was called.
    public var hasEnded: Bool { exchange.hasEnded }

    /// Ends the connection; who waits for a reply is told. Idempotent. The last to let go of the connection ends it too.
    public func close() { exchange.end() }

    /// Why there is no connection.
    enum ConnectFailure: Error {
        /// Nobody listens there.
        case nobody(String)
        case failed(String)

        var reason: String {
            switch self {
            case .nobody(let reason), .failed(let reason): reason
            }
        }
    }

    static func connect(_ address: ArbiterAddress, timeout: Double) -> Result<OwnedDescriptor, ConnectFailure> {
        let socket = ssocket_connect(address.path, Deadline(seconds: timeout).milliseconds)
        switch -socket {
        case ...0: return .success(OwnedDescriptor(socket))
        case ENOENT, ECONNREFUSED:
            return .failure(.nobody("nobody listens at '\(address.path)'; start audiosessiond"))
        case ETIMEDOUT:
            return .failure(
                .failed(
                    "it takes no connection at '\(address.path)'; end it, and the next call starts another"))
        case let code: return .failure(.failed("'\(address.path)' cannot be reached: \(systemErrorText(code))"))
        }
    }
}

extension ArbiterError {
    /// What a request was answered with.
    init(_ error: RequestError) {
        if let refusal = error.refusal {
            self = .refused(refusal)
        } else {
            let message = error.message
            self = .unavailable(message.hasSuffix(".") ? String(message.dropLast()) : message)
        }
    }
}
