public import AudioRendering
// Importing AudioPlayback is enough to use the session and the engine of a player.
@_exported public import AudioSessions
internal import Platform

/// Plays a sound file in a session. An interruption pauses it; if its resume policy allows it,
/// playback afterwards resumes at exactly the next frame.
///
/// Every method is safe from any thread. Times are in seconds of the file.
public final class AudioPlayer: Sendable {
    /// What the player does when an interruption ends (INT-9).
    public enum ResumePolicy: Equatable, Sendable {
        /// Resumes in ambient and soloAmbient; in other categories, if the system recommends it and
        /// the mode is default, moviePlayback or spokenAudio.
        case automatic
        /// Resumes if it was playing, whether or not the system recommends it.
        case always
        /// Stays paused until `play()`.
        case never
    }

    /// Why playback ended on its own.
    public enum Ending: Equatable, Sendable {
        /// The whole file was played, including loops.
        case finished
        /// The file is damaged or no longer exists; the readable part was played.
        case damaged(AudioFileError)
        /// The engine could not continue playback.
        case refused(AudioEngineError)
    }

    /// The path of the file, as text.
    public var path: String { filePath.description }
    private let filePath: AudioFilePath
    /// The length of the file, in seconds, without loops; infinite if the file does not declare it.
    public let duration: Double
    /// The file's sample rate, in Hz.
    public let fileSampleRate: Int
    /// The file's channel count.
    public let channels: Int
    /// The file's encoding, for display.
    public let formatDescription: String
    /// The session that the player plays in.
    public let session: AudioSession

    private let engine: AudioEngine
    private let bus: any AudioBus
    let state: Mutex<State>
    /// Serializes starting, pausing, resuming and replacing a voice. Never held across a call that
    /// waits for the server or notifies the app.
    let operation = Mutex(())

    struct State {
        var voice: Voice?
        var stream: FileStream?
        /// The position in the file where the voice's stream began, in seconds.
        var origin = 0.0
        var phase = Phase.stopped
        /// Whether the player was playing when the interruption began, and may resume when it ends.
        var wasPlaying = false
        var volume: Float = 1
        var numberOfLoops = 0
        /// The number of repetitions that the current stream began with; `Int.max` repeats forever.
        var streamLoops = 0
        var nonFiniteSamples = 0
        var resumePolicy = ResumePolicy.automatic
        var onFinish: (@Sendable (AudioPlayer, Ending) -> Void)?
    }

    enum Phase { case stopped, playing, paused }

    /// Opens a file for a session, without activating the session or playing anything.
    ///
    /// `outputs` are ports of the session's route to play on; nil: all (MULTI-1). Throws
    /// `AudioFileError` if the file cannot be played, the error that prevented the session's
    /// creation, or `badParam` for a port that is not in the route.
    public convenience init(
        path: String, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        try self.init(path: AudioFilePath(path), session: session, outputs: outputs)
    }

    /// Opens a file whose name need not be valid UTF-8, like the other initializer.
    public convenience init(
        path: AudioFilePath, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        let file = try AudioFile(path: path)
        try self.init(file, path, session, outputs.map { try session.bus(to: $0) } ?? session.bus)
    }

    /// Opens a file for a bus of a session's mixer (`SessionBus.setGraph`), without activating the
    /// session or playing anything. Throws `AudioFileError` if the file cannot be played, the error
    /// that prevented the session's creation, or `invalidArgument` for a bus of another session.
    public convenience init(path: String, session: AudioSession = .shared, on bus: any AudioBus) throws {
        try self.init(path: AudioFilePath(path), session: session, on: bus)
    }

    /// Opens a file whose name need not be valid UTF-8, for a bus, like the other initializer.
    public convenience init(path: AudioFilePath, session: AudioSession = .shared, on bus: any AudioBus) throws {
        let file = try AudioFile(path: path)
        guard session.has(bus) else {
            throw AudioEngineError.invalidArgument(
                what: "a player on a bus of another session; pass that session, or a bus of this one")
        }
        try self.init(file, path, session, bus)
    }

