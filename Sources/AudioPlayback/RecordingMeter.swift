/// Measures the levels of an input on the thread that writes it.
struct RecordingMeter {
    private let channels: Int
    private var window: [Window]
    private var frames = 0
    private(set) var levels: [AudioRecording.Level]

    private struct Window {
        var peak: Float = 0
        var sum: Float = 0
    }

    init(channels: Int) {
        self.channels = channels
        window = Array(repeating: Window(), count: channels)
        levels = Array(repeating: AudioRecording.Level(), count: channels)
    }

    /// Measures interleaved samples. Updates the levels after `windowFrames` frames.
    mutating func measure(_ samples: ArraySlice<Float>, windowFrames: Int) {
        var index = samples.startIndex
        while index < samples.endIndex {
            for channel in 0..<channels {
                let sample = samples[index + channel]
                let magnitude = abs(sample)
                window[channel].peak = max(window[channel].peak, magnitude)
                window[channel].sum += sample * sample
                if magnitude >= 1 { levels[channel].clippedSamples += 1 }
            }
            index += channels
            frames += 1
            if frames >= windowFrames { endWindow() }
        }
    }

    private mutating func endWindow() {
        for channel in 0..<channels {
            levels[channel].peak = window[channel].peak
            levels[channel].rms = (window[channel].sum / Float(frames)).squareRoot()
            levels[channel].greatestPeak = max(levels[channel].greatestPeak, window[channel].peak)
            window[channel] = Window()
        }
        frames = 0
    }
}
