package import Foundation

/// A child process of the same program that performs a part (`--part NAME ARGUMENTS…`), connected
/// by a socket.
package final class Companion {
    package let packets: Packets
    private let process: pid_t
    /// The part's standard error, in a file without a name.
    private let errorOutput: Int32
    private var status: Int32?

    /// The part's descriptor of the socket.
    package static let inherited: Int32 = 3

    package init(_ part: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BenchmarkError("Cannot create a socket pair.")
        }
        packets = Packets(socket: ends[0])
        defer { close(ends[1]) }
        errorOutput = Self.namelessFile()
        do {
            process = try Spawn.process(
                "/proc/self/exe", ["--part", part] + arguments, environment: environment, errorOutput: errorOutput,
                inheriting: ends[1])
        } catch {
            close(errorOutput)
            throw error
        }
    }

    /// Ends the part by closing its socket.
    deinit {
        shutdown(packets.socket, Int32(SHUT_RDWR))
        if status == nil { waitpid(process, nil, 0) }
        close(errorOutput)
    }

    /// Describes how the part ended, with its last error output. For callers that find its socket
    /// closed.
    package func ending() -> String {
        for _ in 0..<100 where status == nil {
            var found: Int32 = 0
            if waitpid(process, &found, WNOHANG) == process { status = found } else { poll(nil, 0, 50) }
        }
        let last = String(decoding: lastErrorOutput(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let how =
            switch status.map({ ($0 & 0x7F, $0 >> 8 & 0xFF) }) {
            case nil: "closed its socket and is still running"
            case (0, let code)?: "ended with \(code)"
            case (let signal, _)?: "was ended by signal \(signal), \(String(cString: strsignal(signal)))"
            }
        return last.isEmpty ? how : "\(how); its last output: \(last)"
    }

    private static func namelessFile() -> Int32 {
        var path = Array("/tmp/benchmark-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        if file >= 0 {
            unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        }
        return file
    }

    private func lastErrorOutput() -> [UInt8] {
        let size = lseek(errorOutput, 0, SEEK_END)
        let count = min(max(size, 0), 1024)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, read in
            read = max(0, pread(errorOutput, bytes.baseAddress, count, size - count))
        }
    }
}

package enum Spawn {
    /// Runs a program found on PATH, without input, with its standard error discarded or saved,
    /// with additions to the environment, and with a descriptor of this process as its descriptor
    /// 3.
    package static func process(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], output: Bool = true,
        errorOutput: Int32 = -1, inheriting descriptor: Int32 = -1
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if !output { posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) }
        if errorOutput >= 0 {
            posix_spawn_file_actions_adddup2(&actions, errorOutput, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        if descriptor >= 0 { posix_spawn_file_actions_adddup2(&actions, descriptor, Companion.inherited) }
        // Resets signals that this process ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in ShutdownSignal.signals { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var process = pid_t()
        let error = withCStrings([program] + arguments) { words in
            withCStrings(variables) { posix_spawnp(&process, program, &actions, &attributes, words, $0) }
        }
        guard error == 0 else {
            throw BenchmarkError("Cannot run '\(program)': \(String(cString: strerror(error))).")
        }
        ShutdownSignal.register(process)
        return process
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let words = strings.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        return body(words)
    }
}
