internal import CSessionSocket
internal import Foundation

/// One end of a SOCK_SEQPACKET connection: whole packets, some with a descriptor.
package final class Packets {
    package let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    package init(socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    package func send(_ bytes: [UInt8], descriptor: Int32 = -1) throws {
        let count = ssocket_send(socket, bytes, bytes.count, descriptor)
        guard count == bytes.count else { throw BenchmarkError("Cannot send a packet: \(count).") }
    }

    /// Returns the next packet, and the descriptor that came with it or -1. Returns nil if there is
    /// none and `waiting` is false.
    package func receive(waiting: Bool) throws -> (bytes: ArraySlice<UInt8>, descriptor: Int32)? {
        var descriptor: Int32 = -1
        let count = ssocket_receive(socket, &buffer, buffer.count, waiting, &descriptor)
        if count == -Int(EAGAIN), !waiting { return nil }
        guard count > 0 else { throw BenchmarkError("The other end of a connection has closed: \(count).") }
        return (buffer[..<count], descriptor)
    }

    /// Waits until either descriptor is readable, and returns which.
    package static func wait(_ a: Int32, _ b: Int32) -> (a: Bool, b: Bool) {
        var watched = [
            pollfd(fd: a, events: Int16(POLLIN), revents: 0), pollfd(fd: b, events: Int16(POLLIN), revents: 0),
        ]
        poll(&watched, 2, -1)
        return (watched[0].revents != 0, watched[1].revents != 0)
    }
}

extension Sequence<UInt8> {
    /// Returns the integer after `key`, as in `"reply":12`.
    package func number(after key: StaticString) -> UInt64? {
        let pattern = key.withUTF8Buffer { Array($0) }
        var matched = 0
        var number: UInt64?
        for byte in self {
            if matched < pattern.count {
                matched = byte == pattern[matched] ? matched + 1 : byte == pattern[0] ? 1 : 0
            } else if byte >= 0x30, byte <= 0x39 {
                number = (number ?? 0) * 10 + UInt64(byte - 0x30)
            } else {
                break
            }
        }
        return number
    }
}

/// Returns the nanoseconds of a monotonic clock.
package func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
