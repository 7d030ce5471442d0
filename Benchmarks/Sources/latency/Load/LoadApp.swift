import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Servers

/// An app whose session plays a given number of voices, all with gain and pan ramping. Its cycles
/// are traced.
final class LoadApp: SessionApp {
    static let part = "load-app"

    private var queues: [CommandQueue] = []
    /// The voices by queue, so that all voices of a load fit into one transaction each.
    private var voices: [[TriggeredVoice]] = []
    private var sounds: [Sound] = []
    /// One buffer per voice, if there are enough, so that no cache holds the data.
    private var buffers: [AudioBuffer] = []
    private var begun = (xruns: 0, counters: RenderCounters?.none)

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(words[1], most: Int(words[2]) ?? 0, frames: Int(words[3]) ?? 0)
        case "voices": try play(Int(words[1]) ?? 0)
        case "begin":
            let engine = try required().engine
            begun = (engine.statistics.xruns, engine.counters)
            cycle_trace_begin()
        case "end": return try end(writing: words[1])
        default: return try super.perform(words)
        }
        return []
    }

    /// Activates a session; `frames` is the length of each voice's buffer.
    private func open(_ server: String, most: Int, frames: Int) throws {
        if buffers.first?.frameCount != frames {
            // A known level, so that the output can be checked.
            buffers = try (0..<Self.sources).map { _ in
                try AudioBuffer(interleaved: [Float](repeating: Self.level, count: frames), channels: 1)
            }
        }
        guard cycle_trace_arm(Trace.mostCycles) else { throw BenchmarkError("out of memory") }
        let session = try open(
            Self.makeHost(server, Self.part, configuration: .init(maximumVoices: max(1, 2 * most))))
        let engine = try session.engine
        queues = try (0..<Self.queues).map { _ in try engine.makeCommandQueue() }
        voices = Array(repeating: [], count: Self.queues)
        sounds = try buffers.enumerated().map { index, buffer in
            try engine.makeSound(buffer, on: session.bus, loop: .forever, pan: Pan(Self.pan(index)))
        }
    }

    /// Starts or stops voices at one frame, waits until `count` of them play, and checks the
    /// output.
    private func play(_ count: Int) throws {
        let engine = try required().engine
        let present = voices.reduce(0) { $0 + $1.count }
        let time = engine.currentFrame + 1_200
        for (index, queue) in queues.enumerated() {
            let wanted = (count + Self.queues - 1 - index) / Self.queues
            try queue.transaction {
                while voices[index].count < wanted {
                    voices[index].append(try start(voices[index].count * Self.queues + index, through: queue, at: time))
                }
                while voices[index].count > wanted {
                    try queue.stop(voices[index].removeLast(), fadeFrames: 240, at: time)
                }
            }
        }
        try wait(for: "\(count) voices") {
            engine.currentFrame >= time + 480 && engine.counters.playingVoices == count
        }
        if present == 0, count > 0 { try checkOutput(engine, count) }
    }

    private func start(_ number: Int, through queue: CommandQueue, at time: UInt64) throws -> TriggeredVoice {
        let pan = Self.pan(number)
        let voice = try queue.trigger(sounds[number % sounds.count], gain: 0.5, pan: pan, at: time)
        try queue.setGain(1, of: voice, rampFrames: Self.rampFrames, at: time)
        try queue.setPan(-pan, of: voice, rampFrames: Self.rampFrames, at: time)
        return voice
    }

    /// Checks the output. The ramps have only just begun, so the sum of all voices is known.
    private func checkOutput(_ engine: AudioEngine, _ count: Int) throws {
        let wanted = (0..<count).reduce(0.0) { sum, number in
            sum + 0.5 * Double(Self.level) * cos((Double(Self.pan(number)) + 1) * .pi / 4)
        }
        _ = engine.takeOutputPeak(channel: 0)
        var heard: Float = 0
        _ = holds(within: 2) {
            probe_rest(30_000_000)
            heard = engine.takeOutputPeak(channel: 0)
            return heard != 0
        }
        guard abs(Double(heard) / wanted - 1) < 0.05 else {
            throw BenchmarkError("the output of \(count) voices is \(heard), not \(wanted)")
        }
    }

    /// Returns the xruns since the beginning, and the number of errors: refused or stolen voices,
    /// non-finite samples.
    private func end(writing path: String) throws -> [Double] {
        let count = cycle_trace_end()
        let engine = try required().engine
        guard let before = begun.counters else { throw BenchmarkError("no measurement was begun") }
        let (xruns, after) = (engine.statistics.xruns - begun.xruns, engine.counters)
        try Trace.write(count, to: path)
        let faults =
            after.refusedVoices - before.refusedVoices + after.stolenVoices - before.stolenVoices
            + after.nonFiniteSamples - before.nonFiniteSamples
        return [Double(xruns), Double(faults)]
    }

    override func close() {
        super.close()
        (queues, voices, sounds) = ([], [], [])
    }

    private static let queues = 4
    private static let sources = 256
    private static let level: Float = 1.0 / 1_024
    /// Longer than any measurement.
    private static let rampFrames = 1 << 24

    private static func pan(_ number: Int) -> Float { Float(number % 32) / 15.5 - 1 }
}

/// A client that only writes silence to two ports. Its cycles are traced.
final class LoadBare {
    static let part = "load-bare"
    private var probe: Probe?
    private var xruns: UInt64 = 0

    func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open":
            guard cycle_trace_arm(Trace.mostCycles) else { throw BenchmarkError("out of memory") }
            let probe = try Probe(words[1], Self.part, outputs: 2)
            try probe.activate()
            guard probe_connect_device(probe.client) == 2 else { throw BenchmarkError("cannot connect the client") }
            self.probe = probe
        case "begin":
            xruns = try count()
            cycle_trace_begin()
        case "end":
            let count = cycle_trace_end()
            let found = try self.count() - xruns
            try Trace.write(count, to: words[1])
            return [Double(found), 0]
        case "stall": cycle_trace_stall(UInt32(words[1]) ?? 0)
        case "process": return [Double(getpid())]
        case "close":
            probe?.close()
            probe = nil
        default: throw BenchmarkError("unknown command of the do-nothing client")
        }
        return []
    }

    private func count() throws -> UInt64 {
        guard let probe else { throw BenchmarkError("no client is open") }
        return probe_xruns(probe.client)
    }
}
