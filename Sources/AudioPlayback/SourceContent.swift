internal import AudioRendering
internal import Platform

/// The content of an `AudioPlayer`: one source, and what of it repeats. The id of a position is the
/// number of repetitions before it.
final class SourceContent: PlaybackContent {
    let source: PlaybackSource
    let channels: Int
    let sampleRate: Int
    /// 0 if it is not known.
    let frameCount: Int64
    let formatDescription: String
    private let settings = Mutex(Settings())

    private struct Settings {
        /// A negative number repeats forever.
        var loops = 0
        var loop: Range<Int64>?
        /// Whether the loop was left: it repeats no more until a seek or another start.
        var hasLeftLoop = false
        weak var program: LoopProgram?
        /// Called when a repetition is being heard.
        var onRepetition: (@Sendable (Int) -> Void)?
    }

    init(_ source: PlaybackSource) throws {
        self.source = source
        let reader = try source.open()
        (channels, sampleRate, frameCount) = (reader.channels, reader.sampleRate, reader.frameCount)
        formatDescription = (reader as? AudioFile)?.formatDescription ?? "\(sampleRate) Hz, \(channels) ch"
    }

    var loops: Int {
        get { settings.withLock { $0.loops } }
        set { settings.withLock { ($0.loops, $0.hasLeftLoop) = (newValue, false) } }
    }

    var loop: Range<Int64>? {
        get { settings.withLock { $0.loop } }
        set { settings.withLock { ($0.loop, $0.hasLeftLoop) = (newValue, false) } }
    }

    /// Sets what is called when a repetition is being heard, for the streams that are opened from
    /// now on: each repetition then wakes the engine.
    func whenRepeating(_ body: @escaping @Sendable () -> Void) {
        settings.withLock { $0.onRepetition = { _ in body() } }
    }

    func leaveLoop() {
        let program = settings.withLock { settings in
            settings.hasLeftLoop = true
            return settings.program
        }
        program?.loopsLeft = 0
    }

    /// The length in seconds; infinite if it is not known.
    var duration: Double { frameCount == 0 ? .infinity : Double(frameCount) / Double(sampleRate) }

    /// Returns the position that a seek to a time moves to; nil if it ends playback. `isPlaying`:
    /// whether a seek to the end ends this pass, and does not stay there.
    func position(at seconds: Double, isPlaying: Bool) -> StreamPosition? {
        let time = min(max(0, seconds.isNaN ? 0 : seconds), duration)
        // A reader without a length has no last frame either.
        let frame = min((time * Double(sampleRate)).rounded(), 0x1p62)
        settings.withLock { $0.hasLeftLoop = false }
        guard isPlaying, frameCount > 0, frame >= Double(frameCount) else { return StreamPosition(id: 0, frame: frame) }
        // The rest of this pass is skipped: the next repetition follows, unless the end lies beyond
        // the loop.
        return settings.withLock { settings in
            let isBeyondLoop = settings.loop.map { $0.upperBound < frameCount } ?? false
            guard settings.loops != 0, !isBeyondLoop else { return nil }
            return StreamPosition(id: 1, frame: Double(settings.loop?.lowerBound ?? 0))
        }
    }

    // MARK: PlaybackContent

    var beginning: StreamPosition { StreamPosition(id: 0, frame: 0) }

    func streamWasReleased() {}

    func isEnd(_ position: StreamPosition) -> Bool { frameCount > 0 && position.frame >= Double(frameCount) }

    func check(_ position: StreamPosition) throws { _ = try source.open() }

    func open(at position: StreamPosition, _ settings: StreamSettings) throws -> AudioStream {
        let reader = try source.open()
        let (program, onRepetition) = self.settings.withLock { settings -> (LoopProgram, (@Sendable (Int) -> Void)?) in
            if position == beginning || isEnd(position) { settings.hasLeftLoop = false }
            let loops = settings.loops < 0 ? Int.max : max(0, settings.loops - position.id)
            let program = LoopProgram(
                reader, from: isEnd(position) ? 0 : Int64(position.frame.rounded()),
                loops: settings.hasLeftLoop ? 0 : loops, of: settings.loop, firstID: position.id)
            settings.program = program
            return (program, settings.onRepetition)
        }
        return try AudioStream(
            program: program, channels: reader.channels, sampleRate: settings.sampleRate ?? reader.sampleRate,
            readAhead: settings.readAhead, tempo: settings.tempo, onSegment: onRepetition)
    }
}
