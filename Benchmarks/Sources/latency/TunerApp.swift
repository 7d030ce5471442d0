import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Processes
import Synchronization

/// An app whose sound takes a constant time to compute in every cycle, so that short periods cause
/// real xruns.
final class TunerApp {
    /// The name of the part that performs it.
    static let part = "tuner-app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var voice: Voice?
    private let load = TunerLoad()

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open": try open(server: words[1], microseconds: UInt64(words[2]) ?? 0)
        case "tune": return try tune(hold: .milliseconds(Int(words[1]) ?? 0), limit: Double(words[2]) ?? 0)
        case "direct": return try direct(period: Int(words[1]) ?? 0, seconds: (Double(words[2]) ?? 0) / 1_000)
        case "close": try close()
        default: throw BenchmarkError("unknown command of the tuner app")
        }
        return []
    }

    private func requireOpen() throws -> AudioSession {
        guard let session else { throw BenchmarkError("no session is open") }
        return session
    }

    private func open(server: String, microseconds: UInt64) throws {
        let host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.part)))
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        load.nanoseconds.store(microseconds * 1_000, ordering: .relaxed)
        voice = try session.engine.play(.render(load.source), on: session.bus)
        (self.host, self.session) = (host, session)
    }

    /// Tunes until the tuner has settled. Returns four numbers per step, as `TunerStep` reads them.
    private func tune(hold: Duration, limit: Double) throws -> [Double] {
        let (session, end) = (try requireOpen(), now() + UInt64(limit * 1e9))
        let tuner = try IOBufferTuner(session: session, configuration: .init(hold: hold))
        tuner.start()
        while !tuner.trace.contains(where: \.isSettlement), now() < end { poll(nil, 0, 10) }
        tuner.stop()
        guard load.calls.load(ordering: .relaxed) > 0 else { throw BenchmarkError("no sound was computed") }
        return tuner.trace.suffix(500).flatMap { TunerStep($0).numbers }
    }

    /// Requests a period directly. Returns the resulting period, the xruns during `seconds`, and by
    /// how many seconds the sound lagged.
    private func direct(period: Int, seconds: Double) throws -> [Double] {
        let session = try requireOpen()
        let engine = try session.engine
        try session.setPreferredIOBufferDuration(Double(period) / session.sampleRate)
        // Waits until effects of the change itself are over.
        poll(nil, 0, 250)
        let (frame, xruns, begun) = (engine.currentFrame, engine.statistics.xruns, now())
        poll(nil, 0, Int32(seconds * 1_000))
        let sound = Double(engine.currentFrame - frame) / session.sampleRate
        let late = Double(now() - begun) / 1e9 - sound
        return [Double(engine.format?.periodFrames ?? 0), Double(engine.statistics.xruns - xruns), late]
    }

    private func close() throws {
        try session?.setActive(false)
        try voice?.stop()
        host?.close()
    }
}

/// A silent sound that takes time to compute.
final class TunerLoad: Sendable {
    let nanoseconds = Atomic<UInt64>(0)
    let calls = Atomic<UInt64>(0)

    var source: RenderSource {
        RenderSource(channels: 1, context: Unmanaged.passUnretained(self).toOpaque(), owner: self) {
            context, planes, _, frames in
            guard let context else { return 0 }
            let load = Unmanaged<TunerLoad>.fromOpaque(context).takeUnretainedValue()
            let end = now() + load.nanoseconds.load(ordering: .relaxed)
            planes?[0]?.update(repeating: 0, count: Int(frames))
            load.calls.add(1, ordering: .relaxed)
            while now() < end { continue }
            return frames
        }
    }
}

/// A step of the tuner, as received from another process.
struct TunerStep {
    enum Kind: Int {
        case shortened, lengthened, xrun, refused, settled, other
    }
    var kind: Kind
    var seconds: Double
    var period: Double
    var xruns: Double

    var numbers: [Double] { [Double(kind.rawValue), seconds, period, xruns] }

    init(_ step: IOBufferTuner.Step) {
        kind =
            switch step.kind {
            case .shortened: .shortened
            case .lengthened: .lengthened
            case .xrun, .late: .xrun
            case .refused: .refused
            case .settled: .settled
            default: .other
            }
        (seconds, period, xruns) = (step.seconds, Double(step.periodFrames), Double(step.xruns))
    }

    init(_ numbers: some Collection<Double>) throws {
        let numbers = Array(numbers)
        guard numbers.count == 4, let kind = Kind(rawValue: Int(numbers[0])) else {
            throw BenchmarkError("cannot read a step of the tuner")
        }
        (self.kind, seconds, period, xruns) = (kind, numbers[1], numbers[2], numbers[3])
    }
}

extension IOBufferTuner.Step {
    fileprivate var isSettlement: Bool { if case .settled = kind { true } else { false } }
}
