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
    /// The sample rate of the readers whose signal is converted as one; nil before the first.
    private var readerRate: Int?
    /// The frame of the stream at which that signal began, and the frames read since.
    private var signalBegin: UInt64 = 0
    private var signalFrames: UInt64 = 0
    private var maps: [Int: ChannelMap] = [:]

    init(channels: Int, sampleRate: Int, blockFrames: Int) {
        self.channels = channels
        self.sampleRate = sampleRate
        self.blockFrames = blockFrames
        output = [Float](repeating: 0, count: blockFrames * channels)
    }

    /// Whether a reader continues the signal; if not, drain first.
    func accepts(_ reader: any AudioReader) -> Bool { readerRate == nil || readerRate == reader.sampleRate }

    /// Begins a segment of a reader, after `written` frames of the stream. Returns the frame of the
    /// stream at which it begins, which may still be in the converter. Throws `outOfMemory`.
    mutating func begin(_ reader: any AudioReader, after written: UInt64) throws(AudioEngineError) -> UInt64 {
        if reader.channels != channels, maps[reader.channels] == nil {
            maps[reader.channels] = try ChannelMap.standard(from: reader.channels, to: channels)
        }
        guard readerRate != reader.sampleRate else {
            let frames = Double(signalFrames) * Double(sampleRate) / Double(reader.sampleRate)
            return signalBegin + UInt64(frames.rounded())
        }
        resampler =
            reader.sampleRate == sampleRate
            ? nil : try Resampler(from: reader.sampleRate, to: sampleRate, channels: channels)
        readerRate = reader.sampleRate
        (signalBegin, signalFrames) = (written, 0)
        (inputFrames, inputOffset) = (0, 0)
        return written
    }

    /// Whether `convert` has nothing to convert.
    var needsInput: Bool { inputOffset == inputFrames }

    /// Reads a block of a segment, at most `maximumFrames` frames. Returns the number of frames.
    mutating func read(_ segment: StreamSegment, maximumFrames: Int64) -> Int {
        let wanted = Int(min(maximumFrames, Int64(blockFrames)))
        let count = wanted > 0 ? segment.reader.read(into: &input, maximumFrames: wanted) : 0
        if segment.gain != 1 {
            for index in 0..<(count * segment.reader.channels) { input[index] *= segment.gain }
        }
        if let map = maps[segment.reader.channels], segment.reader.channels != channels {
            input = Self.mapped(input, frames: count, by: map)
        }
        (inputFrames, inputOffset) = (count, 0)
        signalFrames += UInt64(count)
        return count
    }

    /// Converts frames into `output`, and returns their number. 0 does not mean the end, because
    /// the resampler may need more input.
    mutating func convert() -> Int {
        guard let resampler else {
            let count = inputFrames - inputOffset
            output.replaceSubrange(0..<(count * channels), with: input[0..<(count * channels)])
            inputOffset = inputFrames
            return count
        }
        let (consumed, produced) = resampler.process(
            input, from: inputOffset, frames: inputFrames - inputOffset, into: &output, maximumFrames: blockFrames)
        inputOffset += consumed
        return produced
    }

    /// Writes frames that remain in the converter into `output`. Returns their number; 0 once none
    /// is left, and the next reader begins a new signal.
    mutating func drain() -> Int {
        let frames = resampler?.drain(into: &output, maximumFrames: blockFrames) ?? 0
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
