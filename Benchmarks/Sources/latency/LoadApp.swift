import AudioRendering
import AudioSessions
import CLoad
import Foundation
import JackDriver
import Processes
import Servers

/// An app whose session plays a given number of voices, all with gain and pan ramping. Its cycles
/// are traced.
final class LoadApp {
    static let part = "load-app"
    static let clientName = "load-app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var queues: [CommandQueue] = []
    /// The voices by queue, so that all voices of a load fit into one transaction each.
    private var voices: [[TriggeredVoice]] = []
    private var sounds: [Sound] = []
    /// One buffer per voice, if there are enough, so that no cache holds the data.
    private var buffers: [AudioBuffer] = []
    private var begun = (xruns: 0, counters: RenderCounters?.none)

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open": try open(words[1], most: Int(words[2]) ?? 0, frames: Int(words[3]) ?? 0)
        case "voices": try play(Int(words[1]) ?? 0)
        case "begin": try begin()
        case "end": return try end(writing: words[1])
        case "memory": return [residentKibibytes(), Double(load_heap_bytes()) / 1_024]
        case "process": return [Double(getpid())]
        case "close": close()
        default: throw BenchmarkError("unknown command of the load app")
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
        guard load_trace_arm(Self.mostCycles) else { throw BenchmarkError("out of memory") }
        let host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.clientName, inputs: 0)),
            configuration: .init(maximumVoices: max(1, 2 * most)))
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        let engine = try session.engine
        queues = try (0..<Self.queues).map { _ in try engine.makeCommandQueue() }
        voices = Array(repeating: [], count: Self.queues)
        sounds = try buffers.enumerated().map { index, buffer in
            try engine.makeSound(buffer, on: session.bus, loop: .forever, pan: Pan(Self.pan(index)))
        }
        (self.host, self.session) = (host, session)
    }

    /// Starts or stops voices at one frame, waits until `count` of them play, and checks the
    /// output.
    private func play(_ count: Int) throws {
        guard let session else { throw BenchmarkError("no session is open") }
        let engine = try session.engine
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
        let limit = now() + 5_000_000_000
        while engine.currentFrame < time + 480 || engine.counters.playingVoices != count {
            guard now() < limit else {
                throw BenchmarkError("only \(engine.counters.playingVoices) of \(count) voices play")
            }
            poll(nil, 0, 1)
        }
        if present == 0 { try checkOutput(engine, count) }
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
        guard count > 0 else { return }
        let wanted = (0..<count).reduce(0.0) { sum, number in
            sum + 0.5 * Double(Self.level) * cos((Double(Self.pan(number)) + 1) * .pi / 4)
        }
        _ = engine.takeOutputPeak(channel: 0)
        let limit = now() + 2_000_000_000
        var heard: Float = 0
        while heard == 0, now() < limit {
            poll(nil, 0, 30)
            heard = engine.takeOutputPeak(channel: 0)
        }
        guard abs(Double(heard) / wanted - 1) < 0.05 else {
            throw BenchmarkError("the output of \(count) voices is \(heard), not \(wanted)")
        }
    }

    private func begin() throws {
        guard let engine = try session?.engine else { throw BenchmarkError("no session is open") }
        begun = (engine.statistics.xruns, engine.counters)
        load_trace_begin()
    }

    /// Returns the xruns since the beginning, and the number of errors: late commands, refused or
    /// stolen voices, non-finite samples.
    private func end(writing path: String) throws -> [Double] {
        let count = load_trace_end()
        guard let engine = try session?.engine, let before = begun.counters else {
            throw BenchmarkError("no measurement was begun")
        }
        let (xruns, after) = (engine.statistics.xruns - begun.xruns, engine.counters)
        try LoadTrace.write(count, to: path)
        let faults =
            after.refusedVoices - before.refusedVoices + after.stolenVoices - before.stolenVoices
            + after.nonFiniteSamples - before.nonFiniteSamples
        return [xruns, Int(after.lateCommands - before.lateCommands), Int(faults)].map(Double.init)
    }

    private func close() {
        try? session?.setActive(false)
        host?.close()
        (queues, voices, sounds) = ([], [], [])
        (session, host) = (nil, nil)
    }

    private static let queues = 4
    private static let sources = 256
    private static let level: Float = 1.0 / 1_024
    private static let mostCycles: UInt32 = 1 << 16
    /// Longer than any measurement.
    private static let rampFrames = 1 << 24

    private static func pan(_ number: Int) -> Float { Float(number % 32) / 15.5 - 1 }
}

/// Returns the resident memory of this process.
func residentKibibytes() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_024
}
