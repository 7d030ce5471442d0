import AudioRendering
import AudioSessions
import CLoad
import Foundation
import JackDriver
import Processes
import Servers

/// An app whose session plays as many voices as it is told, all with gain and pan on their way; its cycles are traced.
final class LoadApp {
    static let part = "load-app"
    static let clientName = "load-app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var ports: [CommandPort] = []
    /// By port, so that all of a load fit in one go.
    private var voices: [[TriggeredVoice]] = []
    private var sounds: [Sound] = []
    /// A voice has one of its own where there are enough, so that no cache holds what it plays.
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
        default: throw BenchmarkError("a load knows no such word")
        }
        return []
    }

    /// Activates a session; `frames` is the length of what a voice plays.
    private func open(_ server: String, most: Int, frames: Int) throws {
        if buffers.first?.frameCount != frames {
            // The level is known, so that what is put out can be checked.
            buffers = try (0..<Self.sources).map { _ in
                try AudioBuffer(interleaved: [Float](repeating: Self.level, count: frames), channels: 1)
            }
        }
        guard load_trace_arm(Self.mostCycles) else { throw BenchmarkError("memory is short") }
        let host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.clientName, inputs: 0)),
            configuration: .init(maximumVoices: max(1, 2 * most)))
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        let engine = try session.engine
        ports = try (0..<Self.ports).map { _ in try engine.makeCommandPort() }
        voices = Array(repeating: [], count: Self.ports)
        sounds = try buffers.enumerated().map { index, buffer in
            try engine.makeSound(buffer, on: session.bus, loop: .forever, pan: Pan(Self.pan(index)))
        }
        (self.host, self.session) = (host, session)
    }

    /// Has as many play from one frame on, and waits until they do; checks what comes out of it.
    private func play(_ count: Int) throws {
        guard let session else { throw BenchmarkError("no session is open") }
        let engine = try session.engine
        let present = voices.reduce(0) { $0 + $1.count }
        let time = engine.currentFrame + 1_200
        for (index, port) in ports.enumerated() {
            let wanted = (count + Self.ports - 1 - index) / Self.ports
            try port.group {
                while voices[index].count < wanted {
                    voices[index].append(try start(voices[index].count * Self.ports + index, through: port, at: time))
                }
                while voices[index].count > wanted {
                    try port.stop(voices[index].removeLast(), fadeFrames: 240, at: time)
                }
            }
        }
        let limit = now() + 5_000_000_000
        while engine.currentFrame < time + 480 || engine.counters.playingVoices != count {
            guard now() < limit else {
                throw BenchmarkError("\(engine.counters.playingVoices) of \(count) voices play")
            }
            poll(nil, 0, 1)
        }
        if present == 0 { try checkOutput(engine, count) }
    }

    private func start(_ number: Int, through port: CommandPort, at time: UInt64) throws -> TriggeredVoice {
        let pan = Self.pan(number)
        let voice = try port.trigger(sounds[number % sounds.count], gain: 0.5, pan: pan, at: time)
        try port.setGain(1, of: voice, rampFrames: Self.rampFrames, at: time)
        try port.setPan(-pan, of: voice, rampFrames: Self.rampFrames, at: time)
        return voice
    }

    /// The ramps have only just begun: what all voices together come to is known.
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
            throw BenchmarkError("\(count) voices put out \(heard), and not \(wanted)")
        }
    }

    private func begin() throws {
        guard let engine = try session?.engine else { throw BenchmarkError("no session is open") }
        begun = (engine.statistics.xruns, engine.counters)
        load_trace_begin()
    }

    /// Xruns since the beginning, and of what should not have been: late commands, voices that were refused or stolen, samples that were no numbers.
    private func end(writing path: String) throws -> [Double] {
        let count = load_trace_end()
        guard let engine = try session?.engine, let before = begun.counters else {
            throw BenchmarkError("nothing was begun")
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
        (ports, voices, sounds) = ([], [], [])
        (session, host) = (nil, nil)
    }

    private static let ports = 4
    private static let sources = 256
    private static let level: Float = 1.0 / 1_024
    private static let mostCycles: UInt32 = 1 << 16
    /// Longer than any measurement.
    private static let rampFrames = 1 << 24

    private static func pan(_ number: Int) -> Float { Float(number % 32) / 15.5 - 1 }
}

/// Of this process.
func residentKibibytes() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_024
}
