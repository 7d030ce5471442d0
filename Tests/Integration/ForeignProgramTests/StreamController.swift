import Foundation
import Glibc
import Platform
import TestSupport

/// A process of audiosession-hand, with a test as its parent.
final class StreamController: Sendable {
    let identifier: pid_t
    let events = EventLog<String>()
    private let input: Mutex<Int32>
    private let output: Int32
    private let status = Promise<Int32>()
    private let reader = WorkerThread()

    /// Starts the program. With `readsEvents` false, nobody reads its events.
    init(on desktop: ForeignDesktop, _ arguments: [String] = [], readsEvents: Bool = true) throws {
        Glibc.signal(SIGPIPE, SIG_IGN)  // a controller may end while a command is written
        var (commands, lines): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&commands) == 0, pipe(&lines) == 0 else {
            throw TestFailure("Cannot create pipes.")
        }
        for descriptor in commands + lines { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let (read, write) = (commands[0], lines[1])
        identifier = try spawnProgram(
            BuiltProgram.path("audiosession-hand"), arguments: arguments, environment: desktop.environment
        ) { actions in
            posix_spawn_file_actions_adddup2(&actions, read, 0)
            posix_spawn_file_actions_adddup2(&actions, write, 1)
        }
        close(read)
        close(write)
        input = Mutex(commands[1])
        output = lines[0]
        guard readsEvents else { return }
        let (descriptor, events) = (output, events)
        guard reader.start(name: "hand events", { Self.read(descriptor, into: events) }) else {
            throw TestFailure("Cannot start a thread.")
        }
    }

    deinit {
        signal(SIGKILL)
        endInput()
        _ = reap()
        reader.join(seconds: 20)
        close(output)
    }

    /// Starts the program and waits until it serves.
    static func serving(on desktop: ForeignDesktop, _ arguments: [String] = []) throws -> StreamController {
        let controller = try StreamController(on: desktop, arguments)
        guard controller.events.wait(until: { $0.contains("synced") }) else {
            throw TestFailure("audiosession-hand did not become ready: \(controller.events.noted)")
        }
        return controller
    }

    private static func read(_ descriptor: Int32, into events: EventLog<String>) {
        var (line, block) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            if count == -1, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in block[..<count] {
                if byte == UInt8(ascii: "\n") {
                    events.note(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
        events.note("<end>")
    }

    // MARK: - Commands

    func write(_ bytes: [UInt8]) {
        input.withLock { input in
            var rest = bytes[...]
            while input >= 0, !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    func send(_ command: String) { write(Array((command + "\n").utf8)) }

    /// Sends a command and waits until it is in effect.
    func reaches(_ command: String, seconds: Double = 20) -> Bool {
        let before = events.noted.count
        let serial = command.split(separator: " ")[1]
        send(command)
        return events.wait(limit: seconds) { $0.dropFirst(before).contains("reached \(serial)") }
    }

    func endInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Sends a signal, unless the process has been reaped.
    func signal(_ number: Int32) {
        if status.wait(seconds: 0) == nil { kill(identifier, number) }
    }

    /// No longer reads events, as a parent that has lost its pipe.
    func closeOutput() { close(output) }

    /// Waits for the end of the process and returns its exit status.
    func reap() -> Int32 {
        if let known = status.wait(seconds: 0) { return known }
        let result = reapProgram(identifier)
        status.set(result)
        return result
    }

    // MARK: - Streams

    /// Waits until a stream is reported whose line contains all of these, and returns its serial.
    func stream(_ parts: String...) throws -> UInt64 {
        var found: UInt64?
        guard
            events.wait(until: { lines in
                found = lines.last { line in line.hasPrefix("stream ") && parts.allSatisfy(line.contains) }
                    .flatMap { UInt64($0.split(separator: " ")[1]) }
                return found != nil
            }), let found
        else { throw TestFailure("No stream with \(parts) is reported: \(events.noted)") }
        return found
    }
}
