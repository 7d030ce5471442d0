import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import JackDriver
import Processes

/// An app that plays through a session and, in the same process, a probe that records it. The
/// emitted and the received samples have frames of the same clock.
///
/// There are three reference paths: a link, a client that only passes its input on, and one that
/// delays by a known number of frames.
final class ProbedApp {
    static let clientName = "latency-app"
    /// The delay that must be measured on the third path.
    static let injectedDelay = 37
    static let seconds = 5.0

    /// The inputs of the probe.
    enum Tap: UInt32, CaseIterable {
        case link, bare, injected
        /// The app's two outputs.
        case app, level
    }

    let probe: OpaquePointer
    let passes: [OpaquePointer]
    let bareWakes: OpaquePointer
    let host: AudioSessionHost
    let session: AudioSession
    let engine: AudioEngine
    let input: AudioSessionInput
    let commands: CommandQueue
    let period: Int
    private var voices: [Voice] = []
    private var lastID = 0
    private var lostBefore: UInt64 = 0
    var random = SystemRandomNumberGenerator()

    /// Opens everything on a running server, with the app after the reference clients, or before
    /// them. With `isDevice`, the probe replaces the capture device, since the server has none.
    init(server: String, isDevice: Bool, appFirst: Bool = false) throws {
        guard let probe = latency_probe_open(server, isDevice), let wakes = latency_wakes_create(1 << 18) else {
            throw BenchmarkError("cannot open a probe on '\(server)'")
        }
        (self.probe, bareWakes) = (probe, wakes)
        var passes: [OpaquePointer] = []
        if !appFirst { passes = try Self.openPasses(server, wakes) }
        let driver = JackDriver(
            configuration: .init(
                server: .named(server), clientName: Self.clientName, outputs: 2, inputs: 1, recovery: .never,
                connections: .none,
                // The loopback ports are not a device for the app's output.
                deviceOverrides: [DeviceOverride(pattern: "loopback", isHidden: true)]))
        host = AudioSessionHost(driver: driver, configuration: .init(maximumVoices: 2_048))
        (session, engine, input) = try Self.openSession(host)
        commands = try engine.makeCommandQueue()
        period = engine.format?.periodFrames ?? 0
        self.passes = appFirst ? try Self.openPasses(server, wakes) : passes
    }

    private static func openPasses(_ server: String, _ wakes: OpaquePointer) throws -> [OpaquePointer] {
        let passes = [
            latency_pass_open(server, "latency-bare", 0, wakes),
            latency_pass_open(server, "latency-injected", UInt32(injectedDelay), nil),
        ].compactMap(\.self)
        guard passes.count == 2 else { throw BenchmarkError("cannot open a client on '\(server)'") }
        return passes
    }

    /// Opens an active session with category playAndRecord and running input.
    static func openSession(_ host: AudioSessionHost) throws -> (AudioSession, AudioEngine, AudioSessionInput) {
        let session = try AudioSession(host: host)
        try session.setCategory(.playAndRecord)
        try session.setActive(true)
        let answer = DispatchSemaphore(value: 0)
        host.application.requestRecordPermission { _ in answer.signal() }
        answer.wait()
        let input = try AudioSessionInput(session: session)
        try input.start()
        return (session, try session.engine, input)
    }

    func close() {
        try? session.setActive(false)
        host.close()
        passes.forEach(latency_pass_close)
        latency_probe_close(probe)
    }

    // MARK: Ports

    func connect(_ source: String, _ destination: String) throws {
        guard latency_probe_connect(probe, source, destination) else {
            throw BenchmarkError("cannot connect '\(source)' to '\(destination)'")
        }
    }

    func disconnectAll() {
        let ports = ["latency-emitter:out", "latency-bare:out", "latency-injected:out", Self.output, Self.secondOutput]
        for port in ports + Tap.allCases.map(Self.port) { latency_probe_disconnect(probe, port) }
    }

    static let output = clientName + ":out_1"
    static let secondOutput = clientName + ":out_2"
    static let inputPort = clientName + ":in_1"
    static func port(_ tap: Tap) -> String { "latency-listener:in_\(tap.rawValue + 1)" }

    /// Connects the app's outputs directly to the receiver, and the first of them also through the
    /// injected delay.
    func connectOutputs() throws {
        try stopAll()
        disconnectAll()
        try connect("latency-emitter:out", Self.inputPort)
        try connect(Self.output, Self.port(.app))
        try connect(Self.secondOutput, Self.port(.level))
        try connect(Self.output, "latency-injected:in")
        try connect("latency-injected:out", Self.port(.injected))
    }

