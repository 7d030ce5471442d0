import CSessionSocket
import Foundation
package import SessionArbiter
package import SessionPolicy

/// A client that speaks to the service in packets, and may do it wrongly.
package final class RawClient {
    /// What came back: the reply, or the error.
    package typealias Answer = Result<Reply, RequestError>

    package let socket: Int32
    package var serial: UInt64 = 0
    /// What came beside replies, but pings.
    package var news: [ArbiterMessage] = []
    /// Pings are answered as they are read.
    package var answersPings = true
    /// Descriptors that came with the last reply.
    package private(set) var descriptor: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)

    package init(over socket: Int32) { self.socket = socket }

    /// Connects to a service.
    package convenience init(_ path: String) throws {
        let socket = ssocket_connect(path, 10_000)
        guard socket >= 0 else {
            throw TrialError("'\(path)' cannot be reached: \(String(cString: strerror(-socket))).")
        }
        self.init(over: socket)
    }

    deinit {
        close(socket)
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: Packets

    /// Returns what the system says.
    @discardableResult
    package func send(_ bytes: [UInt8], descriptor: Int32 = -1) -> Int {
        ssocket_send(socket, bytes, bytes.count, descriptor)
    }

    /// The same, and waits while the service's queue is full.
    package func sendAll(_ bytes: [UInt8], within seconds: Double = 20) throws {
        let limit = Limit(seconds: seconds)
        while send(bytes) == -Int(EAGAIN) {
            guard limit.wait(for: socket, POLLOUT) else { throw TrialError("The service takes no more packets.") }
        }
    }

    /// The next message; nil at the end of the connection. Throws when none comes in time, and when it is none.
    package func receive(within seconds: Double = 20) throws -> ArbiterMessage? {
        guard Limit(seconds: seconds).wait(for: socket) else { throw TrialError("Nothing came for \(seconds) s.") }
        return try receiveNow()
    }

    /// The next message if there is one; `isThere` tells nothing from the end.
    package func receiveNow() throws -> ArbiterMessage? {
        var received: Int32 = -1
        let count = ssocket_receive(socket, &buffer, buffer.count, false, &received)
        guard count > 0 else {
            hasEnded = hasEnded || count != -Int(EAGAIN)
            return nil
        }
        let message = try JSONDecoder().decode(ArbiterMessage.self, from: Data(buffer[..<count]))
        if received >= 0 { keep(received) }
        if case .ping(let number) = message, answersPings { say(.pong(number)) }
        return message
    }

    /// Ends the connection before the object goes.
    package func shutDown() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Reads all that is there and looks at none of it; returns how many packets.
    @discardableResult
    package func drain() -> Int {
        var packets = 0
        while !hasEnded {
            var received: Int32 = -1
            let count = ssocket_receive(socket, &buffer, buffer.count, false, &received)
            if received >= 0 { close(received) }
            guard count > 0 else {
                hasEnded = count != -Int(EAGAIN)
                break
            }
            packets += 1
        }
        return packets
    }

    /// The service, or this side, has ended the connection.
    package private(set) var hasEnded = false

    private func keep(_ received: Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = received
    }

    /// Hands over the descriptor that came last.
    package func takeDescriptor() throws -> Int32 {
        guard descriptor >= 0 else { throw TrialError("No descriptor came.") }
        defer { descriptor = -1 }
        return descriptor
    }

    // MARK: Requests

    /// Sends a request under the next serial, and returns that.
    @discardableResult
    package func say(_ request: ClientMessage.Request) -> UInt64 {
        serial += 1
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        if let data = try? encoder.encode(ClientMessage(serial: serial, request)) { send(Array(data)) }
        return serial
    }

    /// Waits for the reply to a serial; `any`: to whatever. News that come before it are kept.
    package func reply(to serial: UInt64, within seconds: Double = 20) throws -> Answer {
        let limit = Limit(seconds: seconds)
        while true {
            guard limit.wait(for: socket) else { throw TrialError("No reply to \(serial) came for \(seconds) s.") }
            guard let message = try receiveNow() else {
                if hasEnded { throw TrialError("The connection ended before the reply to \(serial).") }
                continue
            }
            switch message {
            case .reply(serial, let reply): return .success(reply)
            case .failure(serial, let error): return .failure(error)
            case .long(serial): return .success(try readLong())
            case .reply, .failure, .long, .ping: continue
            default: news.append(message)
            }
        }
    }

    /// A reply that came by descriptor.
    private func readLong() throws -> Reply {
        let memory = try takeDescriptor()
        defer { close(memory) }
        let size = ssocket_memory_size(memory)
        guard size > 0 else { throw TrialError("The long reply is no sealed memory: \(size).") }
        var bytes = [UInt8](repeating: 0, count: size)
        guard ssocket_memory_read(memory, &bytes, size) == size else {
            throw TrialError("The long reply cannot be read.")
        }
        return try JSONDecoder().decode(Reply.self, from: Data(bytes))
    }

    /// Asks, and waits for the answer.
    package func answer(to request: ClientMessage.Request, within seconds: Double = 20) throws -> Answer {
        try reply(to: say(request), within: seconds)
    }

    /// Asks for what is granted.
    @discardableResult
    package func ask(_ request: ClientMessage.Request, within seconds: Double = 20) throws -> Reply {
        try answer(to: request, within: seconds).get()
    }

    @discardableResult
    package func ask(_ action: PolicyAction) throws -> Reply { try ask(.submit(action)) }

    /// Sends these very bytes, and waits for the answer to `serial`.
    package func answer(to text: String, serial: UInt64, descriptor: Int32 = -1) throws -> Answer {
        send(Array(text.utf8), descriptor: descriptor)
        return try reply(to: serial)
    }

    // MARK: What clients do

    @discardableResult
    package func hello(_ hello: ClientMessage.Hello = .init()) throws -> Reply.Welcome {
        guard let welcome = try ask(.hello(hello)).welcome else {
            throw TrialError("Hello was answered without a welcome.")
        }
        return welcome
    }

    /// Registers a session; playback unless told otherwise.
    package func makeSession(
        _ options: CategoryOptions = [], category: SessionPolicy.Category = .playback, mode: Mode = .default
    ) throws -> (id: SessionID, gate: GatePage) {
        guard let id = try ask(.register(app: nil)).session else { throw TrialError("No session's number came.") }
        let gate = try GatePage(takeDescriptor())
        try ask(.configure(id, .category(category, mode: mode, options: options)))
        return (id, gate)
    }

    package func report() throws -> ArbiterReport {
        guard let report = try ask(.report).report else { throw TrialError("No report came.") }
        return report
    }

    /// Reads until a message is as awaited, and returns that; the others are kept.
    package func awaitNews(
        within seconds: Double = 20, _ isAwaited: (ArbiterMessage) -> Bool
    ) throws -> ArbiterMessage {
        let limit = Limit(seconds: seconds)
        while true {
            if let place = news.firstIndex(where: isAwaited) { return news.remove(at: place) }
            guard limit.wait(for: socket) else {
                throw TrialError("The awaited news did not come in \(seconds) s: \(news)")
            }
            guard let message = try receiveNow() else {
                if hasEnded { throw TrialError("The connection ended before the awaited news.") }
                continue
            }
            if isAwaited(message) { return message }
            if case .ping = message { continue }
            news.append(message)
        }
    }

    /// Waits for a notice of this kind about a session.
    package func awaitNotice(
        _ session: SessionID, within seconds: Double = 20, _ isAwaited: (Effect.Kind) -> Bool
    ) throws {
        _ = try awaitNews(within: seconds) {
            if case .notice(let notice) = $0 {
                notice.effect.session == session && isAwaited(notice.effect.kind)
            } else {
                false
            }
        }
    }

    /// Waits for the end of the connection.
    package func awaitEnd(within seconds: Double = 20) throws {
        let limit = Limit(seconds: seconds)
        while !hasEnded {
            guard limit.wait(for: socket) else { throw TrialError("The connection has not ended in \(seconds) s.") }
            if let message = try receiveNow() { news.append(message) }
        }
    }
}

extension ArbiterReport {
    /// All that clients can change of each other.
    package var substance: Substance { Substance(sessions: sessions, system: system, apps: apps, hardware: hardware) }

    package struct Substance: Equatable {
        var sessions: [SessionNews]
        var system: SystemRecord
        var apps: [AppState]
        var hardware: HardwareWish
    }
}
