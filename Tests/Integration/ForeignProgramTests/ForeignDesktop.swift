import Foundation
import Platform
import TestSupport

/// A desktop for one test: PipeWire with two null sinks, WirePlumber and, if requested,
/// pipewire-pulse. Tests may kill any of them.
final class ForeignDesktop: Sendable {
    let folder: TemporaryDirectory
    let environment: [String: String]
    private let server: Mutex<ChildProcess>
    private let bus: ChildProcess
    private let sessionManager: Mutex<ChildProcess>
    private let pulse: ChildProcess?

    init(pulse withPulse: Bool = false) throws {
        folder = try TemporaryDirectory()
        environment = [
            "XDG_RUNTIME_DIR": folder.path, "PIPEWIRE_RUNTIME_DIR": folder.path,
            "PULSE_RUNTIME_PATH": folder.file("pulse"), "XDG_STATE_HOME": folder.file("state"),
            "XDG_CONFIG_HOME": folder.file("config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + folder.file("bus"),
        ]
        try Self.writeConfiguration(to: folder.file("config/pipewire/pipewire.conf.d"))
        bus = try ChildProcess(
            "dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder.file("bus"))"])
        let pipeWire = try Self.startPipeWire(environment)
        server = Mutex(pipeWire)
        sessionManager = Mutex(pipeWire)  // replaced below
        pulse = withPulse ? try ChildProcess("pipewire-pulse", [], environment: environment) : nil
        try startSessionManager()
        if withPulse {
            guard try eventually({ try Self.run("pactl", ["info"], environment).status == 0 }) else {
                throw TestFailure("pipewire-pulse did not become ready: \(pulse?.output ?? "")")
            }
        }
    }

    private static func writeConfiguration(to path: String) throws {
        let sinks = [("sink", 1000), ("other", 500)].map { name, priority in
            """
            { factory = adapter args = { factory.name = support.null-audio-sink node.name = \(name)
                media.class = Audio/Sink audio.position = [ FL FR ] priority.session = \(priority)
                priority.driver = \(priority) object.linger = true } }
            """
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try """
        context.properties = { default.clock.max-quantum = 1024 }
        context.objects = [ \(sinks.joined(separator: "\n")) ]
        """.write(toFile: path + "/sinks.conf", atomically: true, encoding: .utf8)
    }

    private static func startPipeWire(_ environment: [String: String]) throws -> ChildProcess {
        let child = try ChildProcess("pipewire", [], environment: environment)
        guard try eventually({ try run("pw-cli", ["info", "0"], environment).status == 0 }) else {
            throw TestFailure("PipeWire did not become ready: \(child.output)")
        }
        return child
    }

    /// Starts WirePlumber, and waits until it has chosen the default sink.
    func startSessionManager() throws {
        let child = try ChildProcess("wireplumber", [], environment: environment)
        sessionManager.withLock { $0 = child }
        guard try eventually({ try run("pw-metadata", ["0", "default.audio.sink"]).output.contains("\"sink\"") }) else {
            throw TestFailure("WirePlumber did not become ready: \(child.output)")
        }
    }

    func killSessionManager() {
        let child = sessionManager.withLock { $0 }
        child.send(SIGKILL)
        child.reap()
    }

    var pipeWire: ChildProcess { server.withLock { $0 } }

    func killPipeWire() {
        pipeWire.send(SIGKILL)
        pipeWire.reap()
    }

    /// Starts PipeWire and WirePlumber again.
    func restartPipeWire() throws {
        killSessionManager()
        let child = try Self.startPipeWire(environment)
        server.withLock { $0 = child }
        try startSessionManager()
    }

    func killBus() {
        bus.send(SIGKILL)
        bus.reap()
    }

    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        try Self.run(program, arguments, environment)
    }

    private static func run(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        try ChildProcess.run(program, arguments, environment: environment, seconds: 20)
    }

    // MARK: - Programs

    /// How a program speaks to PipeWire.
    enum Interface: String, CaseIterable { case native, pulse }

    /// Plays a position signal, from its beginning and for minutes.
    func play(_ interface: Interface = .native) throws -> ChildProcess {
        switch interface {
        case .native: try ChildProcess("pw-play", [signal()], environment: environment)
        case .pulse: try ChildProcess("paplay", [signal()], environment: environment)
        }
    }

    /// Plays it by a native program that states a role.
    func play(role: String) throws -> ChildProcess {
        try ChildProcess("pw-play", ["--media-role", role, signal()], environment: environment)
    }

    /// Plays announcements with pauses, by a native program that states a role.
    func speak(role: String = "Assistant", times: Int = 100) throws -> ChildProcess {
        let path = folder.file("speech-\(times).wav")
        if !FileManager.default.fileExists(atPath: path) { try SpeechSignal.write(to: path, times: times) }
        return try ChildProcess("pw-play", ["--media-role", role, path], environment: environment)
    }

