import Foundation
import PositionSignals
import Processes
import Servers

/// A desktop of the benchmark's own: PipeWire with a null sink, WirePlumber, pipewire-pulse, a
/// session bus, the arbiter and audiosession-adopt.
final class Desktop {
    let folder: String
    let environment: [String: String]
    let quantum: Int
    let capture: Capture
    let service: Service
    private let programs: String
    private var children: [Child] = []
    /// The display of programs with windows; started when the first one needs it.
    private var display: String?

    /// Starts all of them; programs are adopted on return.
    init(service path: String, quantum: Int) throws {
        // Scripts/with-pipewire sets it, and libjack's path, and ends all programs afterwards.
        guard let folder = ProcessInfo.processInfo.environment["PIPEWIRE_RUNTIME_DIR"] else {
            throw BenchmarkError(
                "There is no PipeWire of the benchmark's own. Run it by Scripts/benchmark foreign, or by Scripts/with-pipewire."
            )
        }
        (self.folder, self.quantum) = (folder, quantum)
        programs = URL(fileURLWithPath: path).deletingLastPathComponent().path
        service = try Service(program: path)
        let environment = Self.environment(folder, arbiter: service.socket)
        self.environment = environment
        try Self.configure(folder, quantum: quantum)
        func start(_ name: String, _ arguments: [String] = []) throws -> Child {
            let log = "\(folder)/\(URL(fileURLWithPath: name).lastPathComponent).log"
            return try Child(name, arguments, environment: environment, log: log)
        }
        func isDone(_ name: String, _ arguments: String...) -> Bool {
            Child.output(name, arguments, environment: environment) != nil
        }
        var children = [
            try start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus"]),
            try start("pipewire"),
        ]
        try wait(for: "PipeWire", seconds: 20) { isDone("pw-cli", "info", "0") }
        children.append(try start("wireplumber"))
        try wait(for: "WirePlumber", seconds: 20) {
            Child.output("pw-metadata", ["0", "default.audio.sink"], environment: environment)?.contains("\"sink\"")
                ?? false
        }
        children.append(try start("pipewire-pulse"))
        try wait(for: "pipewire-pulse", seconds: 20) { isDone("pactl", "info") }
        capture = try Capture(quantum: quantum)
        children.append(try start(programs + "/audiosession-adopt"))
        self.children = children
        try wait(for: "audiosession-adopt", seconds: 20) {
            audiosession("status")?.contains("1 program connected") ?? false
        }
    }

    private static func environment(_ folder: String, arbiter: String) -> [String: String] {
        [
            "HOME": folder + "/home", "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder + "/config",
            "XDG_STATE_HOME": folder + "/state", "XDG_CACHE_HOME": folder + "/cache",
            "XDG_DATA_HOME": folder + "/data", "PULSE_RUNTIME_PATH": folder + "/pulse",
            "PULSE_SERVER": "unix:\(folder)/pulse/native", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus",
            "AUDIOSESSION_SOCKET": arbiter,
            // Windows belong on the display that the benchmark starts.
            "WAYLAND_DISPLAY": "", "GDK_BACKEND": "x11",
        ]
    }

    private static func configure(_ folder: String, quantum: Int) throws {
        let path = folder + "/config/pipewire/pipewire.conf.d"
        for path in [path, folder + "/home"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try """
        context.properties = {
            default.clock.rate = \(PositionSignal.sampleRate) default.clock.quantum = \(quantum)
            default.clock.min-quantum = \(quantum) default.clock.max-quantum = \(quantum)
        }
        context.objects = [
            { factory = adapter args = { factory.name = support.null-audio-sink node.name = sink media.class = Audio/Sink
                audio.position = [ FL FR ] priority.session = 1000 priority.driver = 1000 object.linger = true } }
        ]
        """.write(toFile: path + "/sink.conf", atomically: true, encoding: .utf8)
        try PositionSignal.write(to: folder + "/position.wav", repetitions: 28)
    }

    /// The signal's file, with 5 minutes.
    var signal: String { folder + "/position.wav" }

    /// Runs `audiosession`, and returns its output; nil if it failed.
    @discardableResult
    func audiosession(_ arguments: String...) -> String? {
        Child.output(program("audiosession"), arguments, environment: environment)
    }

    /// Returns the path of a program of the package.
    func program(_ name: String) -> String { programs + "/" + name }

    /// Starts a program that plays the signal.
    func start(_ program: Program) throws -> Child {
        var environment = environment
        if program.hasWindow { environment["DISPLAY"] = try startDisplay() }
        let (name, arguments) = try program.command(self)
        return try Child(name, arguments, environment: environment, log: "\(folder)/\(program.name).log")
    }

    private func startDisplay() throws -> String {
        if let display { return display }
        let file = folder + "/display"
        // Xvfb chooses a free display, and prints its number.
        let child = try Child(
            "sh", ["-c", "exec Xvfb -displayfd 6 -screen 0 800x600x24 -nolisten tcp 6>'\(file)'"],
            environment: environment, log: folder + "/Xvfb.log")
        children.append(child)
        var number = ""
        try wait(for: "Xvfb", seconds: 20) {
            number = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            return number.hasSuffix("\n") || !child.isRunning
        }
        guard child.isRunning else { throw BenchmarkError("Xvfb does not run: \(child.lastOutput)") }
        let display = ":" + number.trimmingCharacters(in: .whitespacesAndNewlines)
        self.display = display
        return display
    }

    deinit {
        capture.close()
        for child in children.reversed() { child.end() }
    }
}
