package import Foundation
import Platform

/// A child process. A socket pair carries its standard output; the end of the stream shows that the
/// process has ended.
package final class Program {
    package let process: pid_t
    private let output: Int32
    private let input: Int32
    private var status: Int32?
    private var unread = [UInt8]()
    private var hasEnded = false

    /// The folder of the running program, which holds all programs of the build.
    package static var folder: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return (own as NSString).deletingLastPathComponent
        }
    }

    /// Returns the path of a program of the same build.
    package static func built(_ name: String) throws -> String {
        let program = try folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TrialError("'\(program)' is missing; build the product '\(name)' first.")
        }
        return program
    }

    /// Starts a program. With `outputAlsoAt3` it also gets the output stream as descriptor 3.
    /// `handing` is a descriptor that the child inherits under the given number.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], errorsTo errors: String? = nil,
        outputAlsoAt3: Bool = false, handing: (own: Int32, asNumber: Int32)? = nil
    ) throws {
        var pipes: (output: [Int32], input: [Int32]) = ([-1, -1], [-1, -1])
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pipes.output) == 0, socketpair(AF_UNIX, kind, 0, &pipes.input) == 0 else {
            throw TrialError("Cannot create a socket pair.")
        }
        defer {
            close(pipes.output[1])
            close(pipes.input[1])
        }
        do throws(SystemFailure) {
            process = try spawnProgram(path, arguments: arguments, environment: environment) { actions in
                posix_spawn_file_actions_adddup2(&actions, pipes.input[1], 0)
                posix_spawn_file_actions_adddup2(&actions, pipes.output[1], 1)
                if let errors {
                    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
                }
                if outputAlsoAt3 { posix_spawn_file_actions_adddup2(&actions, pipes.output[1], 3) }
                if let handing { posix_spawn_file_actions_adddup2(&actions, handing.own, handing.asNumber) }
            }
        } catch {
            throw TrialError("\(error.reason).")
        }
        output = pipes.output[0]
        input = pipes.input[0]
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            _ = reap()
        }
        close(output)
        close(input)
    }

    package func send(_ signal: Int32) { kill(process, signal) }

    /// For `poll`: readable when the program has printed something or has ended.
    package var watched: pollfd { pollfd(fd: output, events: Int16(POLLIN), revents: 0) }

    /// Writes a line to the program's standard input.
    package func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Closes the program's standard input.
    package func endInput() { shutdown(input, Int32(SHUT_WR)) }

    /// Returns the next line that the program prints, or nil at the end of its output. Throws when
    /// no line arrives in time.
    package func readLine(within seconds: Double = 20) throws -> String? {
        let limit = Limit(seconds: seconds)
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            guard !hasEnded else { return nil }
            guard limit.wait(for: output) else {
                throw TrialError("Process \(process) printed nothing for \(seconds) s.")
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(output, &bytes, bytes.count)
            if count > 0 { unread += bytes[..<count] } else { hasEnded = true }
        }
    }

    /// Waits until the program has ended. Returns its exit status, or 128 plus the number of the
    /// signal that ended it. Discards its remaining output.
    package func waitForEnd(within seconds: Double = 20) throws -> Int32 {
        if let status { return status }
        let limit = Limit(seconds: seconds)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while !hasEnded {
            guard limit.wait(for: output) else { throw TrialError("Process \(process) has not ended in \(seconds) s.") }
            hasEnded = read(output, &bytes, bytes.count) <= 0
        }
        return reap()
    }

    private func reap() -> Int32 {
        let result = reapProgram(process)
        status = result
        return result
    }
}
