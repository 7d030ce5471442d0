public import AudioRendering
public import AudioSessions

/// Plays a sound file through a session, and obeys it: silent when interrupted, going on at the very next frame.
///
/// Every method is safe from any thread. Times are in seconds of the file.
public final class AudioPlayer: Sendable {
    /// What it does when an interruption ends with `shouldResume` (INT-9).
    public enum ResumePolicy: Equatable, Sendable {
        /// As the session's category and mode suggest.
        case automatic
        /// It goes on if it was playing, whether or not the system recommends it.
        case always
        /// It waits for `play()`.
        case never
    }

    /// Why playing ended by itself.
    public enum Ending: Equatable, Sendable {
        /// The whole file was played, loops included.
        case finished
        /// The file turned out damaged, or is gone; what could be read was played.
        case damaged(AudioFileError)
        /// The engine could not go on with it.
        case refused(AudioEngineError)
    }

    /// The file.
    public let path: String
    /// Length of the file, once through; infinite when the file does not tell.
    public let duration: Double
    /// Frames per second of the file.
    public let fileSampleRate: Int
    /// Channels of the file.
    public let channels: Int
    /// Encoding, for people.
    public let formatDescription: String
    /// The session it plays in.
    public let session: AudioSession

    private let engine: AudioEngine
    private let bus: any AudioBus
    let state: Locked<State>
    /// Held while a voice is started, paused, resumed or replaced, so that these come one after the other. Never across a call that
    /// waits for the server or tells the app.
    let operation = Locked(())

    struct State {
        var voice: Voice?
        var stream: FileStream?
        /// Where in the file the voice's stream began, in seconds.
        var origin = 0.0
        var phase = Phase.stopped
        /// Playing when the interruption began: candidates for going on.
        var wasPlaying = false
        var volume: Float = 1
        var numberOfLoops = 0
        /// What the present stream began with; `Int.max` is for ever.
        var streamLoops = 0
        var nonFiniteSamples = 0
        var resumePolicy = ResumePolicy.automatic
        var onFinish: (@Sendable (AudioPlayer, Ending) -> Void)?
    }

    enum Phase { case stopped, playing, paused }

    /// Opens a file for a session; nothing is activated or heard yet. `outputs` are ports of its route to play on, nil: all (MULTI-1). Throws
    /// `AudioFileError` when the file cannot be played, what kept the session from being made, or badParam for a port that is not in the route.
    public convenience init(
        path: String, session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil
    ) throws {
        let file = try AudioFile(path: path)
        try self.init(file, path, session, outputs.map { try session.bus(to: $0) } ?? session.bus)
    }

    /// Opens a file for a bus of a session's desk (`SessionBus.setGraph`), as the above does for its own. Throws `invalidArgument` for a bus of another session.
    public convenience init(path: String, session: AudioSession = .shared, on bus: any AudioBus) throws {
        let file = try AudioFile(path: path)
        guard session.has(bus) else {
            throw AudioEngineError.invalidArgument(
                what: "a player on a bus of another session; give it that session, or a bus of this one")
        }
        try self.init(file, path, session, bus)
    }

    private init(_ file: AudioFile, _ path: String, _ session: AudioSession, _ bus: any AudioBus) throws {
        engine = try session.engine
        self.bus = bus
        self.path = path
        self.session = session
        duration = file.frameCount == 0 ? .infinity : file.duration
        fileSampleRate = file.sampleRate
        channels = file.channels
        formatDescription = file.formatDescription
        state = Locked(State())
        session.attach(self)
    }

    deinit {
        if let voice = state.withLock({ $0.voice }) { try? voice.stop(fadeFrames: fadeFrames) }
    }

    // MARK: Playing

