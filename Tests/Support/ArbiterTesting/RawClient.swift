import CSessionSocket
import Foundation
package import SessionArbiter
package import SessionPolicy

/// A client that exchanges packets with the service directly, and can send invalid ones.
package final class RawClient {
    /// The result of a request: the reply, or the error.
    package typealias Answer = Result<Reply, RequestError>

    package let socket: Int32
    package var serial: UInt64 = 0
    /// Received messages other than replies and pings.
    package var messages: [ArbiterMessage] = []
    /// Whether the client answers each ping when it reads it.
    package var answersPings = true
    /// The descriptor that arrived with the last message, or -1.
    package private(set) var descriptor: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)

    package init(over socket: Int32) { self.socket = socket }

    /// Connects to the service at the given socket path.
    package convenience init(_ path: String) throws {
        let socket = ssocket_connect(path, 10_000)
        guard socket >= 0 else {
            throw TrialError("Cannot connect to '\(path)': \(String(cString: strerror(-socket))).")
        }
        self.init(over: socket)
    }

    deinit {
        close(socket)
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: Packets

    /// Sends a packet. Returns the byte count or the negated errno.
    @discardableResult
    package func send(_ bytes: [UInt8], descriptor: Int32 = -1) -> Int {
        ssocket_send(socket, bytes, bytes.count, descriptor)
    }

    /// Sends a packet; while the service's queue is full, waits.
    package func sendAll(_ bytes: [UInt8], within seconds: Double = 20) throws {
        let limit = Limit(seconds: seconds)
        while send(bytes) == -Int(EAGAIN) {
            guard limit.wait(for: socket, POLLOUT) else { throw TrialError("The service does not accept any packets.") }
        }
    }

    /// Returns the next message, or nil at the end of the connection. Throws when none arrives in
    /// time and when a packet is not a message.
    package func receive(within seconds: Double = 20) throws -> ArbiterMessage? {
        guard Limit(seconds: seconds).wait(for: socket) else {
            throw TrialError("No message arrived within \(seconds) s.")
        }
        return try receiveNow()
    }

    /// Returns the next message if one is waiting. nil means none, or the end of the connection:
    /// see `hasEnded`.
    package func receiveNow() throws -> ArbiterMessage? {
        var received: Int32 = -1
        let count = ssocket_receive(socket, &buffer, buffer.count, false, &received)
        guard count > 0 else {
            hasEnded = hasEnded || count != -Int(EAGAIN)
            return nil
        }
        let message = try JSONDecoder().decode(ArbiterMessage.self, from: Data(buffer[..<count]))
        if received >= 0 { storeDescriptor(received) }
        if case .ping(let number) = message, answersPings { say(.pong(number)) }
        return message
    }

    /// Ends the connection before the object is released.
    package func shutDown() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Reads and discards all waiting packets. Returns their number.
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

    /// Whether the service or this side has ended the connection.
    package private(set) var hasEnded = false

    /// Stores the received descriptor, and closes the previous one.
    private func storeDescriptor(_ received: Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = received
    }

    /// Transfers ownership of the last received descriptor to the caller.
    package func takeDescriptor() throws -> Int32 {
        guard descriptor >= 0 else { throw TrialError("The service sent no descriptor.") }
        defer { descriptor = -1 }
        return descriptor
    }

    // MARK: Requests

    /// Sends a request under the next serial number and returns that number.
    @discardableResult
    package func say(_ request: ClientMessage.Request) -> UInt64 {
        serial += 1
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        if let data = try? encoder.encode(ClientMessage(serial: serial, request)) { send(Array(data)) }
        return serial
    }

    /// Waits for the reply to a serial number. Keeps messages of other kinds that arrive before it.
    package func reply(to serial: UInt64, within seconds: Double = 20) throws -> Answer {
        let limit = Limit(seconds: seconds)
        while true {
            guard limit.wait(for: socket) else { throw TrialError("No reply to \(serial) within \(seconds) s.") }
            guard let message = try receiveNow() else {
                if hasEnded { throw TrialError("The connection ended before the reply to \(serial).") }
                continue
            }
            switch message {
            case .reply(serial, let reply): return .success(reply)
            case .failure(serial, let error): return .failure(error)
            case .long(serial): return .success(try readLong())
            case .reply, .failure, .long, .ping: continue
            default: messages.append(message)
            }
        }
    }

    /// Reads a reply that the service sent through a descriptor.
    private func readLong() throws -> Reply {
        let memory = try takeDescriptor()
        defer { close(memory) }
        let size = ssocket_memory_size(memory)
        guard size > 0 else { throw TrialError("The long reply is not in sealed memory: \(size).") }
        var bytes = [UInt8](repeating: 0, count: size)
        guard ssocket_memory_read(memory, &bytes, size) == size else {
            throw TrialError("Cannot read the long reply.")
        }
        return try JSONDecoder().decode(Reply.self, from: Data(bytes))
    }

    /// Sends a request and waits for its reply or error.
    package func answer(to request: ClientMessage.Request, within seconds: Double = 20) throws -> Answer {
        try reply(to: say(request), within: seconds)
    }

    /// Sends a request that the service is expected to grant. Throws when it refuses.
    @discardableResult
    package func ask(_ request: ClientMessage.Request, within seconds: Double = 20) throws -> Reply {
        try answer(to: request, within: seconds).get()
    }

    @discardableResult
    package func ask(_ action: PolicyAction) throws -> Reply { try ask(.submit(action)) }

    /// Sends these bytes unchanged and waits for the reply to `serial`.
    package func answer(to text: String, serial: UInt64, descriptor: Int32 = -1) throws -> Answer {
        send(Array(text.utf8), descriptor: descriptor)
        return try reply(to: serial)
    }

    // MARK: Common requests

    @discardableResult
    package func hello(_ hello: ClientMessage.Hello = .init()) throws -> Reply.Welcome {
        guard let welcome = try ask(.hello(hello)).welcome else {
            throw TrialError("The reply to hello has no welcome.")
        }
        return welcome
    }

    /// Registers a session, with the playback category by default.
    package func makeSession(
        _ options: CategoryOptions = [], category: SessionPolicy.Category = .playback, mode: Mode = .default
    ) throws -> (id: SessionID, gate: GatePage) {
        guard let id = try ask(.register(app: nil)).session else {
            throw TrialError("The reply has no session number.")
        }
        let gate = try GatePage(takeDescriptor())
        try ask(.configure(id, .category(category, mode: mode, options: options)))
        return (id, gate)
    }

    package func report() throws -> ArbiterReport {
        guard let report = try ask(.report).report else { throw TrialError("The reply has no report.") }
        return report
    }

    /// Reads until a message satisfies the predicate, and returns it. Keeps the others.
    package func awaitMessage(
        within seconds: Double = 20, _ isAwaited: (ArbiterMessage) -> Bool
    ) throws -> ArbiterMessage {
        let limit = Limit(seconds: seconds)
        while true {
            if let index = messages.firstIndex(where: isAwaited) { return messages.remove(at: index) }
            guard limit.wait(for: socket) else {
                throw TrialError("The expected message did not arrive within \(seconds) s: \(messages)")
            }
            guard let message = try receiveNow() else {
                if hasEnded { throw TrialError("The connection ended before the expected message.") }
                continue
            }
            if isAwaited(message) { return message }
            if case .ping = message { continue }
            messages.append(message)
        }
    }

    /// Waits for a notice of this kind about a session.
    package func awaitNotice(
        _ session: SessionID, within seconds: Double = 20, _ isAwaited: (Effect.Kind) -> Bool
    ) throws {
        _ = try awaitMessage(within: seconds) {
            if case .notice(let notice) = $0 {
                notice.effect.session == session && isAwaited(notice.effect.kind)
            } else {
                false
            }
        }
    }

    /// Waits until the connection has ended.
    package func awaitEnd(within seconds: Double = 20) throws {
        let limit = Limit(seconds: seconds)
        while !hasEnded {
            guard limit.wait(for: socket) else { throw TrialError("The connection has not ended in \(seconds) s.") }
            if let message = try receiveNow() { messages.append(message) }
        }
    }
}

extension ArbiterReport {
    /// Everything that clients can change of each other's state.
    package var substance: Substance { Substance(sessions: sessions, system: system, apps: apps, hardware: hardware) }

    package struct Substance: Equatable {
        var sessions: [SessionUpdate]
        var system: SystemRecord
        var apps: [AppState]
        var hardware: HardwareRequest
    }
}
