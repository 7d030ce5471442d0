internal import Platform

/// A long sound for instruments, of which only the beginning is in memory: its *head*.
///
/// Notes begin to play the head on their frame, while the engine reads what follows from the file
/// into its page cache (`AudioEngine.Configuration.pageCacheSize`), half a second ahead. They have
/// the same samples as those of a sound in memory, with loops, tuning and pitch bend. All notes of
/// an engine share the pages, which stay in the cache for four seconds after the last note.
///
/// If a page comes too late, because the disk is slow, the note fades out, waits, and continues
/// where it was; released while it waits, it ends. It also ends if the page cannot be read
/// (`failure`), or if the cache is too small for all notes that play. The frames for which notes
/// wait are counted (`RenderCounters.underrunFrames`). A render without a clock waits for its
/// pages between its periods. The head must last for two periods and 10 ms at the pitch of a note.
///
/// Any thread may use it, and instruments of several engines may share it.
public final class StreamedSound: InstrumentSound {
    public let preloaded: AudioBuffer
    public let frameCount: Int
    public var channels: Int { preloaded.channels }
    public var sampleRate: Int? { preloaded.sampleRate }

    /// The name of the sound in errors: the path of its file.
    public let name: String
    private let open: @Sendable () throws -> any AudioReader
    private let pages: Mutex<Pages>
    /// A lock of its own: that of the pages is held while a disk is read.
    private let firstFailure = Mutex<String?>(nil)

    /// The highest number of channels.
    public static let maximumChannelCount = 8

    /// Opens a sound file and reads its head, `head` seconds long, 0.1…60. A shorter file is read
    /// as a whole. Throws an `AudioFileError`, or an `AudioEngineError` if the file has more than 8
    /// channels or no known length, or if its format has no exact positions (Ogg and MP3): use
    /// `AudioBuffer(path:)` then.
    public convenience init(path: String, head: Double = 0.5) throws {
        try self.init(path: AudioFilePath(path), head: head)
    }

    /// Opens a file whose name need not be valid UTF-8. Throws like the other initializer.
    public convenience init(path: AudioFilePath, head: Double = 0.5) throws {
        let name = path.description
        guard (0.1...60).contains(head) else {
            throw AudioEngineError.invalidArgument(
                what: "'\(name)' as a streamed sound with a head of \(head) s; valid: 0.1 to 60")
        }
        let file = try AudioFile(path: path)
        guard file.seeksExactly else {
            throw AudioEngineError.invalidArgument(
                what: "'\(name)' as a streamed sound: its format has no exact positions; load it as an AudioBuffer")
        }
        try self.init(name: name, headFrames: max(1, Int(head * Double(file.sampleRate)))) {
            try AudioFile(path: path)
        }
    }

    /// Opens a sound whose frames a reader delivers, and reads its first `headFrames`. The closure
    /// returns a new reader of the same frames each time. The engine calls it and the reader on the
    /// thread that reads its streams, or while it renders faster than in real time on the thread
    /// that renders, and under a lock: they must not call this sound or the engine. The reader must
    /// know its length, and seek to any frame. Throws what the closure throws, an `AudioFileError`
    /// if the reader has a defect, or an `AudioEngineError`.
    public init(
        name: String, headFrames: Int, opening open: @escaping @Sendable () throws -> any AudioReader
    ) throws {
        func refused(_ why: String) -> AudioEngineError {
            .invalidArgument(what: "'\(name)' as a streamed sound: \(why)")
        }
        let reader = try open()
        guard headFrames > 0 else { throw refused("a head of \(headFrames) frames") }
        guard reader.frameCount > 0, reader.frameCount <= 1 << 32 else {
            throw refused("it has \(reader.frameCount) frames; valid: 1 to 2^32")
        }
        guard (1...Self.maximumChannelCount).contains(reader.channels) else {
            throw refused("it has \(reader.channels) channels; valid: 1 to \(Self.maximumChannelCount)")
        }
        let shape = Shape(of: reader)
        var pages = Pages(reader: reader)
        var samples = Samples()
        let count = min(headFrames, Int(shape.frameCount))
        do {
            try pages.read(count, from: 0, shape: shape, into: &samples, opening: open)
        } catch let failure as Failure {
            throw reader.defect ?? refused(failure.reason)
        }
        if let defect = reader.defect { throw defect }
        preloaded = try AudioBuffer(
            interleaved: Array(samples.frames[..<(count * shape.channels)]), channels: shape.channels,
            sampleRate: shape.sampleRate)
        frameCount = Int(shape.frameCount)
        self.name = name
        self.open = open
        self.pages = Mutex(Pages())
    }

