internal import CSessionSocket
internal import Foundation
internal import Platform

/// One connection to the arbiter of a user. It sends requests and receives replies and other
/// messages.
///
/// Calls are synchronous, bounded in time and safe from any thread except libjack's threads and the
/// render thread. A thread of the connection reads, and answers pings. A process that forks must
/// not use the connection in the child: both processes would write to one socket.
public final class ArbiterConnection: Sendable {
    /// What the arbiter reported about itself and about this client.
    public let welcome: Reply.Welcome
    /// Carries the requests. The reading thread keeps it alive, but not this object, so that
    /// releasing the connection ends it.
    let channel: RequestChannel
    private let reader: WorkerThread

    /// Connects and sends hello. The reading thread passes every message that is not a reply to
    /// `receive`, in order; a message that arrives before a reply is passed on before that reply is
    /// returned. It calls `ended` once, when the connection has ended, but not if this throws.
    /// Throws if no arbiter listens there, if it does not reply, or if it does not accept this
    /// client.
    public convenience init(
        _ address: ArbiterAddress, hello: ClientMessage.Hello = .init(), timeout: Double = ArbiterProtocol.replyTimeout,
        receive: @escaping @Sendable (ArbiterMessage) -> Void = { _ in }, ended: @escaping @Sendable () -> Void = {}
    ) throws(ArbiterError) {
        switch Self.connect(address, timeout: timeout) {
        case .success(let socket):
            try self.init(
                over: socket, at: address.path, hello: hello, timeout: timeout, receive: receive, ended: ended)
        case .failure(let failure): throw .unavailable(failure.reason)
        }
    }

    /// Sends hello over a connected socket. `socketName` is the socket's name in messages.
    init(
        over socket: OwnedDescriptor, at socketName: String, hello: ClientMessage.Hello, timeout: Double,
        receive: @escaping @Sendable (ArbiterMessage) -> Void, ended: @escaping @Sendable () -> Void
    ) throws(ArbiterError) {
        let channel = RequestChannel(PacketSocket(socket), socketName: socketName, receive: receive)
        let reader = WorkerThread()
        guard reader.start(name: "audio-arbiter", { channel.read(ended: ended) }) else {
            throw .unavailable("the system cannot create a thread for the connection to it")
        }
        do throws(RequestChannelError) {
            welcome = try channel.begin(hello, timeout: timeout)
        } catch {
            channel.end()
            throw ArbiterError(error.error)
        }
        self.channel = channel
        self.reader = reader
    }

    deinit { channel.end() }

    /// Sends a request and returns the reply. Throws the arbiter's error. Throws an error with code
    /// `unavailable` if the arbiter does not reply within `timeout` seconds or has ended; the
    /// request may then have been carried out.
    public func request(
        _ request: ClientMessage.Request, timeout: Double = ArbiterProtocol.replyTimeout
    ) throws(RequestError) -> Reply {
        do throws(RequestChannelError) {
            return try channel.ask(request, before: Deadline(seconds: timeout)).reply
        } catch {
            throw error.error
        }
    }

    /// Whether the arbiter has ended, or `close` was called.
    public var hasEnded: Bool { channel.hasEnded }

    /// Ends the connection; requests that wait for a reply fail. Idempotent. Releasing the last
    /// reference to the connection ends it too.
    public func close() { channel.end() }

    /// Why there is no connection.
    enum ConnectFailure: Error {
        /// No process listens there.
        case noListener(String)
        case failed(String)

        var reason: String {
            switch self {
            case .noListener(let reason), .failed(let reason): reason
            }
        }
    }

    /// Connects a socket to the address. Distinguishes an address at which no process listens, so
    /// that the caller can start an arbiter there.
    static func connect(_ address: ArbiterAddress, timeout: Double) -> Result<OwnedDescriptor, ConnectFailure> {
        let socket = ssocket_connect(address.path, Deadline(seconds: timeout).milliseconds)
        switch -socket {
        case ...0: return .success(OwnedDescriptor(socket))
        case ENOENT, ECONNREFUSED:
            return .failure(.noListener("no process listens at '\(address.path)'; start audiosessiond"))
        case ETIMEDOUT:
            return .failure(
                .failed(
                    "it accepts no connection at '\(address.path)'; end it, and the next call starts another"))
        case let code: return .failure(.failed("'\(address.path)' cannot be reached: \(systemErrorText(code))"))
        }
    }
}

extension ArbiterError {
    /// Creates the error that corresponds to the reply to a request.
    init(_ error: RequestError) {
        if let refusal = error.refusal {
            self = .refused(refusal)
        } else {
            let message = error.message
            self = .unavailable(message.hasSuffix(".") ? String(message.dropLast()) : message)
        }
    }
}
