import AudioRendering
import AudioSessions
import CProbe
import Foundation
import JackDriver
import Processes
import Servers

/// An app that plays through a session and, in the same process, a probe that records it. The
/// emitted and the received samples have frames of the same clock.
///
/// There are three reference paths: a link, a client that only passes its input on, and one that
/// delays by a known number of frames.
final class ProbedApp {
    /// The name of the part that performs it.
    static let part = "probed-app"
    private var stage: ProbedStage?

    func perform(_ words: [String]) throws -> [Double] {
        if words[0] == "open" {
            stage = try ProbedStage(server: words[1], hasLoopback: words[2] == "true", appFirst: words[3] == "true")
            return []
        }
        guard let stage else { throw BenchmarkError("no app is open") }
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "paths": try stage.connectThrough(overLoopback: words[1] == "loopback")
        case "voices": try stage.playThrough(voices: number)
        case "through": return try stage.sendThrough(number, overLoopback: words[2] == "loopback")
        case "iodelay": return try stage.readDelays(number)
        case "outputs": try stage.connectOutputs()
        case "untimed": return try stage.postUntimed(number)
        case "timed": return try stage.postTimed(number)
        case "act": return try stage.act(number, words[2...].compactMap { Int($0).flatMap(Action.init) })
        case "calls": return try stage.recordCalls(seconds: Double(number))
        case "close":
            stage.close()
            self.stage = nil
        default: throw BenchmarkError("unknown command of the probed app")
        }
        return []
    }

    /// Runs a probed app on a server of each kind and period, once for each of `orders`: whether
    /// the app opens before the reference clients, which may determine the order of their calls.
    /// The server has loopback ports if its kind supports them. The app closes before the server
    /// ends.
    static func run(
        _ run: Run, orders: [Bool] = [false], _ body: (_ app: Performer, _ server: Server) throws -> Void
    ) throws {
        try run.onServers(loopbacks: 4) { server, context in
            for appFirst in orders {
                let app = try Performer(part, context.environment)
                try app.ask("open", server.name, server.kind != .pipewire, appFirst)
                try body(app, server)
                try app.ask("close")
            }
        }
    }

    /// Splits the reply of a measurement into the number of repetitions and the rows of the trials.
    static func rows(_ numbers: [Double], _ width: Int) -> (repeated: Int, rows: [[Double]]) {
        (
            Int(numbers.first ?? 0),
            stride(from: 1, to: numbers.count, by: width).map { Array(numbers[$0..<($0 + width)]) }
        )
    }
}

/// The app with its probe, on a running server.
final class ProbedStage {
    static let clientName = "latency-app"
    /// The delay that must be measured on the third path.
    static let injectedDelay = 37

    /// The inputs of the probe.
    enum Tap: Int, CaseIterable {
        case link, bare, injected
        /// The app's two outputs.
        case app, level

        var port: String { "latency-listener:in_\(rawValue + 1)" }
    }

    let server: String
    let hasLoopback: Bool
    let emitter: Probe
    let listener: Probe
    private(set) var passes: [Probe] = []
    /// The detectors: the emitter, the changes at each tap, and the calls of the first pass.
    private let source: OpaquePointer
    private let taps: [OpaquePointer]
    private(set) var calls: [OpaquePointer] = []
    let host: AudioSessionHost
    let session: AudioSession
    let engine: AudioEngine
    let input: AudioSessionInput
    let commands: CommandQueue
    let period: Int
    private var voices: [Voice] = []
    var sounds: Sounds?
    private var lastID = 0

    /// Opens everything, with the app after the reference clients, or before them. Without loopback
    /// ports, the probe replaces the capture device, since the server has none.
    init(server: String, hasLoopback: Bool, appFirst: Bool) throws {
        (self.server, self.hasLoopback) = (server, hasLoopback)
        let emitter = try Probe(server, "latency-emitter", outputs: 1, isDevice: !hasLoopback)
        let listener = try Probe(server, "latency-listener", inputs: Tap.allCases.count)
        source = try emitter.plug(probe_plug_emitter(emitter.client))
        taps = try Tap.allCases.map { try listener.plug(probe_plug_changes(listener.client, UInt32($0.rawValue))) }
        (self.emitter, self.listener) = (emitter, listener)
        for probe in [emitter, listener] { try probe.activate() }
        if !appFirst { (passes, calls) = try Self.openPasses(server) }
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
        if appFirst { (passes, calls) = try Self.openPasses(server) }
    }

    private static func openPasses(_ server: String) throws -> ([Probe], [OpaquePointer]) {
        let passes = try ["latency-bare", "latency-injected"].map { try Probe(server, $0, outputs: 1, inputs: 1) }
        let calls = try passes[0].plug(probe_plug_calls(passes[0].client, 1 << 18))
        for (pass, delay) in zip(passes, [0, injectedDelay]) {
            probe_set_path(try pass.plug(probe_plug_path(pass.client, 0)), UInt32(delay), 1, 0)
            try pass.activate()
        }
        return (passes, [calls])
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
        for probe in passes + [listener, emitter] { probe.close() }
    }

