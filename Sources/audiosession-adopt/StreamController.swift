import ForeignPrograms
import Foundation
import Platform

/// The process of the stream controller, `audiosession-hand`. A thread starts it, reads what it
/// writes, and starts it again when it has ended: it then frees what the previous one had left.
final class StreamController: Sendable {
    enum Report: Sendable {
        case event(StreamEvent)
        /// It has ended, and no stream is known any longer. `wasReady` is false if it has never
        /// reached PipeWire.
        case ended(status: Int32, wasReady: Bool)
    }

    private struct State {
        var child: pid_t?
        /// Our end of the socket pair; -1 if there is no process.
        var descriptor: Int32 = -1
        var isStopped = false
    }
    private let state = Mutex(State())
    private let thread = WorkerThread()
    private let path: String
    private let arguments: [String]
    /// Signalled by `stop`, to end the pause before the next start.
    private let stopping = DispatchSemaphore(value: 0)

    /// Seconds between two starts: the first value after a process that has worked, and twice the
    /// previous one after each that has not.
    private static let (shortestPause, longestPause) = (0.1, 10.0)
    /// Seconds after which a process has worked.
    private static let minimumLife = 5.0
    /// Seconds that it has to report all streams, and to exit after it has closed its output.
    private static let (startLimit, exitLimit) = (10, 2.0)
    /// Seconds that the process has to take a command; otherwise it is killed, and the next one
    /// frees the streams.
    private static let sendLimit = 1
    /// Seconds that it has to free all streams when it is stopped.
    private static let stopLimit = 5.0

    init(path: String, arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Starts the thread, which passes all reports to `receive`. Returns false if the system cannot
    /// create a thread.
    func start(_ receive: @escaping @Sendable (Report) -> Void) -> Bool {
        thread.start(name: "audio-streams") { [self] in
            var pause = Self.shortestPause
            while !state.withLock({ $0.isStopped }) {
                let startTime = DispatchTime.now()
                let (status, wasReady) = runOnce(receive)
                let isWorking = wasReady && DispatchTime.now() > startTime + Self.minimumLife
                guard !state.withLock({ $0.isStopped }) else { return }
                receive(.ended(status: status, wasReady: wasReady))
                if isWorking { pause = Self.shortestPause }
                if stopping.wait(timeout: .now() + pause) == .success { return }
                pause = min(2 * pause, Self.longestPause)
            }
        }
    }

    /// Sends a command; without a process, does nothing: the streams are reported again.
    func send(_ command: StreamCommand) {
        state.withLock { state in
            guard state.descriptor >= 0, !state.isStopped else { return }
            let bytes = Array((command.line + "\n").utf8)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(state.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // It hangs or has ended. Without half a line in its input, the next one starts.
                    if let child = state.child { kill(child, SIGKILL) }
                    return
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Ends the process, which frees all streams first, and waits for it.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_WR)) }
        }
        stopping.signal()
        if !thread.join(seconds: Self.stopLimit), let child = state.withLock({ $0.child }) { kill(child, SIGKILL) }
    }

    private func runOnce(_ receive: (Report) -> Void) -> (status: Int32, wasReady: Bool) {
        guard let descriptor = spawn() else { return (EX_OSERR, false) }
        var wasReady = false
        var lines = LineReader()
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            // Also if it has not reported all streams in time: it, or PipeWire, hangs.
            guard count > 0 else { break }
            for line in lines.add(bytes[..<count]) {
                guard let event = StreamEvent(line: line) else { continue }
                if case .ready = event { wasReady = true }
                if case .synced = event { Self.setReceiveLimit(descriptor, seconds: 0) }
                receive(.event(event))
            }
        }
        // From here on, `stop` and `send` no longer know the process, whose number is free once it
        // has been reaped.
        let child = state.withLock { state in
            close(descriptor)
            state.descriptor = -1
            return state.child.take()
        }
        return (child.map(Self.reap) ?? EX_OSERR, wasReady)
    }

    /// Waits for the exit of a process that has closed its output or hangs, and kills it if that
    /// takes too long.
    private static func reap(_ child: pid_t) -> Int32 {
        let deadline = DispatchTime.now() + exitLimit
        var info = siginfo_t()
        while waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == 0 {
            if DispatchTime.now() > deadline { kill(child, SIGKILL) }
            poll(nil, 0, 5)
        }
        return reapProgram(child)
    }

    private static func setReceiveLimit(_ descriptor: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Starts the process with a socket pair as its standard input and output. Returns our end.
    private func spawn() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        let (own, given) = (ends[0], ends[1])
        defer { close(given) }
        var limit = timeval(tv_sec: Self.sendLimit, tv_usec: 0)
        setsockopt(own, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        Self.setReceiveLimit(own, seconds: Self.startLimit)
        do throws(SystemFailure) {
            let child = try spawnProgram(path, arguments: arguments) { actions in
                posix_spawn_file_actions_adddup2(&actions, given, STDIN_FILENO)
                posix_spawn_file_actions_adddup2(&actions, given, STDOUT_FILENO)
            }
            let isStopped = state.withLock { state in
                (state.child, state.descriptor) = (child, own)
                return state.isStopped
            }
            // `stop` has not seen it.
            if isStopped { shutdown(own, Int32(SHUT_WR)) }
            return own
        } catch {
            StandardStream.writeError("audiosession-adopt: \(error.reason.printable).\n")
            close(own)
            return nil
        }
    }
}

/// Divides a stream of bytes into lines. A line that is too long is dropped.
struct LineReader {
    private var pending: [UInt8] = []
    private var isDropping = false

    private static let limit = 65_536

    /// Returns the lines that these bytes complete, without their LF.
    mutating func add(_ bytes: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if pending.count < Self.limit { pending.append(byte) } else { isDropping = true }
                continue
            }
            if !isDropping { lines.append(String(decoding: pending, as: UTF8.self)) }
            pending.removeAll(keepingCapacity: true)
            isDropping = false
        }
        return lines
    }
}
