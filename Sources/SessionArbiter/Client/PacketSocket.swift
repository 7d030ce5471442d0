internal import CSessionSocket
internal import Foundation

/// A file descriptor that is closed with the object.
public final class OwnedDescriptor: Sendable {
    public let number: Int32

    public init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

/// Sends packets to one peer and receives packets from it. Safe from any thread; only one thread at
/// a time receives.
final class PacketSocket: Sendable {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    /// Why a packet was not sent; then no part of it was.
    enum SendFailure: Error {
        /// The peer's queue was full until the deadline.
        case full
        case tooLong
        case ended
    }

    /// Sends one packet. If the peer's queue is full, waits for space until the deadline.
    func send(_ packet: Data, before deadline: Deadline) throws(SendFailure) {
        while true {
            let result = packet.withUnsafeBytes { ssocket_send(descriptor.number, $0.baseAddress, $0.count, -1) }
            switch -Int32(truncatingIfNeeded: min(result, 0)) {
            case 0: return
            case EAGAIN, ENOBUFS, ENOMEM:
                guard !deadline.hasPassed else { throw .full }
                wait(for: POLLOUT, milliseconds: deadline.milliseconds)
            case EMSGSIZE: throw .tooLong
            default: throw .ended
            }
        }
    }

    /// Waits for a packet and returns it. Returns nil when the peer is gone, or sends something
    /// that cannot be a packet of the protocol.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, descriptor: OwnedDescriptor?)? {
        var wasReset = false
        while true {
            var received: Int32 = -1
            let count = ssocket_receive(descriptor.number, buffer.baseAddress, buffer.count, false, &received)
            if count > 0 { return (count, received >= 0 ? OwnedDescriptor(received) : nil) }
            if count == -Int(ECONNRESET), !wasReset {
                // The peer closed without reading everything; packets that it had sent before can
                // still be read.
                wasReset = true
                continue
            }
            guard count == -Int(EAGAIN) else { return nil }
            wait(for: POLLIN, milliseconds: -1)
        }
    }

    /// Ends the connection for both sides; wakes a thread that waits in `receive`.
    func shutDown() { shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    private func wait(for events: Int32, milliseconds: Int32) {
        var watched = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
        // If a hang-up, an error or a signal ended the wait, the next call on the socket reports
        // it.
        _ = poll(&watched, 1, milliseconds)
    }
}
