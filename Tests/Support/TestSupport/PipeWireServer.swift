import Foundation

/// A PipeWire of the test's own: its null sink stands where jackd has the outputs of its dummy device, under the same names.
enum PipeWireServer {
    /// Starts it; clients find it by `name` in this process's PIPEWIRE_RUNTIME_DIR. They can connect on return.
    static func start(
        name: String, sampleRate: Int, periodFrames: Int, folder: TemporaryDirectory, holding lock: Int32
    ) throws -> ChildProcess {
        guard ProcessInfo.processInfo.environment["PIPEWIRE_RUNTIME_DIR"]?.isEmpty == false else {
            throw TestFailure("PIPEWIRE_RUNTIME_DIR is not set: run these tests by Scripts/with-pipewire.")
        }
        let file = folder.file("pipewire.conf")
        try configuration(name: name, sampleRate: sampleRate, periodFrames: periodFrames)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess("pipewire", ["-c", file], inheriting: lock)
        guard try waitForDevice(of: name, process) else {
            process.send(SIGKILL)
            process.reap()
            throw TestFailure("PipeWire '\(name)' did not become ready. It said: \(process.output)")
        }
        return process
    }

    /// What programs need in their environment, beyond ours, to reach it.
    static func environment(name: String) -> [String: String] { ["PIPEWIRE_REMOTE": name] }

    /// PipeWire tells nobody when it is ready: its device's ports do.
    private static func waitForDevice(of name: String, _ process: ChildProcess) throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 20)
        while Date() < deadline, !process.waitForEnd(seconds: 0) {
            let listing = try ChildProcess.run("jack_lsp", [], environment: environment(name: name)).output
            if listing.contains("system:playback_2") { return true }
        }
        return false
    }

    /// The configuration that tests and benchmarks share, with more rates and a driver to freewheel.
    private static func configuration(name: String, sampleRate: Int, periodFrames: Int) throws -> String {
        let template = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("PipeWire/server.conf")
        let values = [
            "NAME": name, "RATE": "\(sampleRate)", "PERIOD": "\(periodFrames)", "modules": "",
            "properties": "default.clock.allowed-rates = [ 44100 48000 88200 96000 ]",
            "objects": """
            { factory = spa-node-factory args = {
                    factory.name = support.node.driver, node.name = Freewheel-Driver
                    node.group = pipewire.freewheel, node.freewheel = true, priority.driver = 100 } }
            """,
        ]
        return values.reduce(try String(contentsOf: template, encoding: .utf8)) { text, entry in
            text.replacingOccurrences(of: "@\(entry.key)@", with: entry.value)
        }
    }
}
