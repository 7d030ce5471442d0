internal import CEbur128
internal import Foundation

/// A loudness measurement by EBU R 128 without an engine: of a file, or of a buffer.
///
/// Channels are in WAVE order: mono · L R · L R C · L R Ls Rs · L R C Ls Rs · L R C LFE Ls Rs · L R
/// C LFE and the back and side pairs of 7.1. The LFE does not count, nor do the seventh of seven
/// channels and channels beyond the eighth. A mono programme counts once, not as two loudspeakers.
///
/// Unchecked `Sendable`: noncopyable, so the C state has one owner at a time.
public struct LoudnessMeasurement: ~Copyable, @unchecked Sendable {
    /// The sample rate of the samples, in Hz.
    public private(set) var sampleRate: Int
    /// The channel count of the samples.
    public private(set) var channels: Int
    /// The number of frames added so far.
    public private(set) var frames = 0
    private var state: UnsafeMutablePointer<ebur128_state>?
    private var maxima: LoudnessMaxima
    private var scratch: [Float] = []
    /// Frames since the last change of sample rate or channels.
    private var framesSinceChange = 0
    /// The number of complete 100 ms steps. A gating block (400 ms) ends with a step, so
    /// `integrated` and `range` change only when this does.
    private(set) var gatingSteps = 0

    /// Creates a measurement. `sampleRate` is 1,000…768,000 Hz, `channels` 1…64. Throws
    /// `invalidArgument` or `outOfMemory`.
    public init(sampleRate: Int, channels: Int) throws(AudioEngineError) {
        try self.init(sampleRate: sampleRate, channels: channels, history: nil)
    }

