/// The last frames of an input, for a recording that starts before the sound that triggers it.
struct PreRoll {
    private let channels: Int
    private let capacity: Int
    private var samples: [Float] = []
    /// The time that the next frame has if it follows the last one.
    private var nextTime: UInt64 = 0

    /// Keeps at least `frames` frames.
    init(frames: Int, channels: Int) {
        self.channels = channels
        capacity = frames * channels
    }

    /// Adds frames that were recorded at `time`. Earlier frames do not belong to them if some are
    /// missing in between; they are removed.
    mutating func append(_ part: ArraySlice<Float>, at time: UInt64) {
        if time != nextTime { samples.removeAll(keepingCapacity: true) }
        nextTime = time + UInt64(part.count / channels)
        samples += part
        // Not at each call: removing moves all samples.
        if samples.count > 2 * capacity { samples.removeFirst(samples.count - capacity) }
    }

    /// Removes all frames and returns the last ones, at most as many as are to be kept.
    mutating func takeAll() -> ArraySlice<Float> {
        defer { samples = [] }
        return samples.suffix(capacity)
    }
}