    /// Plays it by mpv, with its media player on the session bus.
    func mpv() throws -> ChildProcess {
        let options = ["--no-config", "--no-video", "--no-terminal", "--ao=pipewire", "--loop-file=inf"]
        return try ChildProcess(
            "mpv", options + ["--script=/usr/lib/mpv-mpris/mpris.so", signal()], environment: environment)
    }

    /// Plays it by a client of pipewire-pulse that claims to be a phone, and another process.
    func playAsPhone(claiming process: pid_t) throws -> ChildProcess {
        let properties = ["media.role=phone", "application.process.id=\(process)"]
        return try ChildProcess(
            "paplay", properties.map { "--property=" + $0 } + [signal()], environment: environment)
    }

    /// The path of the signal's file.
    func signal() throws -> String {
        let path = folder.file("position.wav")
        if !FileManager.default.fileExists(atPath: path) { try PositionSignal.write(to: path) }
        return path
    }

    /// Records what a sink plays.
    func record(_ sink: String = "sink") throws -> PositionRecording {
        let path = folder.file("recording-\(UUID().uuidString.prefix(8)).wav")
        let child = try ChildProcess(
            "pw-record",
            [
                "--target", sink, "-P", "{ stream.capture.sink=true node.name=recorder }", "--format", "f32", "--rate",
                "48000", "--channels", "2", path,
            ], environment: environment)
        return PositionRecording(child, path: path)
    }

    // MARK: - Nodes

    /// The id of a stream's node, for pw-cli.
    func nodeIdentifier(serial: UInt64) throws -> Int {
        let output = try run("pw-cli", ["ls", "Node"]).output
        // "	id 43, type PipeWire:Interface:Node/3" and then its properties.
        var identifier: Int?
        for line in output.split(separator: "\n") {
            if let match = line.firstMatch(of: /id (\d+), type/) { identifier = Int(match.1) }
            if line.contains("object.serial = \"\(serial)\""), let identifier { return identifier }
        }
        throw TestFailure("There is no node \(serial): \(output)")
    }

    /// The values of a property of a node's parameter Props.
    func volumes(_ property: String, serial: UInt64) throws -> [Float] {
        try volumes(property, identifier: nodeIdentifier(serial: serial))
    }

    /// The same, of the first node with this name; empty if there is none.
    func volumes(_ property: String, node name: String) throws -> [Float] {
        var identifier: Int?
        for line in try run("pw-cli", ["ls", "Node"]).output.split(separator: "\n") {
            if let match = line.firstMatch(of: /id (\d+), type/) { identifier = Int(match.1) }
            if line.contains("node.name = \"\(name)\""), let identifier {
                return try volumes(property, identifier: identifier)
            }
        }
        return []
    }

    private func volumes(_ property: String, identifier: Int) throws -> [Float] {
        let output = try run("pw-cli", ["e", "\(identifier)", "Props"]).output
        var values: [Float] = []
        var isProperty = false
        for line in output.split(separator: "\n") {
            if line.contains("Prop: key") { isProperty = line.contains("Props:\(property) ") }
            if isProperty, let match = line.firstMatch(of: /Float ([\d.]+)/), let value = Float(match.1) {
                values.append(value)
            }
        }
        return values
    }

    /// The file in which WirePlumber stores the volumes of streams: of 0.4 or of 0.5.
    var storedStreams: String {
        ["restore-stream", "stream-properties"].map { readText(folder.file("state/wireplumber/" + $0)) }.joined()
    }

    /// What WirePlumber has stored so far, except full volumes and what is not muted.
    var storedVolumes: [String] {
        storedStreams.split(separator: "\n").filter { line in
            line.contains(/"?mute"?[:=]true/)
                || line.matches(of: /olumes?"?[:=]([^a-zA-Z]*)/).contains { match in
                    // No values are stored of a program that was ended before it had channels.
                    !match.1.matches(of: /[\d.]+/).allSatisfy { Float($0.0) == 1 }
                }
        }.map(String.init)
    }

    /// Links two ports, once they exist.
    func links(_ output: String, _ input: String) throws -> Bool {
        try eventually {
            let result = try run("pw-link", [output, input])
            return result.status == 0 || result.output.contains("File exists")
        }
    }

    /// Moves the fader of a stream, as a mixer does.
    func setFader(_ volume: Float, serial: UInt64) throws {
        try run(
            "pw-cli",
            ["s", "\(nodeIdentifier(serial: serial))", "Props", "{ channelVolumes: [ \(volume), \(volume) ] }"])
    }
}
