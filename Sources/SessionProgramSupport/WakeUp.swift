internal import Foundation

/// Wakes the main loop when something happens, so that it need not poll.
///
/// Unchecked `Sendable`: the pipe is immutable, and its descriptors serve any thread.
package final class WakeUp: @unchecked Sendable {
    private let pipe = Pipe()

    package init() {
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFL, fcntl(handle.fileDescriptor, F_GETFL) | O_NONBLOCK)
        }
    }

    /// Ends the wait in progress, otherwise the next one. Never blocks: if the pipe is full, the
    /// wait ends in any case.
    package func post() {
        var byte: UInt8 = 0
        _ = write(pipe.fileHandleForWriting.fileDescriptor, &byte, 1)
    }

    /// Waits for that time, or until `post` is called or, with `orInput`, a key is pressed.
    package func wait(milliseconds: Int32, orInput: Bool) {
        let reading = pipe.fileHandleForReading.fileDescriptor
        var descriptors = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: orInput ? 0 : -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }
}
