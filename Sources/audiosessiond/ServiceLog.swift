import Dispatch
import Logging
import Platform

/// What the service says, and no more of it than anybody would read: it may run for months, and a client that misbehaves is no reason to fill
/// a disk.
final class ServiceLog: Sendable {
    private struct State {
        /// Lines that may be written now.
        var left = ServiceLog.burst
        var since = DispatchTime.now().uptimeNanoseconds
        /// Lines that were not written.
        var leftOut = 0
        /// Bytes since the file was begun, about.
        var bytes = 0
    }

    private static let burst = 100.0
    private static let secondsPerLine = 10.0

    private let logger: Logger
    /// Nil in the foreground.
    private let path: String?
    private let state = Locked(State())

    init(path: String?) {
        self.path = path
        if let path { LogFile.receiveStandardError(path: path) }
        logger = Logger(label: "audiosessiond") { StreamLogHandler.standardError(label: $0) }
    }

    /// Writes a line, unless there were too many lately: 100 at once, and one in ten seconds on average.
    func note(_ line: String) {
        let (isWritten, leftOut, isFull) = state.withLock { state in
            let now = DispatchTime.now().uptimeNanoseconds
            state.left = min(Self.burst, state.left + Double(now - state.since) / 1e9 / Self.secondsPerLine)
            state.since = now
            guard state.left >= 1 else {
                state.leftOut += 1
                return (false, 0, false)
            }
            state.left -= 1
            state.bytes += line.utf8.count + 80
            let isFull = state.bytes > LogFile.limit
            if isFull { state.bytes = 0 }
            defer { state.leftOut = 0 }
            return (true, state.leftOut, isFull)
        }
        guard isWritten else { return }
        if isFull, let path { LogFile.receiveStandardError(path: path) }
        if leftOut > 0 { logger.notice("\(leftOut) lines were left out.") }
        logger.notice("\(line.prefix(1_000))")
    }
}
