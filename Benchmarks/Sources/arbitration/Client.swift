import CSessionSocket
import Foundation
import Processes

/// A requester: a connection of this process, or a separate process that executes commands.
protocol Client: AnyObject {
    /// Sends a request of the protocol, without a serial number, and waits for the reply. Also
    /// returns the descriptor that came with it, or -1.
    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32)
    /// Reads all received messages, so that the service's queue is empty.
    func catchUp() throws
}

extension Client {
    /// Registers a session and maps its gate.
    func register() throws -> Session {
        let (reply, descriptor) = try ask(#""request": "register""#)
        defer { close(descriptor) }
        guard let id = reply.number(after: #""session":"#) else { throw BenchmarkError("The reply has no session.") }
        return Session(id: id, client: self, gate: try Gate(descriptor))
    }
}

/// The gate page of a session, as an app maps it.
final class Gate {
    private let page: OpaquePointer

    init(_ descriptor: Int32) throws {
        var page: OpaquePointer?
        guard ssocket_gate_map(descriptor, &page) == 0, let page else { throw BenchmarkError("Cannot map a gate.") }
        self.page = page
    }

    deinit { ssocket_gate_unmap(page) }

    var grant: sgate_grant_t { sgate_page_grant(page) }
}

struct Session {
    let id: UInt64
    let client: any Client
    let gate: Gate

    func ask(_ action: String, _ keys: String = "") throws {
        _ = try client.ask(#""action": "\#(action)", "session": \#(id)\#(keys.isEmpty ? "" : ", " + keys)"#)
    }

    /// Configures the session to mix with all others.
    func mix(_ options: String = "") throws {
        try ask("configure", #""category": "ambient", "options": [\#(options)]"#)
    }
}

/// A connection of this process to the arbiter.
final class Connection: Client {
    private let packets: Packets
    private var serial: UInt64 = 0

    init(to path: String) throws {
        let socket = ssocket_connect(path, 5_000)
        guard socket >= 0 else { throw BenchmarkError("Cannot connect to '\(path)': \(socket).") }
        packets = Packets(socket: socket)
        _ = try ask(#""request": "hello", "version": 1"#)
    }

    var socket: Int32 { packets.socket }

    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32) {
        try awaitReply(try send(request))
    }

    /// Sends a request and returns its serial number.
    func send(_ request: String) throws -> UInt64 {
        serial += 1
        try packets.send(Array("{\"serial\": \(serial), \(request)}".utf8))
        return serial
    }

    func awaitReply(_ serial: UInt64) throws -> (reply: [UInt8], descriptor: Int32) {
        while let (bytes, descriptor) = try packets.receive(waiting: true) {
            guard bytes.number(after: #"reply":"#) == serial else {
                try answer(bytes)
                continue
            }
            guard !String(decoding: bytes, as: UTF8.self).contains("\"error\"")
            else { throw BenchmarkError("Refused: \(String(decoding: bytes, as: UTF8.self))") }
            return (Array(bytes), descriptor)
        }
        throw BenchmarkError("No reply arrived.")
    }

    func catchUp() throws {
        while let (bytes, _) = try packets.receive(waiting: false) { try answer(bytes) }
    }

    private func answer(_ bytes: ArraySlice<UInt8>) throws {
        guard bytes.count < 40, let ping = bytes.number(after: #""ping":"#) else { return }
        _ = try send(#""request": "pong", "ping": \#(ping)"#)
    }
}