    /// Whether frames follow the head.
    public var isStreamed: Bool { frameCount > preloaded.frameCount }

    /// Why frames could not be read the first time that this happened, for example because the file
    /// was removed; nil: all could. Notes that need such frames fade out and end.
    public var failure: String? { firstFailure.withLock { $0 } }

    /// Reads `count` interleaved frames from `frame` on, and passes them to `body`, which must not
    /// keep them; nil: they cannot be read. Opens the reader if it is not open. Blocks on the disk.
    func withFrames(
        from frame: Int64, count: Int, _ samples: inout Samples, _ body: (UnsafeBufferPointer<Float>?) -> Void
    ) {
        pages.withLock { pages in
            do {
                let shape = Shape(
                    channels: channels, sampleRate: preloaded.sampleRate ?? 0, frameCount: Int64(frameCount))
                try pages.read(count, from: frame, shape: shape, into: &samples, opening: open)
            } catch {
                pages.reader = nil
                let reason = (error as? Failure)?.reason ?? "\(error)"
                firstFailure.withLock { $0 = $0 ?? reason }
                return body(nil)
            }
            samples.frames.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<(count * channels)])) }
        }
    }

    /// Closes the reader until frames are read again.
    func closeReader() { pages.withLock { $0.reader = nil } }
}

extension StreamedSound {
    /// Memory to read into, for one sound after the other.
    struct Samples {
        /// The interleaved frames that were read last.
        fileprivate(set) var frames: [Float] = []
        /// What a reader has delivered at once.
        fileprivate var part: [Float] = []

        fileprivate mutating func grow(to count: Int) {
            if frames.count < count { frames.append(contentsOf: repeatElement(0, count: count - frames.count)) }
        }

        fileprivate mutating func place(_ count: Int, at index: Int) {
            frames.replaceSubrange(index..<(index + count), with: part[..<count])
        }
    }

    fileprivate struct Failure: Error { var reason: String }

    /// What all readers of a sound have in common.
    fileprivate struct Shape: Equatable {
        var channels: Int
        var sampleRate: Int
        var frameCount: Int64

        init(channels: Int, sampleRate: Int, frameCount: Int64) {
            (self.channels, self.sampleRate, self.frameCount) = (channels, sampleRate, frameCount)
        }

        init(of reader: any AudioReader) {
            self.init(channels: reader.channels, sampleRate: reader.sampleRate, frameCount: reader.frameCount)
        }
    }

    /// Reads any frames of a sound.
    ///
    /// Unchecked `Sendable`: used under a lock, by one thread at a time.
    fileprivate struct Pages: @unchecked Sendable {
        var reader: (any AudioReader)?
        /// The reader's next frame.
        private var position: Int64 = 0

        init(reader: (any AudioReader)? = nil) { self.reader = reader }

        /// Reads frames into the beginning of `samples.frames`.
        mutating func read(
            _ count: Int, from frame: Int64, shape: Shape, into samples: inout Samples,
            opening open: () throws -> any AudioReader
        ) throws {
            let reader = try self.reader ?? open()
            if self.reader == nil { (self.reader, position) = (reader, 0) }
            guard Shape(of: reader) == shape else { throw Failure(reason: "it has changed since it was opened") }
            if position != frame { position = reader.seek(toFrame: frame) }
            guard position == frame else { throw Failure(reason: "it cannot seek to frame \(frame)") }
            samples.grow(to: count * shape.channels)
            var done = 0
            while done < count {
                // A reader of an app may claim more than there is room for.
                let claimed = reader.read(into: &samples.part, maximumFrames: count - done)
                let read = min(claimed, count - done, samples.part.count / shape.channels)
                guard read > 0 else {
                    throw Failure(reason: reader.defect.map { "\($0)" } ?? "it ends at frame \(position)")
                }
                samples.place(read * shape.channels, at: done * shape.channels)
                done += read
                position += Int64(read)
            }
        }
    }
}
