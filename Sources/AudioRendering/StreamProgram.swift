internal import Platform

/// A part of a reader that a stream plays. The next segment follows without a gap.
package struct StreamSegment {
    /// The reader, which the stream uses alone until it has asked for a segment of another one.
    package var reader: any AudioReader
    /// The first frame of the reader to play.
    package var firstFrame: Int64
    /// The frame of the reader to end before; nil: the reader's end.
    package var endFrame: Int64?
    /// The linear gain.
    package var gain: Float
    /// A number by which the program knows the segment.
    package var id: Int
    /// The shape of the reader, as it was when the segment was made.
    let channels: Int
    let sampleRate: Int

    package init(reader: any AudioReader, firstFrame: Int64, endFrame: Int64? = nil, gain: Float = 1, id: Int) {
        self.reader = reader
        self.firstFrame = firstFrame
        self.endFrame = endFrame
        self.gain = gain
        self.id = id
        (channels, sampleRate) = (reader.channels, reader.sampleRate)
    }

    func framesLeft(from position: Int64) -> Int64 { max(0, (endFrame ?? .max) - position) }
}

/// Returns the segments of a stream, in order.
///
/// The stream asks for a segment when it has read the one before, and so about as long before it is
/// heard as it reads ahead. It calls the methods one at a time, on the thread that fills it, and
/// holds its lock: they must not call the stream.
package protocol StreamProgram: AnyObject, Sendable {
    /// Returns the next segment; nil at the end of the stream.
    func nextSegment() -> StreamSegment?
    /// A segment has been read to its end; `frames` is 0 if there was nothing to read.
    func segmentEnded(_ id: Int, frames: Int64, defect: AudioFileError?)
}

/// A place in a stream: a segment, and a frame of its reader.
package struct StreamPosition: Equatable, Sendable {
    package var id: Int
    package var frame: Double

    package init(id: Int, frame: Double) {
        self.id = id
        self.frame = frame
    }
}

/// Plays a reader from a frame, and repeats a part of it. The ids of the segments count the
/// repetitions.
///
/// Unchecked `Sendable`: the stream alone uses the reader.
package final class LoopProgram: StreamProgram, @unchecked Sendable {
    private let reader: any AudioReader
    private let begin: Int64
    private let loop: Range<Int64>?
    private let firstID: Int
    private let state: Mutex<State>

    private struct State {
        /// The number of repetitions left; `Int.max`: forever.
        var loopsLeft: Int
        /// The number of repetitions begun; nil before the first segment.
        var pass: Int?
        var hasPlayedTail = false
    }

    /// Plays from `begin` and repeats the frames `loop`, the whole by default, `loops` times; then
    /// plays what follows the loop. A beginning after the loop plays to the end and repeats
    /// nothing. The first segment has the id `firstID`.
    package init(
        _ reader: any AudioReader, from begin: Int64 = 0, loops: Int = 0, of loop: Range<Int64>? = nil, firstID: Int = 0
    ) {
        self.reader = reader
        self.begin = begin
        self.firstID = firstID
        self.loop = loop.flatMap { begin < $0.upperBound ? $0 : nil }
        state = Mutex(State(loopsLeft: loop != nil && self.loop == nil ? 0 : loops))
    }

    /// The number of repetitions that have not been read; set it to repeat less or more often.
    package var loopsLeft: Int {
        get { state.withLock { $0.loopsLeft } }
        set { state.withLock { $0.loopsLeft = newValue } }
    }

    package func nextSegment() -> StreamSegment? {
        state.withLock { state in
            guard let pass = state.pass else {
                state.pass = 0
                return StreamSegment(reader: reader, firstFrame: begin, endFrame: loop?.upperBound, id: firstID)
            }
            if state.loopsLeft > 0 {
                if state.loopsLeft != .max { state.loopsLeft -= 1 }
                state.pass = pass + 1
                return StreamSegment(
                    reader: reader, firstFrame: loop?.lowerBound ?? 0, endFrame: loop?.upperBound,
                    id: firstID + pass + 1)
            }
            guard let loop, !state.hasPlayedTail else { return nil }
            state.hasPlayedTail = true
            return StreamSegment(reader: reader, firstFrame: loop.upperBound, id: firstID + pass)
        }
    }

    package func segmentEnded(_ id: Int, frames: Int64, defect: AudioFileError?) {
        // Nothing to repeat: without this, an endless loop would never return to its caller.
        if frames == 0, id > firstID { state.withLock { $0.loopsLeft = 0 } }
    }
}
