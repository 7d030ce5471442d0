internal import CTimeStretch

/// Changes the tempo of one stream and keeps its pitch, with SoundTouch. For one thread at a time,
/// and never the render thread.
final class TimeStretcher {
    private let handle: OpaquePointer
    let tempo: Double
    /// The frames put and taken so far.
    private(set) var framesPut: UInt64 = 0
    private var framesTaken: UInt64 = 0
    private var hasEnded = false

    /// Throws `invalidArgument` for more than 16 channels or a tempo outside 1/4…4, or
    /// `outOfMemory`.
    init(tempo: Double, sampleRate: Int, channels: Int) throws(AudioEngineError) {
        guard (0.25...4).contains(tempo), (1...Int(TSTRETCH_MAX_CHANNELS)).contains(channels) else {
            throw .invalidArgument(
                what: """
                    a rate of \(tempo) for \(channels) channels; valid: 0.25 to 4, for at most \(TSTRETCH_MAX_CHANNELS) \
                    channels
                    """)
        }
        guard let handle = tstretch_create(UInt32(channels), UInt32(clamping: sampleRate), tempo) else {
            throw .outOfMemory(what: "changing the tempo of a stream")
        }
        self.handle = handle
        self.tempo = tempo
    }

    deinit { tstretch_destroy(handle) }

    /// Adds interleaved frames. Without memory, they are lost.
    func put(_ frames: [Float], count: Int) {
        framesPut += UInt64(count)
        _ = tstretch_put(handle, frames, UInt32(count))
    }

    /// Marks the end of the signal: `take` returns what is left.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = tstretch_end(handle)
    }

    /// Returns the frame of the result at which frame `frame` of the signal is.
    func result(of frame: UInt64) -> UInt64 { UInt64((Double(frame) / tempo).rounded()) }

    /// Takes frames of the result into `output`; never more than belong to the signal. Returns 0 if
    /// none is ready.
    func take(into output: inout [Float], maximumFrames: Int) -> Int {
        let left = Int(clamping: result(of: framesPut) - min(framesTaken, result(of: framesPut)))
        let count = output.withUnsafeMutableBufferPointer { target in
            target.baseAddress.map { tstretch_take(handle, $0, UInt32(clamping: min(left, maximumFrames))) } ?? 0
        }
        framesTaken += UInt64(count)
        return Int(count)
    }
}
