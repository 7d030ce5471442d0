internal import CRenderCore
internal import Platform

/// Frames streamed to a voice: read from files or other readers, converted to the engine's rate and
/// written into a FIFO ahead of the render thread.
///
/// A stream plays the segments of a program one after another, without a frame between them or
/// lost. Segments of one sample rate are resampled as one signal.
///
/// Unchecked `Sendable`: `fill` runs under the stream's lock and is the FIFO's only producer; the
/// render thread is its consumer.
public final class AudioStream: @unchecked Sendable {
    /// The channel count, 1…64.
    public let channels: Int
    /// The rate that the stream is resampled to and that its frames are counted in, ideally the
    /// engine's. If the engine's rate changes, the voice plays at a correspondingly scaled speed.
    public let sampleRate: Int
    let fifo: FrameFifo

    private let lock = Mutex(())
    private let program: any StreamProgram
    private let onSegment: (@Sendable (Int) -> Void)?
    private var converter: StreamConverter
    /// What other threads ask for while the stream waits for a disk; a lock of its own.
    private let record: Mutex<Record>
    private var phase = Phase.reading
    private var segment: StreamSegment?
    /// The next frame of the segment's reader.
    private var position: Int64 = 0
    /// The reader that was used last, and the frame after the last one read.
    private var last: (reader: any AudioReader, position: Int64)?
    /// The frames written into the FIFO so far.
    private var written: UInt64 = 0
    /// Whether the reader had no frames yet.
    private var isWaiting = false
    private var earlierNonFiniteSamples = 0

    private struct Record {
        var places = StreamPlaces()
        var history: LevelHistory
        var defect: AudioFileError?
        var nonFiniteSamples = 0
    }

    private enum Phase {
        case reading
        /// The converter's last frames are written, then this segment begins; nil: the stream ends.
        case draining(next: StreamSegment?)
        case finished
    }
    private static let blockFrames = 1024

    /// Streams a reader from `startFrame`, in frames of the reader, and then repeats it `loops`
    /// times from its beginning; `Int.max` repeats forever. `readAhead` is in seconds, 0.05…60.
    /// `tempo`, 1/4…4, divides durations and keeps the pitch; other values than 1 for at most 16
    /// channels. Throws `invalidArgument` or `outOfMemory`.
    public convenience init(
        reader: any AudioReader, sampleRate: Int, startFrame: Int64 = 0, loops: Int = 0, readAhead: Double = 1,
        tempo: Double = 1
    ) throws(AudioEngineError) {
        guard loops >= 0 else { throw .invalidArgument(what: "a stream that repeats \(loops) times") }
        try self.init(
            program: LoopProgram(reader, from: startFrame, loops: loops), channels: reader.channels,
            sampleRate: sampleRate, readAhead: readAhead, tempo: tempo)
    }

    /// Streams the segments of a program, mapped to `channels` by the standard map. Calls
    /// `onSegment` with the id of every segment but the first when its first frame has been played:
    /// on the engine's background thread, soon after, and before the voice's end is reported.
    package init(
        program: any StreamProgram, channels: Int, sampleRate: Int, readAhead: Double = 1, tempo: Double = 1,
        onSegment: (@Sendable (Int) -> Void)? = nil
    ) throws(AudioEngineError) {
        guard (0.05...60).contains(readAhead), (1_000...768_000).contains(sampleRate) else {
            throw .invalidArgument(
                what: """
                    a stream at \(sampleRate) Hz that reads \(readAhead) s ahead; valid: 1,000 to 768,000 Hz, 0.05 to 60 s
                    """)
        }
        self.channels = channels
        self.sampleRate = sampleRate
        self.program = program
        self.onSegment = onSegment
        fifo = try FrameFifo(
            channels: channels, capacityFrames: max(4 * Self.blockFrames, Int(Double(sampleRate) * readAhead)))
        converter = try StreamConverter(
            channels: channels, sampleRate: sampleRate, tempo: tempo, blockFrames: Self.blockFrames)
        record = Mutex(
            Record(history: LevelHistory(channels: channels, frames: Int(rcore_fifo_capacity(fifo.handle)))))
        if let first = program.nextSegment() { try begin(first) } else { phase = .draining(next: nil) }
    }

    // MARK: Filling

    /// Reads frames into the FIFO until it is full, or until at least `share` of it is filled. The
    /// background queue calls this, and so does the thread that starts the stream; never the render
    /// thread.
    public func fill(share: Double = 1) {
        let room = max(Self.blockFrames, share < 1 ? capacity - Int(Double(capacity) * share) : 0)
        // The lock is released after each block: others wait for one block at most.
        while lock.withLock({ _ in Int(rcore_fifo_writable(fifo.handle)) >= room && writeBlock() }) {}
        let passed = takePassedSegments()
        lock.withLock { _ in rcore_fifo_wake_at(fifo.handle, nextWork()) }
        for id in passed { onSegment?(id) }
    }

    /// Reports the segments whose first frame has been played; `fill` does so, too.
    package func reportPassedSegments() {
        for id in takePassedSegments() { onSegment?(id) }
    }

    private func takePassedSegments() -> [Int] {
        let frames = rcore_fifo_frames_read(fifo.handle)
        return record.withLock { $0.places.takePassed(frames) }
    }

    /// The number of frames that the stream reads ahead.
    var capacity: Int { Int(rcore_fifo_capacity(fifo.handle)) }