    // MARK: Sounds

    /// Plays the app's live input on its first output, and `count` voices on its second one, whose
    /// sum is exactly one half.
    func playThrough(voices count: Int) throws {
        try stopAll()
        voices = [
            try engine.play(
                .input(input.capture), on: session.bus, map: try .gains([[1], [0]]))
        ]
        guard count > 0 else { return try wait(for: "silence") { latency_probe_level(probe, Tap.level.rawValue) == 0 } }
        let buffer = try AudioBuffer([[Float](repeating: 0.5 / Float(count), count: 4_096)])
        let map = try ChannelMap.gains([[0], [1]])
        for number in 0..<count {
            voices.append(try engine.play(.buffer(buffer, loop: .forever), on: session.bus, map: map))
            // The queue does not hold the commands of more voices for one cycle.
            if number % 128 == 127 { try wait(for: "voices") { engine.counters.playingVoices == number + 2 } }
        }
        try wait(for: "\(count) voices") {
            latency_probe_level(probe, Tap.level.rawValue) == 0.5 && engine.counters.playingVoices == count + 1
        }
    }

    func stopAll() throws {
        try session.bus.stopAll()
        try wait(for: "the end of all voices") { voices.allSatisfy { $0.state == .ended } }
        voices = []
    }

    /// Returns a sample value that identifies a sound and that no rounding on the path changes.
    func nextID() -> Float {
        lastID = lastID % 4_095 + 1
        return Float(lastID) / 4_096
    }

    // MARK: Receiving

    /// Waits until the condition holds. Polls once per millisecond.
    func wait(for what: String, seconds: Double = ProbedApp.seconds, _ condition: () throws -> Bool) throws {
        let limit = now() + UInt64(seconds * 1e9)
        while try !condition() {
            guard now() < limit else { throw BenchmarkError("\(what): not within \(seconds) s") }
            poll(nil, 0, 1)
        }
    }

    /// Waits for a change to `value` at an input, and discards earlier changes. Returns nil after
    /// the timeout.
    func hear(_ value: Float, at tap: Tap, seconds: Double = 1) -> latency_change_t? {
        hear(at: tap, seconds: seconds) { $0.value == value }
    }

    func hear(at tap: Tap, seconds: Double = 1, where isMatch: (latency_change_t) -> Bool) -> latency_change_t? {
        var change = latency_change_t()
        let limit = now() + UInt64(seconds * 1e9)
        while true {
            while latency_probe_next(probe, tap.rawValue, &change) { if isMatch(change) { return change } }
            guard now() < limit else { return nil }
            poll(nil, 0, 1)
        }
    }

    func forgetAll() {
        var change = latency_change_t()
        for tap in Tap.allCases { while latency_probe_next(probe, tap.rawValue, &change) {} }
        lostBefore = latency_probe_lost(probe)
    }

    /// Throws if a change was lost for lack of room since the last reset.
    func checkTaps() throws {
        guard latency_probe_lost(probe) == lostBefore else {
            throw BenchmarkError("the probe received more changes than it could store")
        }
    }

    /// Returns whether the server was late after it had counted `xruns` xruns. A suspicious result
    /// waits for a delayed report before it is accepted.
    func wasLate(since xruns: UInt64, isSuspect: Bool) -> Bool {
        let limit = now() + (isSuspect ? 100_000_000 : 0)
        repeat {
            if latency_probe_xruns(probe) != xruns { return true }
            if isSuspect { poll(nil, 0, 1) }
        } while now() < limit
        return false
    }

    /// Emits one sample. Returns its frame.
    func emit(_ value: Float) throws -> UInt32 {
        var frame: UInt32 = 0
        latency_probe_emit(probe, value, UInt32.random(in: 0..<UInt32(max(1, period)), using: &random))
        try wait(for: "an impulse emitted") { latency_probe_emitted(probe, &frame) }
        return frame
    }

    /// Sleeps for that many periods, and a random part of one more.
    func rest(periods: Double) {
        let frames = (periods + .random(in: 0..<1, using: &random)) * Double(period)
        latency_rest_us(frames / 48_000 * 1e6)
    }
}

/// Returns the frames from one time to another, for clocks that wrap.
func frames(from first: UInt32, to second: UInt32) -> Int { Int(Int32(bitPattern: second &- first)) }
