import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import JackDriver
import Processes

/// An app that sounds through a session, and in the same process a probe that hears it: what is emitted and what is heard has frames of one clock.
///
/// Three ways lead beside the app: a link, a client that does nothing but pass on, and one that delays by a known number of frames.
final class ProbedApp {
    static let clientName = "latency-app"
    /// What the third way must be found to take.
    static let plantedDelay = 37
    static let seconds = 5.0

    /// Inputs of the probe.
    enum Ear: UInt32, CaseIterable {
        case link, bare, planted
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
    let commands: CommandPort
    let period: Int
    private var voices: [Voice] = []
    private var lastID = 0
    private var lostBefore: UInt64 = 0
    var random = SystemRandomNumberGenerator()

    /// Opens all at a server that runs, the app after the clients beside it, or before. With `isDevice`, the probe stands in for the device to be heard,
    /// since the server has none.
    init(server: String, isDevice: Bool, appFirst: Bool = false) throws {
        guard let probe = latency_probe_open(server, isDevice), let wakes = latency_wakes_create(1 << 18) else {
            throw BenchmarkError("no probe could be opened at '\(server)'")
        }
        (self.probe, bareWakes) = (probe, wakes)
        var passes: [OpaquePointer] = []
        if !appFirst { passes = try Self.openPasses(server, wakes) }
        let driver = JackDriver(
            configuration: .init(
                server: .named(server), clientName: Self.clientName, outputs: 2, inputs: 1, recovery: .never,
                connections: .none,
                // What leads back is no device that sound should go to.
                deviceOverrides: [DeviceOverride(pattern: "loopback", isHidden: true)]))
        host = AudioSessionHost(driver: driver, configuration: .init(maximumVoices: 2_048))
        (session, engine, input) = try Self.openSession(host)
        commands = try engine.makeCommandPort()
        period = engine.format?.periodFrames ?? 0
        self.passes = appFirst ? try Self.openPasses(server, wakes) : passes
    }

    private static func openPasses(_ server: String, _ wakes: OpaquePointer) throws -> [OpaquePointer] {
        let passes = [
            latency_pass_open(server, "latency-bare", 0, wakes),
            latency_pass_open(server, "latency-planted", UInt32(plantedDelay), nil),
        ].compactMap(\.self)
        guard passes.count == 2 else { throw BenchmarkError("no client could be opened at '\(server)'") }
        return passes
    }

    /// Category playAndRecord, active, with its input running.
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
            throw BenchmarkError("'\(source)' could not be connected to '\(destination)'")
        }
    }

    func disconnectAll() {
        let ports = ["latency-emitter:out", "latency-bare:out", "latency-planted:out", Self.output, Self.secondOutput]
        for port in ports + Ear.allCases.map(Self.port) { latency_probe_disconnect(probe, port) }
    }

    static let output = clientName + ":out_1"
    static let secondOutput = clientName + ":out_2"
    static let inputPort = clientName + ":in_1"
    static func port(_ ear: Ear) -> String { "latency-listener:in_\(ear.rawValue + 1)" }

    /// From the app's own outputs straight to the listener; behind the first of them, once more, the planted delay.
    func connectOutputs() throws {
        try stopAll()
        disconnectAll()
        try connect("latency-emitter:out", Self.inputPort)
        try connect(Self.output, Self.port(.app))
        try connect(Self.secondOutput, Self.port(.level))
        try connect(Self.output, "latency-planted:in")
        try connect("latency-planted:out", Self.port(.planted))
    }

    // MARK: Sounds

    /// The app's live input on its first output, and so many voices on its second one, whose sum is exactly a half.
    func playThrough(voices count: Int) throws {
        try stopAll()
        voices = [
            try engine.play(
                .input(input.capture), on: session.bus, map: try .gains([[1], [0]]))
        ]
        guard count > 0 else { return try wait(for: "silence") { latency_probe_level(probe, Ear.level.rawValue) == 0 } }
        let buffer = try AudioBuffer([[Float](repeating: 0.5 / Float(count), count: 4_096)])
        let map = try ChannelMap.gains([[0], [1]])
        for number in 0..<count {
            voices.append(try engine.play(.buffer(buffer, loop: .forever), on: session.bus, map: map))
            // One cycle's queue does not hold them all.
            if number % 128 == 127 { try wait(for: "voices") { engine.counters.playingVoices == number + 2 } }
        }
        try wait(for: "\(count) voices") {
            latency_probe_level(probe, Ear.level.rawValue) == 0.5 && engine.counters.playingVoices == count + 1
        }
    }

    func stopAll() throws {
        try session.bus.stopAll()
        try wait(for: "the end of all voices") { voices.allSatisfy { $0.state == .ended } }
        voices = []
    }

    /// A magnitude that tells one sound from others: no rounding on the way changes it.
    func nextID() -> Float {
        lastID = lastID % 4_095 + 1
        return Float(lastID) / 4_096
    }

    // MARK: Listening

    /// Waits until something is so, and looks once a millisecond.
    func wait(for what: String, seconds: Double = ProbedApp.seconds, _ isSo: () throws -> Bool) throws {
        let limit = now() + UInt64(seconds * 1e9)
        while try !isSo() {
            guard now() < limit else { throw BenchmarkError("\(what): not within \(seconds) s") }
            poll(nil, 0, 1)
        }
    }

    /// Waits for a change to `value` at an ear, and forgets those before; nil: it does not come.
    func hear(_ value: Float, at ear: Ear, seconds: Double = 1) -> latency_change_t? {
        hear(at: ear, seconds: seconds) { $0.value == value }
    }

    func hear(at ear: Ear, seconds: Double = 1, where isIt: (latency_change_t) -> Bool) -> latency_change_t? {
        var change = latency_change_t()
        let limit = now() + UInt64(seconds * 1e9)
        while true {
            while latency_probe_next(probe, ear.rawValue, &change) { if isIt(change) { return change } }
            guard now() < limit else { return nil }
            poll(nil, 0, 1)
        }
    }

    func forgetAll() {
        var change = latency_change_t()
        for ear in Ear.allCases { while latency_probe_next(probe, ear.rawValue, &change) {} }
        lostBefore = latency_probe_lost(probe)
    }

    /// Throws where something was heard since all was forgotten that found no room.
    func checkEars() throws {
        guard latency_probe_lost(probe) == lostBefore else {
            throw BenchmarkError("the probe heard more than it could note")
        }
    }

    /// Whether the server was late since it had counted that many xruns: what is not as it must be is believed only when no word of one comes.
    func wasLate(since xruns: UInt64, isSuspect: Bool) -> Bool {
        let limit = now() + (isSuspect ? 100_000_000 : 0)
        repeat {
            if latency_probe_xruns(probe) != xruns { return true }
            if isSuspect { poll(nil, 0, 1) }
        } while now() < limit
        return false
    }

    /// Emits one sample; the frame at which it was.
    func emit(_ value: Float) throws -> UInt32 {
        var frame: UInt32 = 0
        latency_probe_emit(probe, value, UInt32.random(in: 0..<UInt32(max(1, period)), using: &random))
        try wait(for: "an impulse emitted") { latency_probe_emitted(probe, &frame) }
        return frame
    }

    /// Rests for so many periods, and a random part of one more.
    func rest(periods: Double) {
        let frames = (periods + .random(in: 0..<1, using: &random)) * Double(period)
        latency_rest_us(frames / 48_000 * 1e6)
    }
}

/// Frames from one to another, of clocks that wrap.
func frames(from first: UInt32, to second: UInt32) -> Int { Int(Int32(bitPattern: second &- first)) }
