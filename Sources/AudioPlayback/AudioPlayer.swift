public import AudioRendering
// Importing AudioPlayback is enough to use the session and the engine of a player.
@_exported public import AudioSessions
internal import Platform

/// Plays a sound in a session: a file, samples in memory, or buffers that the app delivers
/// (PLAY-1). An interruption pauses it; if its resume policy allows it, playback afterwards resumes
/// at exactly the next frame.
///
/// Every method is safe from any thread. Times are in seconds of the source, and frames are frames
/// of the source, unless stated otherwise.
public final class AudioPlayer: Sendable {
    public typealias ResumePolicy = PlaybackResumePolicy
    public typealias Ending = PlaybackEnding

    /// An event of a player. Calls of `pause()` and `stop()` are not reported.
    public enum Event: Equatable, Sendable {
        /// The session was interrupted, or its output was disconnected; playback is paused (INT-9,
        /// ROUTE-4).
        case pausedBySession
        /// Playback has resumed after an interruption, as `resumePolicy` allows.
        case resumed
        /// Playback ended on its own.
        case ended(Ending)
    }

    /// What the player plays.
    public var source: PlaybackSource { content.source }
    /// The path of the file, as text; the name of another source.
    public var path: String { content.source.name }
    /// The length, in seconds, without loops; infinite if the source does not declare it.
    public var duration: Double { content.duration }
    /// The length in frames, without loops; nil if the source does not declare it.
    public var frameCount: Int64? { content.frameCount == 0 ? nil : content.frameCount }
    /// The source's sample rate, in Hz.
    public var fileSampleRate: Int { content.sampleRate }
    /// The source's channel count.
    public var channels: Int { content.channels }
    /// The source's encoding, for display.
    public var formatDescription: String { content.formatDescription }
    /// The session that the player plays in.
    public var session: AudioSession { playback.session }

    let playback: Playback
    let content: SourceContent
    private let listeners = Broadcaster<Event>()
    private let finishHandler = Mutex<(@Sendable (AudioPlayer, Ending) -> Void)?>(nil)

    /// Opens a source for a session, without activating the session or playing anything.
    ///
    /// `outputs` are ports of the session's route to play on; nil: all (MULTI-1). Throws
    /// `AudioFileError` if the source cannot be played, the error that prevented the session's
    /// creation, or `badParam` for a port that is not in the route.
    public convenience init(
        _ source: PlaybackSource, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        let content = try SourceContent(source)
        try self.init(content, session, outputs.map { try session.bus(to: $0) } ?? session.bus)
    }

    /// Opens a source for a bus of a session's mixer (`SessionBus.setGraph`), without activating
    /// the session or playing anything. Throws `AudioFileError` if the source cannot be played, the
    /// error that prevented the session's creation, or `invalidArgument` for a bus of another
    /// session.
    public convenience init(
        _ source: PlaybackSource, session: AudioSession = .shared, on bus: any AudioBus
    ) throws {
        let content = try SourceContent(source)
        guard session.has(bus) else {
            throw AudioEngineError.invalidArgument(
                what: "a player on a bus of another session; pass that session, or a bus of this one")
        }
        try self.init(content, session, bus)
    }

    /// Opens a file, like `init(_:session:outputs:)`.
    public convenience init(
        path: String, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        try self.init(.file(path), session: session, outputs: outputs)
    }

    /// Opens a file whose name need not be valid UTF-8, like `init(_:session:outputs:)`.
    public convenience init(
        path: AudioFilePath, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        try self.init(.file(path), session: session, outputs: outputs)
    }

    /// Opens a file for a bus, like `init(_:session:on:)`.
    public convenience init(path: String, session: AudioSession = .shared, on bus: any AudioBus) throws {
        try self.init(.file(path), session: session, on: bus)
    }

    /// Opens a file whose name need not be valid UTF-8 for a bus, like `init(_:session:on:)`.
    public convenience init(path: AudioFilePath, session: AudioSession = .shared, on bus: any AudioBus) throws {
        try self.init(.file(path), session: session, on: bus)
    }

    private init(_ content: SourceContent, _ session: AudioSession, _ bus: any AudioBus) throws {
        self.content = content
        playback = try Playback(content, session: session, bus: bus)
        playback.listen { [weak self] event in self?.report(event) }
    }

    // MARK: Playing

    /// Starts playback from the current position, or from the beginning if the position is the end.
    /// Activates the session first if necessary (keeps ACT-15). `fadeDuration` in seconds fades in,
    /// at most 3,600; nil: not at all, or 5 ms after a pause.
    ///
    /// While the player is playing, the call has no effect. After the last frame it starts again,
    /// whether or not the end has been reported. Throws errors of the session, the server, the
    /// source and the engine; then nothing plays.
    public func play(fadeDuration: Double? = nil) throws { try playback.play(fadeSeconds: fadeDuration) }

