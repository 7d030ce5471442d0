import Foundation
import TestSupport

/// One run of the program `player`, with its output by line as it arrives.
final class PlayerRun: Sendable {
    let out: LineReader
    let errors: LineReader
    private let process: ChildProcess

    /// The path of the program, which is built with these tests.
    static var program: String {
        get throws {
            try BuiltProgram.path("player")
        }
    }

    /// `program`: a copy or link under another name.
    init(_ arguments: [String], environment: [String: String] = [:], program: String? = nil) throws {
        out = try LineReader()
        errors = try LineReader()
        process = try ChildProcess(
            try program ?? Self.program, arguments, environment: environment,
            printingTo: (out.takeWritingEnd(), errors.takeWritingEnd()))
        out.start()
        errors.start()
    }

    var identifier: pid_t { process.identifier }

    func send(_ signal: Int32) { process.send(signal) }

    /// Waits for the end of the program and of its output. Returns nil if it is still running, or
    /// if it has left a process behind that holds its descriptors.
    func exit(within seconds: Double = 60) -> Int32? {
        guard process.waitForEnd(seconds: seconds) else { return nil }
        let status = process.reap()
        return out.waitForEnd() && errors.waitForEnd() ? status : nil
    }

    /// Waits for the `count`-th line that contains this text.
    func waitForLine(_ text: String, count: Int = 1, within seconds: Double = 20) -> Bool {
        out.lines.wait(limit: seconds) { $0.filter { $0.contains(text) }.count >= count }
    }

    /// The program's output, by line.
    var outLines: [String] { out.lines.noted }
    var errorLines: [String] { errors.lines.noted }

    /// Runs the program to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], within seconds: Double = 60
    ) throws -> (status: Int32, out: [String], errors: [String]) {
        let run = try PlayerRun(arguments, environment: environment)
        guard let status = run.exit(within: seconds) else {
            throw TestFailure("player \(arguments.joined(separator: " ")) did not end within \(seconds) s.")
        }
        return (status, run.outLines, run.errorLines)
    }
}

/// The reading end of a socket pair, and the lines that arrive there.
///
/// Unchecked `Sendable`: one thread sets up the descriptors, then another one reads.
final class LineReader: @unchecked Sendable {
    let lines = EventLog<String>()
    private let ended = EventLog<Bool>()
    private var reading: Int32 = -1
    private var writing: Int32 = -1

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Returns the writing end for the child process. `start` closes this process's copy.
    func takeWritingEnd() -> Int32 { writing }

    /// Starts to read, until all writing ends are closed.
    func start() {
        close(writing)
        Thread { [self] in
            var rest: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reading, &block, block.count)
                if count == -1, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += block[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.note(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            if !rest.isEmpty { lines.note(String(decoding: rest, as: UTF8.self)) }
            close(reading)
            ended.note(true)
        }.start()
    }

    func waitForEnd() -> Bool { ended.wait { !$0.isEmpty } }
}

/// Returns whether an event has every key that the interface documents for its kind. Throws for an
/// unknown kind.
func hasPromisedKeys(_ event: [String: Any]) throws -> Bool {
    let keys: [String: Set<String>] = [
        "hardware": [
            "server", "sampleRate", "ioBufferDuration", "periodFrames", "outputLatency", "preferredSampleRate",
            "preferredIOBufferDuration",
        ],
        "session": ["id", "category", "mode", "options", "active", "state", "ducked", "muted", "reasons"],
        "route": ["reason", "outputs", "inputs", "previous"],
        "position": ["file", "frame", "seconds"],
        "loudness": ["momentary", "shortTerm", "integrated", "range", "truePeak", "final"],
        "server": ["state"],
        "xrun": ["count"],
        "finished": ["file"],
        "error": ["code", "message"],
    ]
    let name = event["event"] as? String ?? ""
    guard name != "interruption" else {
        let isBegan = event["type"] as? String == "began"
        return event.keys.contains("type") && event.keys.contains(isBegan ? "reason" : "shouldResume")
    }
    guard let promised = keys[name] else { throw TestFailure("The interface has no event '\(name)'.") }
    return event["time"] is Double && promised.isSubset(of: event.keys)
}

/// Parses one JSON event.
func parsed(_ line: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
}
