internal import CEbur128
internal import Foundation

/// Measures the loudness of samples by EBU R 128, without an engine: of a file, or of a buffer.
///
/// Channels are those of a WAVE file: mono · L R · L R C · L R Ls Rs · L R C Ls Rs · L R C LFE Ls Rs · L R C LFE and the back and side pairs of 7.1.
/// Of more, or of seven, those beyond the sixth or eighth do not count, as the LFE does not. A mono programme counts once, not as two loudspeakers.
///
/// Unchecked `Sendable`: the C state has one owner, and whoever has that is alone with it.
public struct LoudnessMeasurement: ~Copyable, @unchecked Sendable {
    public private(set) var sampleRate: Int
    public private(set) var channels: Int
    /// Frames added so far.
    public private(set) var frames = 0
    private var state: UnsafeMutablePointer<ebur128_state>?
    private var maxima: LoudnessMaxima
    private var scratch: [Float] = []
    /// Frames since the last change of rate or channels.
    private var framesOfShape = 0
    /// Changes when the gates have something new: then only do `integrated` and `range`.
    private(set) var gatedBlocks = 0

    /// `sampleRate` 1,000…768,000 Hz, `channels` 1…64. Throws `invalidArgument` or `outOfMemory`.
    public init(sampleRate: Int, channels: Int) throws(AudioEngineError) {
        try self.init(sampleRate: sampleRate, channels: channels, history: nil)
    }

    /// `history`: the gates look at so many seconds at most; nil: at all.
    init(sampleRate: Int, channels: Int, history: Int?) throws(AudioEngineError) {
        guard (1_000...768_000).contains(sampleRate), (1...64).contains(channels) else {
            throw .invalidArgument(
                what: "a loudness of \(channels) channels at \(sampleRate) Hz: 1 to 64 of them, at 1,000 to 768,000 Hz")
        }
        let modes = Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue)
        guard let state = ebur128_init(UInt32(channels), UInt(sampleRate), modes) else {
            throw .outOfMemory(what: "a measurement of loudness")
        }
        if let history { _ = ebur128_set_max_history(state, UInt(history) * 1000) }
        (self.state, self.sampleRate, self.channels) = (state, sampleRate, channels)
        maxima = LoudnessMaxima()
        placeChannels()
    }

    deinit {
        var state = state
        if state != nil { ebur128_destroy(&state) }
    }

    // MARK: Adding

    /// Adds what comes next, one array for each channel, all of one length. Not-a-number counts as silence. Throws `invalidArgument` for another shape, and adds
    /// nothing then; `outOfMemory` when there is none for the gates.
    public mutating func add(_ planes: [[Float]]) throws(AudioEngineError) {
        let count = planes.first?.count ?? 0
        guard planes.count == channels, planes.allSatisfy({ $0.count == count }) else {
            throw .invalidArgument(
                what: "adding \(planes.count) channels of \(planes.map(\.count)) frames: \(channels), all of one length"
            )
        }
        interleave(planes, count)
        guard addScratch(count) else { throw .outOfMemory(what: "a measurement of loudness") }
    }

    private mutating func addScratch(_ count: Int) -> Bool {
        let samples = scratch
        return samples.withUnsafeBufferPointer { samples in
            samples.baseAddress.map { add($0, frames: count) } ?? true
        }
    }

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

    /// Adds interleaved frames that are all numbers; false when memory was short for some of it.
    mutating func add(_ samples: UnsafePointer<Float>, frames count: Int) -> Bool {
        guard let state else { return false }
        let hop = sampleRate / LoudnessMaxima.hopsPerSecond
        let block = (sampleRate + 5) / 10
        gatedBlocks += (framesOfShape + count) / block - framesOfShape / block
        var done = 0
        var isWhole = true
        while done < count {
            let piece = min(count - done, hop - framesOfShape % hop)
            isWhole = ebur128_add_frames_float(state, samples + done * channels, piece) == 0 && isWhole
            done += piece
            framesOfShape += piece
            if framesOfShape % hop == 0 { maxima.note(level { ebur128_loudness_window(state, 10, $0) }) }
        }
        frames += count
        return isWhole
    }

    /// Goes on with another rate or other channels; the gates keep what they have. After a failure all begins anew.
    mutating func change(sampleRate: Int, channels: Int) throws(AudioEngineError) {
        guard (sampleRate, channels) != (self.sampleRate, self.channels) else { return }
        let status = state.map { ebur128_change_parameters($0, UInt32(clamping: channels), UInt(clamping: sampleRate)) }
        guard status == 0 else { throw .outOfMemory(what: "a measurement of loudness") }
        (self.sampleRate, self.channels) = (sampleRate, channels)
        framesOfShape = 0
        maxima.beginWindows()
        placeChannels()
    }

    // The library knows orders up to 5.1; of 7.1's the back pair counts as the front does, the side pair as surrounds.
    private func placeChannels() {
        guard channels >= 8, let state else { return }
        let pairs = [(4, EBUR128_Mp135), (5, EBUR128_Mm135), (6, EBUR128_Mp090), (7, EBUR128_Mm090)]
        for (channel, place) in pairs { _ = ebur128_set_channel(state, UInt32(channel), Int32(place.rawValue)) }
    }

    // MARK: Results

    /// All of it.
    public var loudness: Loudness { loudness(integrated: integrated, range: range) }

    /// The same, with what need not be reckoned again.
    func loudness(integrated: Double, range: Double) -> Loudness {
        Loudness(
            momentary: momentary, shortTerm: shortTerm, integrated: integrated, range: range,
            maximumMomentary: maxima.momentary, maximumShortTerm: maxima.shortTerm, droppedFrames: 0)
    }

    /// See `Loudness`, each.
    public var momentary: Double { level { ebur128_loudness_momentary(state, $0) } }
    public var shortTerm: Double { level { ebur128_loudness_shortterm(state, $0) } }
    public var integrated: Double { level { ebur128_loudness_global(state, $0) } }
    public var range: Double {
        let range = level { ebur128_loudness_range(state, $0) }
        return range.isFinite ? range : 0
    }

    private func level(_ read: (UnsafeMutablePointer<Double>) -> Int32) -> Double {
        var level = -Double.infinity
        return state != nil && read(&level) == 0 ? level : -.infinity
    }
}

/// The greatest loudness of windows of 0.4 s and 3 s, by the energies of the last 300 hops of 10 ms.
struct LoudnessMaxima {
    static let hopsPerSecond = 100
    private(set) var momentary = -Double.infinity
    private(set) var shortTerm = -Double.infinity
    private var energies = [Double](repeating: 0, count: 3 * hopsPerSecond)
    private var hops = 0

    /// Takes the loudness of one more hop.
    mutating func note(_ level: Double) {
        energies[hops % energies.count] = pow(10, level / 10)
        hops += 1
        momentary = max(momentary, loudness(ofLast: 40))
        if hops % 10 == 0 { shortTerm = max(shortTerm, loudness(ofLast: energies.count)) }
    }

    /// Forgets what windows see, and keeps what they have seen.
    mutating func beginWindows() {
        energies = [Double](repeating: 0, count: energies.count)
        hops = 0
    }

    private func loudness(ofLast count: Int) -> Double {
        var sum = 0.0
        for back in 1...count { sum += energies[(hops - back + energies.count) % energies.count] }
        return 10 * log10(sum / Double(count))
    }
}
