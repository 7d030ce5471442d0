import Foundation
import TestSupport

/// jack_iodelay, which measures the delay from its output to its input in frames.
final class JackDelay: Sendable {
    private let process: ChildProcess
    private let lines: Int32
    private let environment: [String: String]

    init(on server: JackServer) throws {
        environment = server.environment
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        defer { close(ends[1]) }
        lines = ends[0]
        process = try ChildProcess(
            "stdbuf", ["-oL", "jack_iodelay"], environment: environment, printingTo: (ends[1], ends[1]))
        // The program prints this as soon as it receives silence: its ports exist then.
        _ = try reading { $0.contains("below threshold") ? 0 : nil }
    }

    deinit {
        process.send(SIGTERM)
        process.reap()
        close(lines)
    }

    /// Returns the delay in frames from its output to `destination` and from `source` to its input,
    /// once three readings agree.
    func measure(to destination: String, from source: String) throws -> Double {
        let ends = [["jack_delay:out", destination], [source, "jack_delay:in"]]
        for arguments in ends { try connect("jack_connect", arguments) }
        defer { for arguments in ends { try? connect("jack_disconnect", arguments) } }
        var last: [Double] = []
        return try reading { line in
            let words = line.split(separator: " ")
            guard words.count > 1, words[1] == "frames", line.contains("total roundtrip"), let frames = Double(words[0])
            else { return nil }
            last = Array((last + [frames]).suffix(3))
            return last == [frames, frames, frames] ? frames : nil
        }
    }

    /// Waits until the program reports silence, so that later readings do not stem from earlier
    /// connections.
    func forget() throws { _ = try reading { $0.contains("below threshold") ? 0 : nil } }

    private func connect(_ program: String, _ arguments: [String]) throws {
        let (status, output) = try ChildProcess.run(program, arguments, environment: environment)
        guard status == 0 else { throw TestFailure("\(program) \(arguments): \(output)") }
    }

    /// Reads lines until one contains the wanted value, at most 30 s.
    private func reading(_ find: (String) -> Double?) throws -> Double {
        let deadline = Date(timeIntervalSinceNow: 30)
        var line: [UInt8] = []
        while Date() < deadline {
            var watched = pollfd(fd: lines, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 1000) > 0 else { continue }
            var byte: UInt8 = 0
            guard read(lines, &byte, 1) == 1 else { throw TestFailure("jack_iodelay ended.") }
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            if let value = find(String(decoding: line, as: UTF8.self)) { return value }
            line = []
        }
        throw TestFailure("jack_iodelay found no signal, or no steady delay, within 30 s.")
    }
}
