import Foundation

/// A PipeWire server for one test. Its null sink replaces the outputs of jackd's dummy device,
/// under the same names.
enum PipeWireServer {
    /// Starts the server. Clients find it by `name` in this process's PIPEWIRE_RUNTIME_DIR and can
    /// connect on return.
    static func start(
        name: String, sampleRate: Int, periodFrames: Int, folder: TemporaryDirectory, holding lock: Int32
    ) throws -> ChildProcess {
        guard ProcessInfo.processInfo.environment["PIPEWIRE_RUNTIME_DIR"]?.isEmpty == false else {
            throw TestFailure("PIPEWIRE_RUNTIME_DIR is not set: run these tests with Scripts/with-pipewire.")
        }
        let file = folder.file("pipewire.conf")
        try configuration(name: name, sampleRate: sampleRate, periodFrames: periodFrames)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess("pipewire", ["-c", file], inheriting: lock)
        guard try waitForDevice(of: name, process) else {
            process.send(SIGKILL)
            process.reap()
            throw TestFailure("PipeWire '\(name)' did not become ready. Its output: \(process.output)")
        }
        return process
    }

    /// Returns the additions to this process's environment that programs need to connect to the
    /// server.
    static func environment(name: String) -> [String: String] { ["PIPEWIRE_REMOTE": name] }

    /// Waits until the device's ports exist: PipeWire does not report when it is ready.
    private static func waitForDevice(of name: String, _ process: ChildProcess) throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 20)
        while Date() < deadline, !process.waitForEnd(seconds: 0) {
            let listing = try ChildProcess.run("jack_lsp", [], environment: environment(name: name)).output
            if listing.contains("system:playback_2") { return true }
        }
        return false
    }

    /// Returns the configuration that tests and benchmarks share, with more sample rates and a
    /// driver for freewheeling.
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
