internal import Foundation

/// Starts a program that goes on in the background, and waits, on a pipe, until it is ready or says why not.
package enum ProgramLaunch {
    /// The descriptor at which the program finds the pipe.
    private static let readyDescriptor: Int32 = 3

    /// Where `program` lies: what the environment names by `variable`, else beside the running program, else on PATH.
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
                "there is no program '\(program)' beside this one or on PATH; \(variable) can name it")
        }
        return found
    }

    /// Returns `executable` if it can be run.
    package static func check(_ executable: String) throws(SystemFailure) -> String {
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw SystemFailure("'\(executable)' is not a program that can be run")
        }
        return executable
    }

    /// Runs the program with `--ready-fd N` before the arguments. It writes "ready" there, or one line that says why not, and goes on by
    /// itself meanwhile: what was started ends. Throws when it is not ready within `limit` seconds.
    package static func run(_ executable: String, arguments: [String], limit: Double) throws(SystemFailure) {
        var ends: [Int32] = [-1, -1]
        // A socket pair serves as the pipe: it is close-on-exec from the start, so that no other child holds an end.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemFailure("there is no pipe to be had: \(systemErrorText(errno))")
        }
        defer { close(ends[0]) }
        let child: pid_t
        do throws(SystemFailure) {
            child = try spawn(
                executable, arguments: ["--ready-fd", String(readyDescriptor)] + arguments, giving: ends[1],
                as: [readyDescriptor])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        let line = readLine(from: ends[0], limit: limit)
        guard line != "ready" else { return reapLater(child) }
        // What is not ready by now is not wanted any longer, and might never end.
        if line == nil { kill(child, SIGKILL) }
        let status = reap(child)
        switch line {
        case nil: throw SystemFailure("it was not ready within \((limit * 10).rounded() / 10) s")
        case "": throw SystemFailure("'\(executable)' ended without a word, with status \(status)")
        case let reason?:
            throw SystemFailure(
                reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        }
    }

    /// Runs the program to its end and returns what it wrote to its standard output and error. Throws when it has not ended within `limit`
    /// seconds, or not well.
    package static func output(
        of executable: String, arguments: [String], limit: Double
    ) throws(SystemFailure) -> String {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemFailure("there is no pipe to be had: \(systemErrorText(errno))")
        }
        defer { close(ends[0]) }
        let child: pid_t
        do throws(SystemFailure) {
            child = try spawn(executable, arguments: arguments, giving: ends[1], as: [1, 2])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        let said = read(from: ends[0], limit: limit) { _ in false }
        if said == nil { kill(child, SIGKILL) }
        let status = reap(child)
        guard let said else {
            throw SystemFailure("'\(executable)' had not ended within \((limit * 10).rounded() / 10) s")
        }
        guard status == 0 else {
            let line = said.split(separator: "\n").last.map(String.init) ?? "it ended with status \(status)"
            throw SystemFailure("'\(executable)' failed: \(line)")
        }
        return said
    }

    /// Starts the program with nothing of ours but the pipe: no blocked signals, no terminal; other descriptors it closes itself.
    private static func spawn(
        _ executable: String, arguments: [String], giving end: Int32, as descriptors: [Int32]
    ) throws(SystemFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor in descriptors { posix_spawn_file_actions_adddup2(&actions, end, descriptor) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        let result = posix_spawn(&child, executable, &actions, &attributes, &words, environ)
        guard result == 0 else {
            throw SystemFailure("'\(executable)' cannot be run: \(systemErrorText(result))")
        }
        return child
    }

    /// What the other end says, up to the end of the line or of all; nil when the time is over first.
    private static func readLine(from descriptor: Int32, limit: Double) -> String? {
        read(from: descriptor, limit: limit) { $0.contains(UInt8(ascii: "\n")) }?
            .split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// The same, up to where it is complete; nil also for what has no end in 64 KiB.
    private static func read(from descriptor: Int32, limit: Double, until isComplete: ([UInt8]) -> Bool) -> String? {
        let deadline = DispatchTime.now() + limit
        var said: [UInt8] = []
        while !isComplete(said) {
            let now = DispatchTime.now()
            guard now < deadline, said.count < 65_536 else { return nil }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(clamping: milliseconds)) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            said += bytes[..<count]
        }
        return String(decoding: said, as: UTF8.self)
    }

    /// The program goes on by itself, so that what was started ends at once; where it does not, a thread waits for it.
    private static func reapLater(_ child: pid_t) {
        let reaper = WorkerThread()
        guard reaper.start(name: "audio-reaper", { _ = reap(child) }) else { return _ = reap(child) }
        reaper.join(seconds: 1)
    }

    private static func reap(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR { continue }
        return (status >> 8) & 0xff
    }
}
