internal import Foundation

/// Finds and runs programs: one that continues in the background once it reports over a pipe that
/// it is ready (`run`), or one whose output is read until it exits (`output`).
package enum ProgramLaunch {
    /// The descriptor at which the program finds the pipe.
    private static let readyDescriptor: Int32 = 3

    /// Returns the path of `program`: the value of the environment variable `variable`, otherwise
    /// the program next to the running one, otherwise the one on PATH. Throws if there is none, or
    /// if the variable names no executable program.
    package static func find(_ program: String, orNamedBy variable: String) throws(SystemFailure) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment[variable], !named.isEmpty { return try check(named) }
        var folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.insert((own as NSString).deletingLastPathComponent, at: 0)
        }
        let candidates = folders.map { $0 + "/" + program }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw SystemFailure(
                "program '\(program)' is neither next to this one nor on PATH; set \(variable) to its path")
        }
        return found
    }

    /// Returns `executable`. Throws if it cannot be executed.
    package static func check(_ executable: String) throws(SystemFailure) -> String {
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw SystemFailure("'\(executable)' is not an executable program")
        }
        return executable
    }

    /// Runs the program with `--ready-fd N` before the arguments. The program writes "ready" to
    /// that descriptor, or one line that says why it is not ready. When it is ready, it continues
    /// in a process of its own, and the process that was started exits. Throws if the program
    /// cannot be run, reports a reason, exits without a line, or is not ready within
    /// `timeoutSeconds`; in the last case the process is killed. The program inherits the
    /// environment variables for whose names `keepsVariable` returns true.
    package static func run(
        _ executable: String, arguments: [String], timeoutSeconds: Double,
        keepsVariable: (String) -> Bool = { _ in true }
    ) throws(SystemFailure) {
        let (child, pipe) = try spawn(
            executable, arguments: ["--ready-fd", String(readyDescriptor)] + arguments, writingTo: [readyDescriptor],
            keepsVariable: keepsVariable)
        defer { close(pipe) }
        let line = readLine(from: pipe, timeoutSeconds: timeoutSeconds)
        guard line != "ready" else { return reapLater(child) }
        // A program that is not ready by now is no longer needed, and might never end.
        if line == nil { kill(child, SIGKILL) }
        let status = reapProgram(child)
        switch line {
        case nil: throw SystemFailure("the program was not ready within \((timeoutSeconds * 10).rounded() / 10) s")
        case "": throw SystemFailure("'\(executable)' exited without a message, with status \(status)")
        case let reason?:
            throw SystemFailure(
                reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        }
    }

    /// Runs the program until it exits, and returns what it wrote to standard output and standard
    /// error. Throws if it cannot be run or exits with an error. Kills it and throws if it does not
    /// exit within `timeoutSeconds`, or writes more than 64 KiB.
    package static func output(
        of executable: String, arguments: [String], timeoutSeconds: Double
    ) throws(SystemFailure) -> String {
        guard
            case .exited(let status, let received) = try result(
                of: executable, arguments: arguments, timeoutSeconds: timeoutSeconds)
        else {
            throw SystemFailure("'\(executable)' did not exit within \((timeoutSeconds * 10).rounded() / 10) s")
        }
        guard status == 0 else {
            let line = received.split(separator: "\n").last.map(String.init) ?? "it exited with status \(status)"
            throw SystemFailure("'\(executable)' failed: \(line)")
        }
        return received
    }

    /// How a program has ended.
    package enum Exit: Hashable, Sendable {
        /// With a status, and what it wrote to standard output and standard error.
        case exited(status: Int32, output: String)
        /// It was killed, because it did not exit in time, or wrote more than 64 KiB.
        case timedOut
    }

    /// The same, for a caller that distinguishes how the program has ended. Throws if it cannot be
    /// run.
    package static func result(
        of executable: String, arguments: [String], timeoutSeconds: Double
    ) throws(SystemFailure) -> Exit {
        let (child, pipe) = try spawn(executable, arguments: arguments, writingTo: [STDOUT_FILENO, STDERR_FILENO])
        defer { close(pipe) }
        let received = read(from: pipe, timeoutSeconds: timeoutSeconds) { _ in false }
        if received == nil { kill(child, SIGKILL) }
        let status = reapProgram(child)
        return received.map { .exited(status: status, output: $0) } ?? .timedOut
    }

    /// Starts the program without a terminal. Its `descriptors` write to a pipe, whose other end is
    /// returned; its other standard descriptors are /dev/null. A program of this project closes the
    /// other descriptors that it inherits itself.
    private static func spawn(
        _ executable: String, arguments: [String], writingTo descriptors: [Int32],
        keepsVariable: (String) -> Bool = { _ in true }
    ) throws(SystemFailure) -> (child: pid_t, pipe: Int32) {
        var ends: [Int32] = [-1, -1]
        // A socket pair serves as the pipe: it is close-on-exec from the start, so no other child
        // process inherits an end.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemFailure("cannot create a pipe: \(systemErrorText(errno))")
        }
        let (own, given) = (ends[0], ends[1])
        defer { close(given) }
        do throws(SystemFailure) {
            let child = try spawnProgram(executable, arguments: arguments, keepsVariable: keepsVariable) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
                for descriptor in descriptors { posix_spawn_file_actions_adddup2(&actions, given, descriptor) }
            }
            return (child, own)
        } catch {
            close(own)
            throw error
        }
    }

    /// Reads text up to the end of the line or of the stream, and returns the first line. Returns
    /// nil on a timeout or beyond 64 KiB.
    private static func readLine(from descriptor: Int32, timeoutSeconds: Double) -> String? {
        read(from: descriptor, timeoutSeconds: timeoutSeconds) { $0.contains(UInt8(ascii: "\n")) }?
            .split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// Reads text until `isComplete` or the end of the stream. Returns nil on a timeout or beyond
    /// 64 KiB.
    private static func read(
        from descriptor: Int32, timeoutSeconds: Double, until isComplete: ([UInt8]) -> Bool
    ) -> String? {
        let deadline = DispatchTime.now() + timeoutSeconds
        var received: [UInt8] = []
        while !isComplete(received) {
            let now = DispatchTime.now()
            guard now < deadline, received.count < 65_536 else { return nil }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(clamping: milliseconds)) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            received += bytes[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Waits on a thread, for up to one second, until the started process has exited, which it does
    /// at once because the program continues in a process of its own. If it takes longer, the
    /// thread waits on. Without a thread, waits here without a limit.
    private static func reapLater(_ child: pid_t) {
        let reaper = WorkerThread()
        guard reaper.start(name: "audio-reaper", { reapProgram(child) }) else { return _ = reapProgram(child) }
        reaper.join(seconds: 1)
    }
}
