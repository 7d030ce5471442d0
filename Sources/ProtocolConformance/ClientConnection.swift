internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionArbiter

/// The arbiter's end of a connection. Whatever arrives is checked: its size, that it is a message,
/// its serial, and that it answers no ping that was not sent.
final class ClientConnection {
    let socket: Int32
    /// The client's process, as the kernel knows it.
    let peer: UInt64
    /// Whether packets are sent in an unusual form, which means the same (see `PacketDisguise`).
    var isDisguised = false
    /// The pings without an answer.
    private(set) var pings: Set<UInt64> = []
    /// How many packets have arrived, answers to pings excluded.
    private(set) var requestCount = 0
    private var packetCount = 0
    private var lastSerial: UInt64 = 0
    private var hasHello = false
    /// A client sends a few dozen packets in a check.
    private static let packetLimit = 20_000

    init(socket: Int32) {
        self.socket = socket
        var facts = ssocket_peer_t()
        peer = ssocket_peer(socket, &facts) == 0 ? UInt64(max(0, facts.pid)) : 0
    }

    deinit { close(socket) }

    /// Sends a message. Returns false if the client does not read: its queue is full.
    func send(_ message: ArbiterMessage, descriptor: Int32 = -1) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(message) else { return false }
        if case .ping(let number) = message { pings.insert(number) }
        let bytes = Array(data)
        return send(bytes: isDisguised ? PacketDisguise.disguise(bytes) : bytes, descriptor: descriptor)
    }

    /// Sends a packet as it is.
    func send(text: String) -> Bool { send(bytes: Array(text.utf8), descriptor: -1) }

    private func send(bytes: [UInt8], descriptor: Int32) -> Bool {
        // The end of the connection is detected when it is read.
        ssocket_send(socket, bytes, bytes.count, descriptor) != -Int(EAGAIN)
    }

    enum Received {
        case message(ClientMessage)
        case end
        case nothing
    }

    /// Returns what has arrived, without waiting.
    func receive() throws(TrialError) -> Received {
        var bytes = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)
        var descriptor: Int32 = -1
        let count = ssocket_receive(socket, &bytes, bytes.count, false, &descriptor)
        if descriptor >= 0 {
            close(descriptor)
            throw .failed("Expected packets without descriptors; a packet carries one.")
        }
        switch count {
        case -Int(EAGAIN): return .nothing
        case -Int(EMSGSIZE): throw .failed("Expected packets of at most 65,536 bytes; a longer one came.")
        case ..<1: return .end
        default: return .message(try check(bytes[..<count]))
        }
    }

    private func check(_ packet: ArraySlice<UInt8>) throws(TrialError) -> ClientMessage {
        packetCount += 1
        guard packetCount <= Self.packetLimit else {
            throw .failed("Expected some dozens of packets; \(Self.packetLimit) came on one connection.")
        }
        let message: ClientMessage
        do {
            message = try JSONDecoder().decode(ClientMessage.self, from: Data(packet))
        } catch {
            let text = String(decoding: packet.prefix(200), as: UTF8.self).printable
            throw .failed("Expected a message of a client; this came, which is none: \(text)")
        }
        guard message.serial > lastSerial else {
            throw .failed("Expected a serial above \(lastSerial); \(message.serial) came.")
        }
        lastSerial = message.serial
        return try checkOrder(message)
    }

    private func checkOrder(_ message: ClientMessage) throws(TrialError) -> ClientMessage {
        switch message.request {
        case .pong(let number):
            guard pings.remove(number) != nil else {
                throw .failed("Expected answers to the pings that were sent; number \(number) was not, or is answered.")
            }
        case .hello:
            hasHello = true
            requestCount += 1
        default:
            requestCount += 1
            guard hasHello else {
                throw .failed("Expected `hello` first; this came before it: \(message.text)")
            }
        }
        return message
    }
}

extension ClientMessage {
    /// The message as JSON, cut off, for people.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: ((try? encoder.encode(self)) ?? Data()).prefix(200), as: UTF8.self).printable
    }
}
