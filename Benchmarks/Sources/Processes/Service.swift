internal import Foundation

/// An `audiosessiond` that the benchmark starts.
package final class Service {
    package let socket: String
    private let folder: String
    private let process: pid_t

    /// Starts the service; it serves on return.
    package init(program: String) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchmarkError(
                "'\(program)' is missing; build it first: swift build -c release --product audiosessiond.")
        }
        // In memory, as the runtime folder of a user is.
        folder = "/dev/shm/benchmark-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        ShutdownSignal.register(folder: folder)
        socket = folder + "/arbiter.socket"
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let settings = """
            service:
              idle-exit: 0
            programs:
              trusted: ["\(own)"]
            limits:
              sessions-per-app: 512
              messages-per-second: 1000000
              queued-bytes: 67108864
            """
        try settings.write(toFile: folder + "/settings.yaml", atomically: true, encoding: .utf8)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("Cannot create a pipe.") }
        defer { close(ends[0]) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        process = try Spawn.process(
            program, ["--foreground", "--socket", socket, "--config", folder + "/settings.yaml", "--ready-fd", "3"],
            inheriting: ends[1])
        close(ends[1])
        var word = [UInt8](repeating: 0, count: 512)
        let count = read(ends[0], &word, word.count)
        guard count > 0, word.starts(with: Array("ready".utf8)) else {
            throw BenchmarkError(
                "'\(program)' is not ready: \(String(decoding: word.prefix(max(0, count)), as: UTF8.self))")
        }
    }

    deinit {
        kill(process, SIGTERM)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
