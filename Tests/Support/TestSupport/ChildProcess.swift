internal import CSessionSocket
internal import Foundation
internal import Platform
public import Glibc

/// A program that a test starts, ends and reaps.
public final class ChildProcess: Sendable {
    public let identifier: Glibc.pid_t
    /// A pidfd: readable once the process has ended.
    let descriptor: Int32
    private let directory: TemporaryDirectory
    private let exit = ExitStatus()

    /// Starts `program`, found on PATH, with the given additions to the environment. The child
    /// inherits the descriptor `inherited`, if given, as its descriptor 101. `output` collects what
    /// the program prints, unless `printed` redirects it.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        inheriting inherited: Int32? = nil, printingTo printed: (output: Int32, errors: Int32)? = nil
    ) throws {
        directory = try TemporaryDirectory()
        let pid: Glibc.pid_t
        do throws(SystemFailure) {
            pid = try spawnProgram(
                program, arguments: arguments, environment: environment, searchesPath: true
            ) { [directory] actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                if let printed {
                    posix_spawn_file_actions_adddup2(&actions, printed.output, 1)
                    posix_spawn_file_actions_adddup2(&actions, printed.errors, 2)
                } else {
                    posix_spawn_file_actions_addopen(
                        &actions, 1, directory.file("output"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
                    posix_spawn_file_actions_adddup2(&actions, 1, 2)
                }
                if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 101) }
            }
        } catch {
            throw TestFailure("\(error.reason). These tests need it; install jackd2.")
        }
        identifier = pid
        descriptor = ssocket_process_open(pid)
        guard descriptor >= 0 else {
            Glibc.kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw TestFailure("Cannot open a pidfd of '\(program)': \(String(cString: strerror(-descriptor))).")
        }
    }

    deinit {
        close(descriptor)
        if exit.value == nil { _ = Glibc.kill(identifier, SIGKILL) }
        reap()
    }

    /// Runs a program to its end. Returns its status and its output.
    @discardableResult
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], seconds: Double = 120
    ) throws -> (status: Int32, output: String) {
        let child = try ChildProcess(program, arguments, environment: environment)
        guard child.waitForEnd(seconds: seconds) else {
            throw TestFailure("'\(program)' did not end within \(seconds) s.")
        }
        return (child.reap(), child.output)
    }

    /// The program's output so far.
    public var output: String { readText(directory.file("output")) }

    /// Sends a signal, unless the process has been reaped.
    public func send(_ signal: Int32) { exit.whileUnset { _ = Glibc.kill(identifier, signal) } }

    /// Waits until the process ends. Returns false if it is still running after `seconds`.
    public func waitForEnd(seconds: Double) -> Bool {
        guard exit.value == nil else { return true }
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let result = poll(&watched, 1, Int32(seconds * 1000))
            if result == -1, errno == EINTR { continue }
            return result > 0
        }
    }

    /// Waits for the process without limit and returns its exit status, or 128 plus the number of
    /// the signal that ended it. Idempotent.
    @discardableResult
    public func reap() -> Int32 {
        exit.set {
            reapProgram(identifier)
        }
    }

}

/// An exit status that is set once the process has been reaped.
///
/// Unchecked `Sendable`: accessed only under the lock.
private final class ExitStatus: @unchecked Sendable {
    private let lock = NSLock()
    private var status: Int32?

    var value: Int32? { lock.withLock { status } }

    func whileUnset(_ body: () -> Void) { lock.withLock { if status == nil { body() } } }

    func set(_ body: () -> Int32) -> Int32 {
        lock.withLock {
            if let status { return status }
            let new = body()
            status = new
            return new
        }
    }
}

/// Returns the contents of a file, or "" if it cannot be read. Foundation's own readers leak a page
/// for files that report a size of 0, as those in /proc do.
public func readText(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &block, block.count)
        if count == -1, errno == EINTR { continue }
        guard count > 0 else { return String(decoding: text, as: UTF8.self) }
        text += block[..<count]
    }
}
