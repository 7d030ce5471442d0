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

    private static func configuration(name: String, sampleRate: Int, periodFrames: Int) -> String {
        """
        context.properties = {
            core.daemon = true
            core.name = \(name)
            default.clock.rate = \(sampleRate)
            default.clock.allowed-rates = [ 44100 48000 88200 96000 ]
            default.clock.quantum = \(periodFrames)
            default.clock.min-quantum = 16
            default.clock.max-quantum = 8192
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-spa-node-factory }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-access }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-link-factory }
        ]
        context.objects = [
            { factory = metadata args = { metadata.name = default } }
            { factory = spa-node-factory args = {
                factory.name = support.node.driver, node.name = Freewheel-Driver
                node.group = pipewire.freewheel, node.freewheel = true, priority.driver = 100 } }
            { factory = adapter args = {
                factory.name = support.null-audio-sink, node.name = system, media.class = Audio/Sink
                object.linger = true, audio.channels = 2, priority.driver = 3000
                # Ports from the start, without a session's policy that would make them: system:playback_1 and so on.
                adapter.auto-port-config = { mode = dsp, monitor = false, position = unknown } } }
        ]
        """
    }
}
