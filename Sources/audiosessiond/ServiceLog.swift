import Dispatch
import Glibc
import Logging
import Platform

/// The log of the service, with a limited rate: the service may run for months, and a client that
/// misbehaves must not fill a disk.
final class ServiceLog: Sendable {
    private struct State {
        var rateLimit = TokenBucket(perSecond: 0.1, capacity: 100)
        /// How many lines were suppressed.
        var suppressed = 0
        /// The approximate number of bytes since the file was started.
        var bytes = 0
    }

    private let logger: Logger
    /// Nil in the foreground.
    private let path: String?
    private let state = Mutex(State())

    init(path: String?) {
        self.path = path
        if let path { LogFile.receiveStandardError(path: path) }
        logger = Logger(label: "audiosessiond") { StreamLogHandler.standardError(label: $0) }
    }

    /// Writes a line, or its first 1,000 characters, unless the rate limit is exceeded: 100 lines
    /// at once, and one in ten seconds on average. Starts a new log file after about 1 MiB.
    func write(_ line: String) {
        let (isWritten, suppressed, isFull) = state.withLock { state in
            guard state.rateLimit.take(1, at: Double(DispatchTime.now().uptimeNanoseconds) / 1e9) else {
                state.suppressed += 1
                return (false, 0, false)
            }
            state.bytes += line.utf8.count + 80
            let isFull = state.bytes > LogFile.limit
            if isFull { state.bytes = 0 }
            defer { state.suppressed = 0 }
            return (true, state.suppressed, isFull)
        }
        guard isWritten else { return }
        // The file may have been removed together with its folder.
        if let path, isFull || access(path, F_OK) != 0 { LogFile.receiveStandardError(path: path) }
        if suppressed > 0 { logger.notice("\(suppressed) lines were suppressed.") }
        logger.notice("\(String(line.prefix(1_000)).printable)")
    }
}