    private init(_ file: AudioFile, _ path: AudioFilePath, _ session: AudioSession, _ bus: any AudioBus) throws {
        engine = try session.engine
        self.bus = bus
        filePath = path
        self.session = session
        duration = file.frameCount == 0 ? .infinity : file.duration
        fileSampleRate = file.sampleRate
        channels = file.channels
        formatDescription = file.formatDescription
        state = Mutex(State())
        session.attach(self)
    }

    deinit {
        let (voice, isInUse) = state.withLock { ($0.voice, $0.phase != .stopped) }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        // The session no longer refers to this player, which may have been paused part-way
        // (ACT-17).
        if isInUse { session.participantsChanged() }
    }

    // MARK: Playing

    /// Starts playback from the current position, or from the beginning if the position is the end.
    /// Activates the session first if necessary (keeps ACT-15).
    ///
    /// While the player is playing, the call has no effect. After the last frame it starts again,
    /// whether or not the end has been reported. Throws errors of the session, the server, the file
    /// and the engine; then nothing plays.
    public func play() throws {
        // ACT-15: a file that cannot be read interrupts no other session.
        let isOpen = state.withLock { $0.voice.map { $0.state != .ended } ?? false }
        if !session.isActive, !isOpen { _ = try AudioFile(path: filePath) }
        try session.activateToStart()
        var ending: Ending?
        defer { if let ending { report(ending) } }
        try operation.withLock { _ in
            let (phase, voice) = state.withLock { ($0.phase, $0.voice) }
            switch phase {
            case .playing:
                // The voice has ended, but its end is not reported yet: the call starts playback
                // again.
                guard let voice, voice.state == .ended else { return }
                ending = end(of: voice)
                try start(at: currentTime)
            case .paused:
                if let voice, voice.state != .ended {
                    try resume(voice)
                } else {
                    try start(at: currentTime)
                }
            case .stopped: try start(at: currentTime)
            }
        }
        session.participantsChanged()
    }

    /// Pauses playback; the next `play()` resumes at the frame after the last audible one.
    ///
    /// During an interruption, it cancels the automatic resumption (keeps INT-7).
    public func pause() {
        let cancelsResumption = state.withLock { state in
            defer { state.wasPlaying = false }
            return state.wasPlaying
        }
        _ = operation.withLock { _ in pauseVoice() }
        if cancelsResumption { session.userPaused() }
        session.participantsChanged()
    }

    /// Pauses the voice with a fade of `fadeFrames`; nil means 5 ms. Returns whether the player was
    /// playing.
    @discardableResult
    func pauseVoice(fadeFrames: Int? = nil) -> Bool {
        let (voice, wasPlaying) = state.withLock { state in
            guard state.phase == .playing else { return (nil as Voice?, false) }
            state.phase = .paused
            return (state.voice, true)
        }
        if let voice { try? voice.pause(fadeFrames: fadeFrames ?? self.fadeFrames) }
        return wasPlaying
    }

    /// Stops playback and keeps the position.
    public func stop() {
        operation.withLock { _ in
            let position = currentTime
            let voice = state.withLock { state in
                state.phase = .stopped
                state.wasPlaying = false
                return state.release(at: position)
            }
            if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        }
        session.participantsChanged()
    }

    /// Whether the player is playing. An interruption pauses the player, so it makes this false; a
    /// muted or ducked session does not.
    public var isPlaying: Bool { state.withLock { $0.phase == .playing } }

    /// The position in seconds of the file; set it to seek. Values beyond the ends are clamped.
    /// Setting it to the end during playback ends playback, or continues with the next repetition.
    public var currentTime: Double {
        get {
            state.withLock { state in
                guard let voice = state.voice, let stream = state.stream else { return state.origin }
                let time = state.origin + Double(voice.framesRendered) / Double(stream.sampleRate)
                return time < duration
                    ? time : state.numberOfLoops == 0 ? duration : time.truncatingRemainder(dividingBy: duration)
            }
        }
        set { seek(to: newValue) }
    }