    /// Creates a measurement whose gates consider only the last `history` seconds; nil: the entire
    /// programme.
    init(sampleRate: Int, channels: Int, history: Int?) throws(AudioEngineError) {
        guard (1_000...768_000).contains(sampleRate), (1...64).contains(channels) else {
            throw .invalidArgument(
                what: "loudness of \(channels) channels at \(sampleRate) Hz; valid: 1 to 64, at 1,000 to 768,000 Hz")
        }
        let modes = Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue)
        guard let state = ebur128_init(UInt32(channels), UInt(sampleRate), modes) else {
            throw .outOfMemory(what: "a measurement of loudness")
        }
        if let history { _ = ebur128_set_max_history(state, UInt(history) * 1000) }
        (self.state, self.sampleRate, self.channels) = (state, sampleRate, channels)
        maxima = LoudnessMaxima()
        assignChannelPositions()
    }

    deinit {
        var state = state
        if state != nil { ebur128_destroy(&state) }
    }

    // MARK: Adding

    /// Adds the next samples, one array for each channel, all of one length. NaN and infinite
    /// samples count as silence. Throws `invalidArgument` for another channel count or differing
    /// lengths, and then adds nothing; throws `outOfMemory` if memory for the gating blocks cannot
    /// be allocated.
    public mutating func add(_ planes: [[Float]]) throws(AudioEngineError) {
        let count = planes.first?.count ?? 0
        guard planes.count == channels, planes.allSatisfy({ $0.count == count }) else {
            throw .invalidArgument(
                what: "adding \(planes.count) channels of \(planes.map(\.count)) frames; need \(channels) of one length"
            )
        }
        interleave(planes, count)
        guard addScratch(count) else { throw .outOfMemory(what: "a measurement of loudness") }
    }

    /// Adds `frames` interleaved frames of finite samples. Throws `invalidArgument` if there are
    /// fewer, and `outOfMemory`.
    package mutating func add(interleaved samples: [Float], frames: Int) throws(AudioEngineError) {
        guard frames >= 0, samples.count >= frames * channels else {
            throw .invalidArgument(
                what: "adding \(frames) frames of \(channels) channels from \(samples.count) samples")
        }
        let isAdded = samples.withUnsafeBufferPointer { samples in
            samples.baseAddress.map { add($0, frames: frames) } ?? true
        }
        guard isAdded else { throw .outOfMemory(what: "a measurement of loudness") }
    }

    private mutating func addScratch(_ count: Int) -> Bool {
        let samples = scratch
        return samples.withUnsafeBufferPointer { samples in
            samples.baseAddress.map { add($0, frames: count) } ?? true
        }
    }

    /// Copies the samples to `scratch`, interleaved, with silence for NaN and infinite ones.
    private mutating func interleave(_ planes: [[Float]], _ count: Int) {
        if scratch.count < count * channels { scratch = [Float](repeating: 0, count: count * channels) }
        scratch.withUnsafeMutableBufferPointer { target in
            for (channel, plane) in planes.enumerated() {
                plane.withUnsafeBufferPointer { source in
                    var (from, to) = (0, channel)
                    while from < count {
                        let sample = source[from]
                        target[to] = sample.isFinite ? sample : 0
                        from += 1
                        to += planes.count
                    }
                }
            }
        }
    }

    /// Adds interleaved frames, all of them finite, hop by hop (10 ms), and records the loudness of
    /// each hop. Returns false if memory could not be allocated for some of them.
    mutating func add(_ samples: UnsafePointer<Float>, frames count: Int) -> Bool {
        guard let state else { return false }
        let hop = sampleRate / LoudnessMaxima.hopsPerSecond
        let block = (sampleRate + 5) / 10
        gatingSteps += (framesSinceChange + count) / block - framesSinceChange / block
        var added = 0
        var isComplete = true
        while added < count {
            let length = min(count - added, hop - framesSinceChange % hop)
            isComplete = ebur128_add_frames_float(state, samples + added * channels, length) == 0 && isComplete
            added += length
            framesSinceChange += length
            if framesSinceChange % hop == 0 { maxima.addHop(level { ebur128_loudness_window(state, 10, $0) }) }
        }
        frames += count
        return isComplete
    }

    /// Continues with another sample rate or other channels; the gates keep their blocks. After a
    /// failure, the caller starts a new measurement.
    package mutating func change(sampleRate: Int, channels: Int) throws(AudioEngineError) {
        guard (sampleRate, channels) != (self.sampleRate, self.channels) else { return }
        let status = state.map { ebur128_change_parameters($0, UInt32(clamping: channels), UInt(clamping: sampleRate)) }
        guard status == 0 else { throw .outOfMemory(what: "a measurement of loudness") }
        (self.sampleRate, self.channels) = (sampleRate, channels)
        framesSinceChange = 0
        maxima.resetWindows()
        assignChannelPositions()
    }

    // libebur128 knows channel orders up to 5.1. In 7.1, the back pair is weighted as the front
    // pair, and the side pair as surrounds.
    private func assignChannelPositions() {
        guard channels >= 8, let state else { return }
        let pairs = [(4, EBUR128_Mp135), (5, EBUR128_Mm135), (6, EBUR128_Mp090), (7, EBUR128_Mm090)]
        for (channel, position) in pairs { _ = ebur128_set_channel(state, UInt32(channel), Int32(position.rawValue)) }
    }

    // MARK: Results

    /// All results.
    public var loudness: Loudness { loudness(integrated: integrated, range: range) }

    /// All results, with the two that are expensive to compute passed in.
    func loudness(integrated: Double, range: Double) -> Loudness {
        Loudness(
            momentary: momentary, shortTerm: shortTerm, integrated: integrated, range: range,
            maximumMomentary: maxima.momentary, maximumShortTerm: maxima.shortTerm, droppedFrames: 0)
    }

    /// See `Loudness.momentary`.
    public var momentary: Double { level { ebur128_loudness_momentary(state, $0) } }
    /// See `Loudness.shortTerm`.
    public var shortTerm: Double { level { ebur128_loudness_shortterm(state, $0) } }
    /// See `Loudness.integrated`.
    public var integrated: Double { level { ebur128_loudness_global(state, $0) } }
    /// See `Loudness.range`.
    public var range: Double {
        let range = level { ebur128_loudness_range(state, $0) }
        return range.isFinite ? range : 0
    }

    private func level(_ read: (UnsafeMutablePointer<Double>) -> Int32) -> Double {
        var level = -Double.infinity
        return state != nil && read(&level) == 0 ? level : -.infinity
    }
}

/// The greatest loudness of windows of 0.4 s and 3 s, computed from the energies of the last 300
/// hops of 10 ms.
struct LoudnessMaxima {
    static let hopsPerSecond = 100
    private(set) var momentary = -Double.infinity
    private(set) var shortTerm = -Double.infinity
    private var energies = [Double](repeating: 0, count: 3 * hopsPerSecond)
    private var hops = 0

    /// Adds the loudness of one hop.
    mutating func addHop(_ level: Double) {
        energies[hops % energies.count] = pow(10, level / 10)
        hops += 1
        momentary = max(momentary, loudness(ofLast: 40))
        if hops % 10 == 0 { shortTerm = max(shortTerm, loudness(ofLast: energies.count)) }
    }

    /// Clears the windows, and keeps their maxima.
    mutating func resetWindows() {
        energies = [Double](repeating: 0, count: energies.count)
        hops = 0
    }

    private func loudness(ofLast count: Int) -> Double {
        var sum = 0.0
        for back in 1...count { sum += energies[(hops - back + energies.count) % energies.count] }
        return 10 * log10(sum / Double(count))
    }
}