    // MARK: Ports

    static let source = "latency-emitter:out_1"
    static let output = clientName + ":out_1"
    static let secondOutput = clientName + ":out_2"
    static let inputPort = clientName + ":in_1"

    func connect(_ source: String, _ destination: String) throws { try listener.connect(source, destination) }

    func disconnect(_ ports: [String]) {
        for port in ports { probe_disconnect(listener.client, port) }
    }

    func disconnectAll() {
        disconnect([Self.source, "latency-bare:out_1", "latency-injected:out_1", Self.output, Self.secondOutput])
        disconnect(Tap.allCases.map(\.port))
    }

    /// Connects the app's outputs directly to the receiver, and the first of them also through the
    /// injected delay. Prepares the sounds of commands.
    func connectOutputs() throws {
        try stopAll()
        disconnectAll()
        try connect(Self.source, Self.inputPort)
        try connect(Self.output, Tap.app.port)
        try connect(Self.secondOutput, Tap.level.port)
        try connect(Self.output, "latency-injected:in_1")
        try connect("latency-injected:out_1", Tap.injected.port)
        sounds = try makeSounds()
    }

    // MARK: Sounds

    /// Plays the app's live input on its first output, and `count` voices on its second one, whose
    /// sum is exactly one half.
    func playThrough(voices count: Int) throws {
        try stopAll()
        voices = [try engine.play(.input(input.capture), on: session.bus, map: try .gains([[1], [0]]))]
        guard count > 0 else { return try wait(for: "silence") { level(.level) == 0 } }
        let buffer = try AudioBuffer([[Float](repeating: 0.5 / Float(count), count: 4_096)])
        let map = try ChannelMap.gains([[0], [1]])
        for number in 0..<count {
            voices.append(try engine.play(.buffer(buffer, loop: .forever), on: session.bus, map: map))
            // The queue does not hold the commands of more voices for one cycle.
            if number % 128 == 127 { try wait(for: "voices") { engine.counters.playingVoices == number + 2 } }
        }
        try wait(for: "\(count) voices") { level(.level) == 0.5 && engine.counters.playingVoices == count + 1 }
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

    // MARK: Trials

    /// Makes trials. A trial returns its numbers, or nil to be repeated, since the server was late
    /// meanwhile; at most 20 repetitions beyond `most` (nil: `count`) are made. Returns the number
    /// of repetitions, and then the numbers of all trials.
    func trials(
        _ count: Int, repeating most: Int? = nil, _ trial: (_ number: Int) throws -> [Double]?
    ) throws -> [Double] {
        var (results, repeated) = ([Double](), 0)
        forgetAll()
        let lost = lostChanges
        for number in 0..<count {
            var found = try trial(number)
            while found == nil {
                repeated += 1
                guard repeated <= 20 + (most ?? count) else {
                    throw BenchmarkError("\(repeated) trials of \(count) were disturbed, or had no effect")
                }
                found = try trial(number)
            }
            results += found ?? []
        }
        // No change may have been lost for lack of room.
        guard lostChanges == lost else {
            throw BenchmarkError("the probe received more changes than it could store")
        }
        return [Double(repeated)] + results
    }

    func level(_ tap: Tap) -> Float { probe_last_sample(taps[tap.rawValue]) }

    /// Waits for a change to `value` at an input, and discards earlier changes. Returns nil after
    /// the timeout.
    func hear(_ value: Float, at tap: Tap) -> probe_change_t? { hear(at: tap) { $0.value == value } }

    func hear(at tap: Tap, where isMatch: (probe_change_t) -> Bool) -> probe_change_t? {
        var change = probe_change_t()
        let isHeard = holds(within: 1) {
            while probe_next_change(taps[tap.rawValue], &change) { if isMatch(change) { return true } }
            return false
        }
        return isHeard ? change : nil
    }

    func forgetAll() {
        var change = probe_change_t()
        for tap in taps { while probe_next_change(tap, &change) {} }
    }

    private var lostChanges: UInt64 { taps.reduce(0) { $0 + probe_lost_changes($1) } }

    /// The number of times that the server was late: reported xruns, and gaps between cycles.
    var disturbances: UInt64 {
        probe_xruns(listener.client) + probe_gaps(listener.client) + probe_gaps(emitter.client)
    }

    /// Returns whether the server was late after that many disturbances. A suspicious result waits
    /// for a delayed report before it is accepted.
    func wasLate(since before: UInt64, isSuspect: Bool) -> Bool {
        holds(within: isSuspect ? 0.1 : 0) { disturbances != before }
    }

    /// Emits one sample. Returns its frame.
    func emit(_ value: Float) throws -> UInt32 {
        var frame: UInt32 = 0
        probe_emit(source, value, .random(in: 0..<UInt32(max(1, period))), 1)
        try wait(for: "an impulse emitted") { probe_emitted(source, &frame) }
        return frame
    }

    /// Sleeps for that many periods, and a random part of one more.
    func rest(periods: Double) {
        probe_rest(UInt64((periods + .random(in: 0..<1)) * Double(period) / Double(Server.sampleRate) * 1e9))
    }
}
