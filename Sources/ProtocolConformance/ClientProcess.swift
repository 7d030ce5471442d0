internal import CSessionSocket
internal import Glibc
internal import Platform

/// The client that is tested, as a process. Its standard output and error are read here, and the
/// end of them is kept.
final class ClientProcess {
    /// A pidfd: readable once the process has ended.
    let process: Int32
    /// Readable when the client has written something.
    let output: Int32
    private let identifier: pid_t
    private var written: [UInt8] = []
    private var status: Int32?
    /// How many bytes of output are kept.
    private static let outputLimit = 16_384

    /// Starts a command with additions to the environment. Throws if it cannot be run.
    init(_ command: [String], environment: [String: String]) throws(TrialError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard let program = command.first, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .unavailable("cannot create a pipe: \(systemErrorText(errno))")
        }
        let (own, given) = (ends[0], ends[1])
        defer { close(given) }
        do throws(SystemFailure) {
            identifier = try spawnProgram(
                program, arguments: Array(command.dropFirst()), environment: environment, searchesPath: true
            ) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, given, 1)
                posix_spawn_file_actions_adddup2(&actions, given, 2)
            }
        } catch {
            close(own)
            throw .unavailable(error.reason)
        }
        output = own
        process = ssocket_process_open(identifier)
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            reapProgram(identifier)
        }
        if process >= 0 { close(process) }
        close(output)
    }

    /// The last lines of the output.
    var lastLines: [String] {
        drain()
        return String(decoding: written, as: UTF8.self).split(separator: "\n").suffix(12).map { String($0).printable }
    }

    /// How the process has ended; nil while it runs.
    var exit: String? {
        guard hasEnded else { return nil }
        let status = reap()
        return status > 128 ? "was ended by signal \(status - 128)" : "exited with status \(status)"
    }

    var hasEnded: Bool {
        guard status == nil else { return true }
        var watched = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0
    }

    func send(_ signal: Int32) { if status == nil { kill(identifier, signal) } }

    /// Kills the process unless it has ended, and waits for its end.
    func end() {
        if !hasEnded { send(SIGKILL) }
        reap()
    }

    /// Reads what has been written. Returns false at the end of the output.
    @discardableResult
    func drain() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        // A client that writes without end does not hold up the trial.
        for _ in 0..<64 {
            let count = recv(output, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return count < 0 && errno == EAGAIN }
            written = Array((written + bytes[..<count]).suffix(Self.outputLimit))
        }
        return true
    }

    @discardableResult
    private func reap() -> Int32 {
        if let status { return status }
        let new = reapProgram(identifier)
        status = new
        return new
    }
}