    /// Plays, from where it stands, or from the beginning if it stands at the end; activates the session first if need be (keeps
    /// ACT-15). While it plays already, nothing changes; after its last frame it plays anew, whether or not its end has been told. Throws what the session, the server, the file or the engine refuse; then
    /// nothing plays.
    public func play() throws {
        try session.activateToStart()
        var ending: Ending?
        defer { if let ending { tell(ending) } }
        try operation.withLock { _ in
            let (phase, voice) = state.withLock { ($0.phase, $0.voice) }
            switch phase {
            case .playing:
                // At its end, which is not told yet: who asks now asks for another time.
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

    /// Pauses: the next `play()` goes on at the frame after the last heard.
    ///
    /// During an interruption it takes back that it would go on by itself (keeps INT-7).
    public func pause() {
        let wasWaiting = state.withLock { state in
            defer { state.wasPlaying = false }
            return state.wasPlaying
        }
        _ = operation.withLock { _ in pauseVoice() }
        if wasWaiting { session.userPaused() }
        session.participantsChanged()
    }

    /// Returns whether it was playing.
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

    /// Stops and keeps its place.
    public func stop() {
        operation.withLock { _ in
            let place = currentTime
            let voice = state.withLock { state in
                state.phase = .stopped
                state.wasPlaying = false
                return state.release(at: place)
            }
            if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        }
        session.participantsChanged()
    }

    /// Whether it plays, as far as it is up to it: an interruption makes this false.
    public var isPlaying: Bool { state.withLock { $0.phase == .playing } }

    /// Where it stands, in seconds of the file; set it to seek. Beyond the ends it is clamped: set to the end while playing, it ends, or goes on
    /// with the next loop.
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

    // MARK: Shaping

    /// Linear, 0…1 and beyond; changes over 5 ms. Values that are negative or no number change nothing.
    public var volume: Float {
        get { state.withLock { $0.volume } }
        set { setVolume(newValue, fadeDuration: 0.005) }
    }

    /// Goes to a volume over some seconds, at most an hour.
    public func setVolume(_ volume: Float, fadeDuration: Double) {
        guard volume >= 0, volume.isFinite, fadeDuration >= 0, fadeDuration.isFinite else { return }
        let voice = state.withLock { state in
            state.volume = volume
            return state.voice
        }
        if let voice { try? voice.setGain(volume, rampFrames: frames(min(fadeDuration, 3600))) }
    }

    /// How often it plays again after the first time; negative is for ever. Takes effect at the next start or seek.
    public var numberOfLoops: Int {
        get { state.withLock { $0.numberOfLoops } }
        set { state.withLock { $0.numberOfLoops = newValue } }
    }

    /// What it does when an interruption ends.
    public var resumePolicy: ResumePolicy {
        get { state.withLock { $0.resumePolicy } }
        set { state.withLock { $0.resumePolicy = newValue } }
    }

    /// Told when it ends by itself, on a thread of the engine's.
    public func onFinish(_ handler: (@Sendable (AudioPlayer, Ending) -> Void)?) {
        state.withLock { $0.onFinish = handler }
    }

    /// Samples of the file that were NaN or infinite, and became silence, so far.
    public var nonFiniteSampleCount: Int {
        state.withLock { $0.nonFiniteSamples + ($0.stream?.nonFiniteSampleCount ?? 0) }
    }

    /// Frames that the disk delivered too late, so far.
    public var underrunFrames: UInt64 { state.withLock { $0.voice?.underrunFrames ?? 0 } }

    // MARK: Inside

    private func frames(_ seconds: Double) -> Int { Int(seconds * Double(engine.format?.sampleRate ?? 48_000)) }

    /// 5 ms: no click, and no delay that anyone hears.
    var fadeFrames: Int { frames(0.005) }

    private func seek(to time: Double) {
        let place = min(max(0, time.isNaN ? 0 : time), duration)
        let loops = state.withLock { $0.numberOfLoops < 0 ? Int.max : $0.numberOfLoops }
        let ending: Ending? = operation.withLock { _ in
            guard isPlaying, place == duration else { return move(to: place, loops: loops) }
            // The end of a pass: the next one, if there is one.
            return loops > 0 ? move(to: 0, loops: loops == .max ? loops : loops - 1) : leave(with: .finished)
        }
        if let ending { tell(ending) }
    }

    /// Goes on at another place, as it is: playing, paused or stopped. Returns how it ended, if it cannot.
    private func move(to place: Double, loops: Int) -> Ending? {
        let (phase, voice) = state.withLock { ($0.phase, $0.release(at: place)) }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        guard phase != .stopped, place < duration else { return nil }
        do {
            try start(at: place, loops: loops, fadeFrames: fadeFrames, paused: phase == .paused)
            return nil
        } catch let error as AudioFileError {
            return leave(with: .damaged(error))
        } catch let error as AudioEngineError {
            return leave(with: .refused(error))
        } catch {
            return leave(with: .refused(.invalidArgument(what: "\(error)")))
        }
    }

    // Stopped, at the beginning.
    private func leave(with ending: Ending) -> Ending {
        let voice = state.withLock { state in
            state.phase = .stopped
            state.wasPlaying = false
            return state.release(at: 0)
        }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        return ending
    }

    private func tell(_ ending: Ending) {
        session.participantsChanged()
        state.withLock { $0.onFinish }?(self, ending)
    }

    private func start(at time: Double, loops: Int? = nil, fadeFrames: Int = 0, paused: Bool = false) throws {
        let begin = time < duration ? time : 0
        let (volume, setLoops) = state.withLock { ($0.volume, $0.numberOfLoops < 0 ? Int.max : $0.numberOfLoops) }
        let stream = try FileStream(
            file: AudioFile(path: path), sampleRate: engine.format?.sampleRate ?? fileSampleRate,
            startFrame: Int64((begin * Double(fileSampleRate)).rounded()), loops: loops ?? setLoops,
            readAhead: engine.configuration.readAhead)
        // Noted before it can end.
        let voice = try engine.play(
            .stream(stream), on: bus, gain: volume, fadeInFrames: fadeFrames, paused: true
        ) { [weak self] voice in self?.voiceEnded(voice) }
        state.withLock { state in
            _ = state.release(at: begin)
            state.voice = voice
            state.stream = stream
            state.streamLoops = loops ?? setLoops
            state.phase = paused ? .paused : .playing
        }
        if !paused { try voice.resume(fadeFrames: fadeFrames) }
    }

    /// Goes on. A stream that was made for another rate than the server's plays on by varispeed (HW-3); a pause is the place for a better one.
    private func resume(_ voice: Voice) throws {
        if let rate = engine.format?.sampleRate, state.withLock({ $0.stream?.sampleRate != rate }) {
            let place = currentTime
            let loops = state.withLock { state in
                defer { _ = state.release(at: place) }
                return state.loopsLeft(duration)
            }
            try? voice.stop(fadeFrames: fadeFrames)
            try start(at: place, loops: loops, fadeFrames: fadeFrames)
        } else {
            try voice.resume(fadeFrames: fadeFrames)
            state.withLock { $0.phase = .playing }
        }
    }

    private func voiceEnded(_ voice: Voice) {
        if let ending = end(of: voice) { tell(ending) } else { session.participantsChanged() }
    }

    /// Stops where it came to; returns what is to be told of that, once. Only the voice that plays now counts: those that a seek replaced end as well.
    private func end(of voice: Voice) -> Ending? {
        let place = currentTime
        return state.withLock { state in
            guard state.voice === voice, let stream = state.stream else { return nil }
            state.phase = .stopped
            // Its engine was closed under it: it stands where it was.
            guard voice.endReason == .finished else {
                _ = state.release(at: place)
                return nil
            }
            _ = state.release(at: 0)
            return stream.defect.map { .damaged($0) } ?? .finished
        }
    }
}

extension AudioPlayer.State {
    /// Gives the voice up; what it told stays. Returns it, to be stopped.
    mutating func release(at place: Double) -> Voice? {
        nonFiniteSamples += stream?.nonFiniteSampleCount ?? 0
        defer { voice = nil }
        stream = nil
        origin = place
        return voice
    }

    /// How often the present stream will still begin anew.
    func loopsLeft(_ duration: Double) -> Int {
        guard let voice, let stream, streamLoops != .max, duration > 0 else { return streamLoops }
        let passes = Int((origin + Double(voice.framesRendered) / Double(stream.sampleRate)) / duration)
        return max(0, streamLoops - passes)
    }
}
