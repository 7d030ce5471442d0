internal import Platform

/// Frames that an app delivers while they are played: a synthesizer, a network stream, a decoder
/// that pushes its output.
///
/// The app appends buffers from any thread; a stream plays them one after another, without a gap.
/// While the queue is empty, the stream is silent and counts the missing frames
/// (`Voice.underrunFrames`), until `finish()` ends it. One stream at a time reads a queue: frames
/// that it has read ahead are gone when it ends.
public final class AudioBufferQueue: AudioReader, Sendable {
    public let channels: Int
    public let sampleRate: Int
    /// The length is not known.
    public var frameCount: Int64 { 0 }

    private struct State {
        var buffers: [AudioBuffer] = []
        /// The frames of the first buffer that have been read.
        var offset = 0
        /// The frames read so far.
        var position: Int64 = 0
        var isFinished = false
    }
    private let state = Mutex(State())

    /// Creates an empty queue. Throws `invalidArgument` for a channel count outside 1…64 or a
    /// sample rate outside 1,000…768,000 Hz.
    public init(channels: Int, sampleRate: Int) throws(AudioEngineError) {
        guard (1...64).contains(channels), (1_000...768_000).contains(sampleRate) else {
            throw .invalidArgument(
                what: """
                    a queue of buffers with \(channels) channels at \(sampleRate) Hz; valid: 1 to 64 channels at 1,000 to \
                    768,000 Hz
                    """)
        }
        self.channels = channels
        self.sampleRate = sampleRate
    }

    /// Appends frames. Throws `invalidArgument` for a buffer with another channel count or sample
    /// rate (nil: that of the queue), and after `finish()`.
    public func append(_ buffer: AudioBuffer) throws(AudioEngineError) {
        guard buffer.channels == channels, buffer.sampleRate ?? sampleRate == sampleRate else {
            throw .invalidArgument(
                what: """
                    a buffer with \(buffer.channels) channels at \(buffer.sampleRate ?? sampleRate) Hz for a queue with \
                    \(channels) at \(sampleRate) Hz
                    """)
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.buffers.append(buffer) }
            return state.isFinished
        }
        if isFinished { throw .invalidArgument(what: "a buffer for a queue that has been finished") }
    }

    /// Ends the stream after the frames appended so far.
    public func finish() { state.withLock { $0.isFinished = true } }

    /// The number of appended frames that have not been read. A stream reads ahead: about
    /// `EngineConfiguration.readAhead` seconds more have not been heard.
    public var pendingFrames: Int {
        state.withLock { state in state.buffers.reduce(-state.offset) { $0 + $1.frameCount } }
    }

    public var awaitsMore: Bool { state.withLock { !$0.isFinished || !$0.buffers.isEmpty } }

    public func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        state.withLock { state in
            guard let buffer = state.buffers.first else { return 0 }
            let count = buffer.read(into: &frames, from: Int64(state.offset), maximumFrames: maximumFrames)
            state.offset += count
            state.position += Int64(count)
            if state.offset == buffer.frameCount {
                state.buffers.removeFirst()
                state.offset = 0
            }
            return count
        }
    }

    /// Does nothing: what has been read is gone. Returns the number of frames read so far.
    @discardableResult
    public func seek(toFrame frame: Int64) -> Int64 { state.withLock { $0.position } }
}
