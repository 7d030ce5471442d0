/// Converts the frames of readers to the channels and the sample rate of a stream. For one thread
/// at a time.
struct StreamConverter {
    private let channels: Int
    private let sampleRate: Int
    private let blockFrames: Int
    /// Interleaved frames of the reader, then of the stream's channels.
    private var input: [Float] = []
    private var inputFrames = 0
    private var inputOffset = 0
    /// Interleaved frames of the stream: the result of `convert` and `drain`.
    private(set) var output: [Float]

    private var resampler: Resampler?
    /// nil: the tempo remains.
    private let stretcher: TimeStretcher?
    /// The sample rate of the readers whose signal is converted as one; nil before the first.
    private var readerRate: Int?
    /// The number of frames before that signal, and the frames read since. The former are counted
    /// behind the resampler and before the stretcher.
    private var signalBegin: UInt64 = 0
    private var signalFrames: UInt64 = 0
    /// The number of samples of readers that were NaN or infinite and were replaced by silence.
    private(set) var nonFiniteSampleCount = 0
    /// The frames that have left the resampler.
    private var resampledFrames: UInt64 = 0
    private var maps: [Int: ChannelMap] = [:]

    /// `tempo` is 1, or 1/4…4 for at most 16 channels: the durations are divided by it, and the
    /// pitch remains. Throws `invalidArgument` or `outOfMemory`.
    init(channels: Int, sampleRate: Int, tempo: Double, blockFrames: Int) throws(AudioEngineError) {
        self.channels = channels
        self.sampleRate = sampleRate
        self.blockFrames = blockFrames
        output = [Float](repeating: 0, count: blockFrames * channels)
        stretcher = tempo == 1 ? nil : try TimeStretcher(tempo: tempo, sampleRate: sampleRate, channels: channels)
    }

    /// Whether a segment continues the signal; if not, drain first.
    func accepts(_ segment: StreamSegment) -> Bool { readerRate == nil || readerRate == segment.sampleRate }

    /// Begins a segment. Returns the frame of the stream at which it begins, which may
    /// still be in the converter. Throws `invalidArgument` or `outOfMemory`.
    mutating func begin(_ segment: StreamSegment) throws(AudioEngineError) -> UInt64 {
        guard (1...64).contains(segment.channels), (1_000...768_000).contains(segment.sampleRate) else {
            throw .invalidArgument(
                what: """
                    a reader of \(segment.channels) channels at \(segment.sampleRate) Hz; valid: 1 to 64 channels at 1,000 to \
                    768,000 Hz
                    """)
        }
        if segment.channels != channels, maps[segment.channels] == nil {
            maps[segment.channels] = try ChannelMap.standard(from: segment.channels, to: channels)
        }
        if readerRate != segment.sampleRate {
            resampler =
                segment.sampleRate == sampleRate
                ? nil : try Resampler(from: segment.sampleRate, to: sampleRate, channels: channels)
            readerRate = segment.sampleRate
            (signalBegin, signalFrames) = (resampledFrames, 0)
            (inputFrames, inputOffset) = (0, 0)
        }
        let frames = Double(signalFrames) * Double(sampleRate) / Double(segment.sampleRate)
        let begin = signalBegin + UInt64(frames.rounded())
        return stretcher?.result(of: begin) ?? begin
    }

    /// Returns how many frames of a reader a frame of the stream lasts.
    func readerFrames(perFrameFor segment: StreamSegment) -> Double {
        Double(segment.sampleRate) * (stretcher?.tempo ?? 1) / Double(sampleRate)
    }

    /// Whether `convert` has nothing to convert.
    var needsInput: Bool { inputOffset == inputFrames }

    /// Reads a block of a segment, at most `maximumFrames` frames. Returns the number of frames.
    mutating func read(_ segment: StreamSegment, maximumFrames: Int64) -> Int {
        let wanted = Int(min(maximumFrames, Int64(blockFrames)))
        let read = wanted > 0 ? segment.reader.read(into: &input, maximumFrames: wanted) : 0
        // A reader of an app may claim more than there is room for.
        let count = max(0, min(read, wanted, input.count / segment.channels))
        for index in 0..<(count * segment.channels) {
            guard input[index].isFinite else {
                input[index] = 0
                nonFiniteSampleCount += 1
                continue
            }
            input[index] *= segment.gain
        }
        if let map = maps[segment.channels], segment.channels != channels {
            input = Self.mapped(input, frames: count, by: map)
        }
        (inputFrames, inputOffset) = (count, 0)
        signalFrames += UInt64(count)
        return count
    }

    /// Converts frames into `output`, and returns their number. 0 does not mean the end, because
    /// more input may be needed.
    mutating func convert() -> Int {
        guard let stretcher else { return resample() }
        let ready = stretcher.take(into: &output, maximumFrames: blockFrames)
        guard ready == 0 else { return ready }
        let count = resample()
        stretcher.put(output, count: count)
        return 0
    }

    /// Writes frames that remain in the converter into `output`. Returns their number; 0 once none
    /// is left, and the next reader begins a new signal. `isEnd`: the stream ends.
    mutating func drain(isEnd: Bool) -> Int {
        guard let stretcher else { return drainResampler() }
        while true {
            let ready = stretcher.take(into: &output, maximumFrames: blockFrames)
            if ready > 0 { return ready }
            let count = drainResampler()
            guard count == 0 else {
                stretcher.put(output, count: count)
                continue
            }
            guard isEnd else { return 0 }
            stretcher.end()
            return stretcher.take(into: &output, maximumFrames: blockFrames)
        }
    }

    /// Resamples frames into `output`, and returns their number.
    private mutating func resample() -> Int {
        guard let resampler else {
            let count = inputFrames - inputOffset
            output.replaceSubrange(0..<(count * channels), with: input[0..<(count * channels)])
            inputOffset = inputFrames
            resampledFrames += UInt64(count)
            return count
        }
        let (consumed, produced) = resampler.process(
            input, from: inputOffset, frames: inputFrames - inputOffset, into: &output, maximumFrames: blockFrames)
        inputOffset += consumed
        resampledFrames += UInt64(produced)
        return produced
    }

    private mutating func drainResampler() -> Int {
        let frames = resampler?.drain(into: &output, maximumFrames: blockFrames) ?? 0
        resampledFrames += UInt64(frames)
        if frames == 0 { (resampler, readerRate) = (nil, nil) }
        return frames
    }

    private static func mapped(_ frames: [Float], frames count: Int, by map: ChannelMap) -> [Float] {
        let (inputs, outputs) = (map.inputs, map.outputs)
        var result = [Float](repeating: 0, count: count * outputs)
        for output in 0..<outputs {
            for input in 0..<inputs {
                let gain = map.gain(input: input, output: output)
                guard gain != 0 else { continue }
                for frame in 0..<count { result[frame * outputs + output] += frames[frame * inputs + input] * gain }
            }
        }
        return result
    }
}
