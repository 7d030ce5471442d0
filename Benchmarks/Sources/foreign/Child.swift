import Foundation
import Processes
import Servers

/// A program that the benchmark starts, with its output in a file.
final class Child {
    let name: String
    let process: pid_t
    private let log: String
    private var hasEnded = false

    init(_ name: String, _ arguments: [String] = [], environment: [String: String], log: String) throws {
        (self.name, self.log) = (name, log)
        let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        process = try Spawn.process(name, arguments, environment: environment, output: false, errorOutput: file)
    }

    deinit { end() }

    var isRunning: Bool {
        if !hasEnded { hasEnded = waitpid(process, nil, WNOHANG) == process }
        return !hasEnded
    }

    /// The last lines of its standard error.
    var lastOutput: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.suffix(300).split(separator: "\n").suffix(2).joined(separator: "; ")
    }

    /// Ends it by SIGTERM, after 5 s by SIGKILL.
    func end() {
        guard isRunning else { return }
        kill(process, SIGTERM)
        if !holds(within: 5, { !isRunning }) {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            hasEnded = true
        }
    }

    /// Runs a program to its end, for at most 20 s. Returns its standard output; nil if it failed.
    static func output(_ name: String, _ arguments: [String], environment: [String: String]) -> String? {
        let (task, output) = (Process(), Pipe())
        task.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        task.arguments = ["timeout", "20", name] + arguments
        task.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        task.standardOutput = output
        task.standardError = FileHandle.nullDevice
        task.standardInput = FileHandle.nullDevice
        guard (try? task.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        task.waitUntilExit()
        return task.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
