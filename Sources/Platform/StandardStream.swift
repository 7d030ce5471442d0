internal import Foundation

/// The standard output and standard error of this process. Text is written at once and completely,
/// so that a program that reads the output receives each line immediately.
package enum StandardStream {
    /// Writes text to standard output.
    package static func write(_ text: String) throws(OutputFailure) {
        let code = write(text, to: STDOUT_FILENO)
        guard code == 0 else { throw OutputFailure(code: code) }
    }

    /// Writes text to standard error. A failure is ignored: there is nowhere to report it.
    package static func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// Writes the whole text, however much the descriptor accepts at once. Returns the error code;
    /// 0 for success.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another program has made the pipe non-blocking.
                var writing = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&writing, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}

/// Why standard output cannot be written.
package struct OutputFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error code of the system.
    let code: Int32

    /// Whether the program that reads the output through a pipe has ended. As is usual, this ends a
    /// program without a message.
    package var isReaderGone: Bool { code == EPIPE }

    /// The exit status: 74 as in sysexits.h, or that of a program that SIGPIPE ends.
    package var exitStatus: Int32 { isReaderGone ? 128 + SIGPIPE : EX_IOERR }

    package var description: String { "Standard output cannot be written: \(systemErrorText(code))." }
}