    // MARK: Volume, repetitions and events

    /// The volume: a linear gain, 0 or more; above 1 it amplifies. A new value is reached in 5 ms.
    /// The player ignores negative and non-finite values.
    public var volume: Float {
        get { state.withLock { $0.volume } }
        set { setVolume(newValue, fadeDuration: 0.005) }
    }

    /// Ramps to a volume (a linear gain) over `fadeDuration` seconds; more than 3,600 count as
    /// 3,600. The player ignores the call if a value is negative or not finite.
    public func setVolume(_ volume: Float, fadeDuration: Double) {
        guard volume >= 0, volume.isFinite, fadeDuration >= 0, fadeDuration.isFinite else { return }
        let voice = state.withLock { state in
            state.volume = volume
            return state.voice
        }
        if let voice { try? voice.setGain(volume, rampFrames: frames(min(fadeDuration, 3600))) }
    }

    /// The number of repetitions after the first pass; a negative number repeats forever. Takes
    /// effect at the next start or seek.
    public var numberOfLoops: Int {
        get { state.withLock { $0.numberOfLoops } }
        set { state.withLock { $0.numberOfLoops = newValue } }
    }

    /// What the player does when an interruption ends.
    public var resumePolicy: ResumePolicy {
        get { state.withLock { $0.resumePolicy } }
        set { state.withLock { $0.resumePolicy = newValue } }
    }

    /// Sets the handler that is called when playback ends on its own: on a thread of the engine, or
    /// on the caller's thread if `play()` or a seek finds or causes the end.
    public func onFinish(_ handler: (@Sendable (AudioPlayer, Ending) -> Void)?) {
        state.withLock { $0.onFinish = handler }
    }

    /// The number of samples read so far that were NaN or infinite and were replaced by silence.
    public var nonFiniteSampleCount: Int {
        state.withLock { $0.nonFiniteSamples + ($0.stream?.nonFiniteSampleCount ?? 0) }
    }

    /// The number of frames that the disk delivered too late since playback last started or sought;
    /// 0 while the player is stopped.
    public var underrunFrames: UInt64 { state.withLock { $0.voice?.underrunFrames ?? 0 } }

    // MARK: Inside

    private func frames(_ seconds: Double) -> Int { Int(seconds * Double(engine.format?.sampleRate ?? 48_000)) }

    /// 5 ms in frames: short enough not to be heard as a delay, long enough not to click.
    var fadeFrames: Int { frames(0.005) }

    private func seek(to time: Double) {
        let position = min(max(0, time.isNaN ? 0 : time), duration)
        let loops = state.withLock { $0.numberOfLoops < 0 ? Int.max : $0.numberOfLoops }
        let ending: Ending? = operation.withLock { _ in
            guard isPlaying, position == duration else { return move(to: position, loops: loops) }
            // A seek to the end skips the rest of this pass: the next repetition follows, if any.
            return loops > 0 ? move(to: 0, loops: loops == .max ? loops : loops - 1) : endPlayback(with: .finished)
        }
        if let ending { report(ending) }
    }

    /// Moves to another position and stays playing, paused or stopped. Returns the ending if the
    /// stream cannot be started there.
    private func move(to position: Double, loops: Int) -> Ending? {
        let (phase, voice) = state.withLock { ($0.phase, $0.release(at: position)) }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        guard phase != .stopped, position < duration else { return nil }
        do {
            try start(at: position, loops: loops, fadeFrames: fadeFrames, paused: phase == .paused)
            return nil
        } catch let error as AudioFileError {
            return endPlayback(with: .damaged(error))
        } catch let error as AudioEngineError {
            return endPlayback(with: .refused(error))
        } catch {
            return endPlayback(with: .refused(.invalidArgument(what: "\(error)")))
        }
    }