    /// Whether the entire stream, including its repetitions, has been written into the FIFO.
    public var isComplete: Bool { lock.withLock { _ in if case .finished = phase { true } else { false } } }

    /// Whether the entire stream has been played. Read it only after the voice has ended: until
    /// then, the render thread reads the FIFO.
    public var isDrained: Bool { rcore_fifo_drained(fifo.handle) }

    /// The first defect that was found, if any.
    public var defect: AudioFileError? { record.withLock { $0.defect } }

    /// The number of samples read so far that were NaN or infinite and were replaced by silence.
    public var nonFiniteSampleCount: Int { record.withLock { $0.nonFiniteSamples } }

    /// Returns the segment and the frame of its reader that are played after `frames` frames of the
    /// stream (`Voice.framesRendered`).
    package func position(after frames: UInt64) -> StreamPosition {
        record.withLock { $0.places.position(after: frames) }
    }

    /// Returns the level of each channel in the last tenth of a second before `frames` frames of
    /// the stream, before any gain of the voice.
    public func levels(after frames: UInt64) -> [AudioLevel] {
        record.withLock { $0.history.levels(before: frames, length: UInt64(sampleRate / 10)) }
    }

    // MARK: Inside

    /// Returns the frame that the render thread reaches when there is something to do.
    private func nextWork() -> UInt64 {
        let (capacity, read) = (UInt64(capacity), rcore_fifo_frames_read(fifo.handle))
        let refill: UInt64 =
            switch phase {
            case .finished: RCORE_FIFO_NEVER
            // Once the FIFO is empty, in every cycle.
            case _ where isWaiting: min(read + UInt64(sampleRate / 50), written)
            case _ where Int(rcore_fifo_writable(fifo.handle)) >= Self.blockFrames: read
            // Three quarters remain, because a late write is an audible gap.
            default: written > capacity - capacity / 4 ? written - (capacity - capacity / 4) : read
            }
        return min(refill, record.withLock { $0.places.next }.map { $0 + 1 } ?? RCORE_FIFO_NEVER)
    }

    /// Writes one block into the FIFO, or performs the next step towards one. Returns false if the
    /// stream is finished or waits for its reader.
    private func writeBlock() -> Bool {
        switch phase {
        case .reading:
            if converter.needsInput, !readInput() {
                if case .reading = phase { return false }
                return true
            }
            write(converter.convert())
        case .draining(let next):
            let frames = converter.drain(isEnd: next == nil)
            write(frames)
            if frames == 0 { endDraining(next) }
        case .finished: return false
        }
        return true
    }

    private func write(_ frames: Int) {
        guard frames > 0 else { return }
        record.withLock { $0.history.measure(converter.output, frames: frames, from: written) }
        _ = rcore_fifo_write_interleaved(fifo.handle, converter.output, UInt32(frames))
        written += UInt64(frames)
    }

    private func endDraining(_ next: StreamSegment?) {
        phase = .reading
        if let next, (try? begin(next)) != nil { return }
        rcore_fifo_finish(fifo.handle)
        phase = .finished
    }

    /// Reads a block of the segment, or begins the next segment. Returns false if the reader has no
    /// frames yet or the converter must be drained first.
    private func readInput() -> Bool {
        isWaiting = false
        while true {
            if let segment {
                let count = converter.read(segment, maximumFrames: segment.framesLeft(from: position))
                position += Int64(count)
                last = (segment.reader, position)
                noteState(of: segment.reader)
                if count > 0 { return true }
                if segment.framesLeft(from: position) > 0, segment.reader.awaitsMore {
                    isWaiting = true
                    return false
                }
                program.segmentEnded(segment.id, frames: position - segment.firstFrame, defect: segment.reader.defect)
                self.segment = nil
            }
            guard let next = program.nextSegment() else {
                phase = .draining(next: nil)
                return false
            }
            guard converter.accepts(next), (try? begin(next)) != nil else {
                phase = .draining(next: next)
                return false
            }
        }
    }

    /// Records the defect and the invalid samples of the reader, for other threads.
    private func noteState(of reader: any AudioReader) {
        let (defect, count) = (
            reader.defect, earlierNonFiniteSamples + reader.nonFiniteSampleCount + converter.nonFiniteSampleCount
        )
        record.withLock { record in
            record.defect = record.defect ?? defect
            record.nonFiniteSamples = count
        }
    }

    /// Begins a segment. If its reader cannot seek to its first frame, the segment begins where the
    /// reader is, or, if it repeats the reader, is empty. Throws `outOfMemory`.
    private func begin(_ next: StreamSegment) throws(AudioEngineError) {
        let isSameReader = last.map { $0.reader === next.reader } ?? false
        let begin = try converter.begin(next)
        var next = next
        if !(isSameReader && last?.position == next.firstFrame) {
            // A reader of an app may return any number.
            position = max(0, min(next.reader.seek(toFrame: next.firstFrame), 1 << 62))
            if position != next.firstFrame, isSameReader { next.endFrame = position }
        } else {
            position = next.firstFrame
        }
        next.firstFrame = position
        if !isSameReader { earlierNonFiniteSamples += last?.reader.nonFiniteSampleCount ?? 0 }
        last = (next.reader, position)
        let place = StreamPlaces.Place(
            begin: begin, id: next.id, firstFrame: position,
            framesPerFrame: converter.readerFrames(perFrameFor: next))
        record.withLock { $0.places.add(place) }
        segment = next
    }
}