    /// Starts playback on exactly an engine frame (`AudioEngine.currentFrame`); at once if it has
    /// passed. Players that start on one frame stay together, sample for sample.
    ///
    /// Until then the player counts as playing. `pause()` and `stop()` cancel the start, and an
    /// interruption suspends it: when it ends, the start keeps its frame, or takes place at once.
    /// Otherwise like the other method.
    public func play(atFrame frame: UInt64, fadeDuration: Double? = nil) throws {
        try playback.play(atFrame: frame, fadeSeconds: fadeDuration)
    }

    /// Pauses playback; the next `play()` resumes at the frame after the last audible one.
    /// `fadeDuration` in seconds fades out, 5 ms by default.
    ///
    /// During an interruption, it cancels the automatic resumption (keeps INT-7).
    public func pause(fadeDuration: Double? = nil) { playback.pause(fadeSeconds: fadeDuration) }

    /// Stops playback and keeps the position. `fadeDuration` in seconds fades out, 5 ms by default;
    /// the position is that at the call.
    public func stop(fadeDuration: Double? = nil) { playback.stop(fadeSeconds: fadeDuration) }

    /// Whether the player is playing, or will at a frame. An interruption pauses the player, so it
    /// makes this false; a muted or ducked session does not.
    public var isPlaying: Bool { playback.isPlaying }

    /// Whether the player is paused part-way: `play()` will resume it (ACT-17).
    public var isPaused: Bool { playback.isPaused }

    // MARK: Position and repetitions

    /// The position in seconds of the source; set it to seek. Values beyond the ends are clamped.
    /// Setting it to the end during playback ends playback, or continues with the next repetition
    /// if the loop ends there.
    public var currentTime: Double {
        get { min(playback.position.frame / Double(fileSampleRate), duration) }
        set {
            playback.move { [content] state in content.position(at: newValue, isPlaying: state.phase == .playing) }
        }
    }

    /// The position as a frame of the source; set it to seek, as with `currentTime`.
    public var currentFrame: Int64 {
        get { Int64(min(playback.position.frame, frameCount.map(Double.init) ?? .infinity).rounded()) }
        set { currentTime = Double(newValue) / Double(fileSampleRate) }
    }

    /// The number of repetitions after the first pass; a negative number repeats forever. Takes
    /// effect at the next start or seek.
    public var numberOfLoops: Int {
        get { content.loops }
        set { content.loops = newValue }
    }

    /// The frames that repeat; nil, as initially: all. The frames after them are played after the
    /// last repetition. A start or seek beyond them repeats nothing.
    public var loop: Range<Int64>? { content.loop }

    /// Sets the frames that repeat, from the next start or seek on. Throws badParam for a range
    /// that is empty, or not within the source.
    public func setLoop(_ frames: Range<Int64>?) throws {
        if let frames, frames.isEmpty || frames.lowerBound < 0 || frames.upperBound > frameCount ?? .max {
            throw AudioSessionError(
                .badParam,
                """
                A loop over the frames \(frames) was requested; it must have at least one frame, and '\(path)' has the \
                frames 0..<\(frameCount.map(String.init) ?? "…").
                """)
        }
        content.loop = frames
    }

    /// Repeats no more: playback continues after the loop. Repetitions that have been read ahead,
    /// about one second, are still played.
    public func leaveLoop() { content.leaveLoop() }

    // MARK: Events

    /// What the player does when an interruption ends.
    public var resumePolicy: ResumePolicy {
        get { playback.state.withLock { $0.resumePolicy } }
        set { playback.state.withLock { $0.resumePolicy = newValue } }
    }

    /// Sets the handler that is called when playback ends on its own: on a thread of the engine, or
    /// on the caller's thread if `play()` or a seek finds or causes the end.
    public func onFinish(_ handler: (@Sendable (AudioPlayer, Ending) -> Void)?) {
        finishHandler.withLock { $0 = handler }
    }

    /// The events from now on, until the player is released.
    public var events: AsyncStream<Event> { listeners.sequence }

    /// The number of samples read so far that were NaN or infinite and were replaced by silence.
    public var nonFiniteSampleCount: Int {
        playback.state.withLock { $0.nonFiniteSamples + ($0.stream?.nonFiniteSampleCount ?? 0) }
    }

    /// The number of frames that the source delivered too late since playback last started or
    /// sought; 0 while the player is stopped.
    public var underrunFrames: UInt64 { playback.state.withLock { $0.voice }?.underrunFrames ?? 0 }

    private func report(_ event: Playback.Event) {
        switch event {
        case .pausedBySession: listeners.send(.pausedBySession)
        case .resumed: listeners.send(.resumed)
        case .finished(let defect): end(defect.map { .damaged($0) } ?? .finished)
        case .movedToEnd: end(.finished)
        case .failed(let error): end(Ending(error))
        }
    }

    private func end(_ ending: Ending) {
        listeners.send(.ended(ending))
        finishHandler.withLock { $0 }?(self, ending)
    }
}