    // Stops playback, moves to the beginning, and returns the ending for the caller to report.
    private func endPlayback(with ending: Ending) -> Ending {
        let voice = state.withLock { state in
            state.phase = .stopped
            state.wasPlaying = false
            return state.release(at: 0)
        }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        return ending
    }

    /// Reports to the session that the player has stopped, and calls the app's handler.
    private func report(_ ending: Ending) {
        session.participantsChanged()
        state.withLock { $0.onFinish }?(self, ending)
    }

    /// Starts a new voice at `time`, or at the beginning if `time` is the end. `loops` is the
    /// number of repetitions; nil: `numberOfLoops`.
    private func start(at time: Double, loops: Int? = nil, fadeFrames: Int = 0, paused: Bool = false) throws {
        let begin = time < duration ? time : 0
        let (volume, configuredLoops) = state.withLock {
            ($0.volume, $0.numberOfLoops < 0 ? Int.max : $0.numberOfLoops)
        }
        let stream = try FileStream(
            file: AudioFile(path: filePath), sampleRate: engine.format?.sampleRate ?? fileSampleRate,
            startFrame: Int64((begin * Double(fileSampleRate)).rounded()), loops: loops ?? configuredLoops,
            readAhead: engine.configuration.readAhead)
        // Started paused, so that the voice is stored before it can end.
        let voice = try engine.play(
            .stream(stream), on: bus, gain: volume, fadeInFrames: fadeFrames, paused: true
        ) { [weak self] voice in self?.voiceEnded(voice) }
        state.withLock { state in
            _ = state.release(at: begin)
            state.voice = voice
            state.stream = stream
            state.streamLoops = loops ?? configuredLoops
            state.phase = paused ? .paused : .playing
        }
        if !paused { try voice.resume(fadeFrames: fadeFrames) }
    }

    /// Resumes playback. If the server's rate has changed, replaces the stream with one at the new
    /// rate: until then, the old stream plays at a scaled speed (HW-3).
    private func resume(_ voice: Voice) throws {
        if let rate = engine.format?.sampleRate, state.withLock({ $0.stream?.sampleRate != rate }) {
            let position = currentTime
            let loops = state.withLock { state in
                defer { _ = state.release(at: position) }
                return state.loopsLeft(duration)
            }
            try? voice.stop(fadeFrames: fadeFrames)
            try start(at: position, loops: loops, fadeFrames: fadeFrames)
        } else {
            try voice.resume(fadeFrames: fadeFrames)
            state.withLock { $0.phase = .playing }
        }
    }

    private func voiceEnded(_ voice: Voice) {
        if let ending = end(of: voice) { report(ending) } else { session.participantsChanged() }
    }

    /// Stops the player after its voice has ended. Returns the ending to report; nil if there is
    /// none, or if `voice` is not the current one: voices that a seek replaced end as well.
    private func end(of voice: Voice) -> Ending? {
        let position = currentTime
        return state.withLock { state in
            guard state.voice === voice, let stream = state.stream else { return nil }
            state.phase = .stopped
            // The engine was closed, or the voice was stolen or refused: the player keeps its
            // position.
            guard voice.endReason == .finished else {
                _ = state.release(at: position)
                return nil
            }
            _ = state.release(at: 0)
            return stream.defect.map { .damaged($0) } ?? .finished
        }
    }
}

extension AudioPlayer.State {
    /// Releases the voice and its stream, keeps the count of non-finite samples, and sets the
    /// position. Returns the voice, for the caller to stop.
    mutating func release(at position: Double) -> Voice? {
        nonFiniteSamples += stream?.nonFiniteSampleCount ?? 0
        defer { voice = nil }
        stream = nil
        origin = position
        return voice
    }

    /// Returns how often the current stream will still repeat.
    func loopsLeft(_ duration: Double) -> Int {
        guard let voice, let stream, streamLoops != .max, duration > 0 else { return streamLoops }
        let passes = Int((origin + Double(voice.framesRendered) / Double(stream.sampleRate)) / duration)
        return max(0, streamLoops - passes)
    }
}
