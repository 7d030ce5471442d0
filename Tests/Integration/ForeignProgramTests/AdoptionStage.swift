import Foundation
import Platform
import TestSupport

/// A desktop with the arbiter and audiosession-adopt.
final class AdoptionStage: Sendable {
    let desktop: ForeignDesktop
    private let arbiter: Mutex<ChildProcess>
    private let adoption: Mutex<ChildProcess>

    /// Starts all programs. `settings` is the text of the settings file.
    init(pulse: Bool = false, settings: String = "", startsArbiter: Bool = true) throws {
        desktop = try ForeignDesktop(pulse: pulse)
        let folder = desktop.folder.file("config/audiosession")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try settings.write(toFile: folder + "/audiosession.yaml", atomically: true, encoding: .utf8)
        arbiter = Mutex(try Self.startArbiter(desktop))
        // Without a program to start, the arbiter that is killed has no successor.
        let environment = startsArbiter ? [:] : ["AUDIOSESSIOND": "/nonexistent"]
        adoption = Mutex(try Self.startAdoption(desktop, environment))
        guard try eventually({ try audiosession("status").contains("1 program connected") }) else {
            throw TestFailure("audiosession-adopt did not become ready: \(adoptionOutput)")
        }
    }

    deinit {
        for child in [adoption, arbiter] {
            let child = child.withLock(\.self)
            child.send(SIGKILL)
            child.reap()
        }
    }

    private static func startArbiter(_ desktop: ForeignDesktop) throws -> ChildProcess {
        let child = try ChildProcess(
            BuiltProgram.path("audiosessiond"), ["--foreground"], environment: desktop.environment)
        let socket = desktop.folder.file("audiosession/arbiter.socket")
        guard eventually({ access(socket, F_OK) == 0 && !child.waitForEnd(seconds: 0) }) else {
            throw TestFailure("audiosessiond did not become ready: \(child.output)")
        }
        return child
    }

    static func startAdoption(
        _ desktop: ForeignDesktop, _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("audiosession-adopt"), [],
            environment: desktop.environment.merging(environment) { $1 })
    }

    /// Runs `audiosession` with these arguments.
    @discardableResult
    func audiosession(_ arguments: String...) throws -> String {
        let (status, output) = try desktop.run(BuiltProgram.path("audiosession"), arguments)
        guard status == 0 else { throw TestFailure("audiosession \(arguments) exited with \(status): \(output)") }
        return output
    }

    /// Whether `audiosession status` has a line with all of these soon.
    func shows(_ parts: String..., seconds: Double = 20) throws -> Bool {
        try eventually(seconds: seconds) {
            try audiosession("status").split(separator: "\n").contains { line in parts.allSatisfy(line.contains) }
        }
    }

    /// The status of the one media player on the session bus: Playing, Paused or Stopped.
    func playerStatus() throws -> String {
        try desktop.run("playerctl", ["status"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A session lowers others until the process is ended.
    func prompt() throws -> ChildProcess {
        try ChildProcess(BuiltProgram.path("audiosession"), ["duck"], environment: desktop.environment)
    }

    // MARK: - Kills

    var adoptionProcess: pid_t { adoption.withLock { $0.identifier } }
    var adoptionOutput: String { adoption.withLock { $0.output } }

    /// Ends audiosession-adopt by a signal, and returns its exit status.
    @discardableResult
    func endAdoption(_ number: Int32) -> Int32 {
        let child = adoption.withLock(\.self)
        child.send(number)
        return child.reap()
    }

    func restartAdoption() throws {
        let child = try Self.startAdoption(desktop)
        adoption.withLock { $0 = child }
    }

    /// Waits for the exit of audiosession-adopt, and returns its status.
    func adoptionStatus() -> Int32? {
        let child = adoption.withLock(\.self)
        return child.waitForEnd(seconds: 30) ? child.reap() : nil
    }

    /// The arbiter, audiosession-adopt and its stream controller.
    func processes() throws -> [pid_t] {
        [arbiter.withLock { $0.identifier }, adoptionProcess, try controllerProcess()]
    }

    private func controllerProcess() throws -> pid_t {
        let output = try desktop.run("pgrep", ["-P", "\(adoptionProcess)", "-f", "audiosession-hand"]).output
        guard let process = output.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw TestFailure("There is no audiosession-hand: \(adoptionOutput)")
        }
        return process
    }

    /// Kills the stream controller of audiosession-adopt.
    func killController() throws { kill(try controllerProcess(), SIGKILL) }

    func killArbiter() {
        let child = arbiter.withLock(\.self)
        child.send(SIGKILL)
        child.reap()
    }

    /// Kills the arbiter, and starts another one.
    func replaceArbiter() throws {
        // Other programs hold this lock while they start an arbiter: none precedes this one.
        let lock = try FileLock(path: desktop.folder.file("audiosession/arbiter.lock"), within: 20)
        defer { lock.unlock() }
        killArbiter()
        let child = try Self.startArbiter(desktop)
        arbiter.withLock { $0 = child }
    }
}
