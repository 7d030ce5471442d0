internal import CSessionSocket

/// A connection of this process to the arbiter.
package final class ArbiterConnection {
    private let packets: Packets
    private var serial: UInt64 = 0

    package init(to path: String) throws {
        let socket = ssocket_connect(path, 5_000)
        guard socket >= 0 else { throw BenchmarkError("Cannot connect to '\(path)': \(socket).") }
        packets = Packets(socket: socket)
        _ = try ask(#""request": "hello", "version": 1"#)
    }

    package var socket: Int32 { packets.socket }

    /// Sends a request of the protocol, without a serial number, and waits for the reply. Also
    /// returns the descriptor that came with it, or -1.
    package func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32) {
        try awaitReply(try send(request))
    }

    /// Sends a request and returns its serial number.
    package func send(_ request: String) throws -> UInt64 {
        serial += 1
        try packets.send(Array("{\"serial\": \(serial), \(request)}".utf8))
        return serial
    }

    package func awaitReply(_ serial: UInt64) throws -> (reply: [UInt8], descriptor: Int32) {
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

    /// Reads all received messages, so that the service's queue is empty.
    package func catchUp() throws {
        while let (bytes, _) = try packets.receive(waiting: false) { try answer(bytes) }
    }

    private func answer(_ bytes: ArraySlice<UInt8>) throws {
        guard bytes.count < 40, let ping = bytes.number(after: #""ping":"#) else { return }
        _ = try send(#""request": "pong", "ping": \#(ping)"#)
    }
}
