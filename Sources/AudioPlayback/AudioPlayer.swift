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
        /// The file turned out damaged; what it holds was played.
        case damaged(AudioFileError)
    }

    /// The file.
    public let path: String
    /// Length of the file, once through.
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
    private let bus: SessionBus
    let state: Locked<State>
    private let observation: Locked<EngineObservation?>

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
        var nonFiniteSamples = 0
        var resumePolicy = ResumePolicy.automatic
        var onFinish: (@Sendable (AudioPlayer, Ending) -> Void)?
    }

    enum Phase { case stopped, playing, paused }

    /// Opens a file for a session; nothing is activated or heard yet. Throws `AudioFileError` when the file cannot be played, or
    /// what kept the session from being made.
    public init(path: String, session: AudioSession = .shared) throws {
        let file = try AudioFile(path: path)
        engine = try session.engine
        bus = try session.bus
        self.path = path
        self.session = session
        duration = file.duration
        fileSampleRate = file.sampleRate
        channels = file.channels
        formatDescription = file.formatDescription
        state = Locked(State())
        observation = Locked(nil)
        session.attach(self)
        let watch = engine.observe { [weak self] event in self?.follow(event) }
        observation.withLock { $0 = watch }
    }

    deinit {
        if let voice = state.withLock({ $0.voice }) { try? voice.stop(fadeFrames: fadeFrames) }
    }

    // MARK: Playing

    /// Plays, from where it stands; activates the session first if need be (keeps ACT-15). Throws what the session, the server or the
    /// engine refuse; then nothing plays.
    public func play() throws {
        try session.activateToStart()
        let paused = state.withLock { state in state.phase == .paused ? state.voice : nil }
        if let paused, paused.state != .ended {
            try paused.resume(fadeFrames: fadeFrames)
            state.withLock { $0.phase = .playing }
        } else {
            try start(at: currentTime, fadeFrames: 0)
        }
        session.participantsChanged()
    }

    /// Pauses: the next `play()` goes on at the frame after the last heard.
    ///
    /// During an interruption it takes back that it would go on by itself (keeps INT-7).
    public func pause() {
        let (voice, wasWaiting) = state.withLock { state in
            let wasWaiting = state.wasPlaying
            state.wasPlaying = false
            guard state.phase == .playing else { return (nil as Voice?, wasWaiting) }
            state.phase = .paused
            return (state.voice, wasWaiting)
        }
        if let voice { try? voice.pause(fadeFrames: fadeFrames) }
        if wasWaiting { session.userPaused() }
        session.participantsChanged()
    }

    /// Stops and keeps its place.
    public func stop() {
        let place = currentTime
        let voice = state.withLock { state in
            defer { state.voice = nil }
            state.phase = .stopped
            state.wasPlaying = false
            state.origin = place
            state.stream = nil
            return state.voice
        }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        session.participantsChanged()
    }

    /// Whether it plays, as far as it is up to it: an interruption makes this false.
    public var isPlaying: Bool { state.withLock { $0.phase == .playing } }

    /// Where it stands, in seconds of the file; set it to seek. Beyond the ends it is clamped.
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

    /// Goes to a volume over some seconds.
    public func setVolume(_ volume: Float, fadeDuration: Double) {
        guard volume >= 0, volume.isFinite, fadeDuration >= 0, fadeDuration.isFinite else { return }
        let voice = state.withLock { state in
            state.volume = volume
            return state.voice
        }
        if let voice { try? voice.setGain(volume, rampFrames: frames(fadeDuration)) }
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
        let place = min(max(0, time.isFinite ? time : 0), duration)
        let (phase, voice) = state.withLock { state in
            let voice = state.voice
            state.voice = nil
            state.stream = nil
            state.origin = place
            return (state.phase, voice)
        }
        guard phase != .stopped else { return }
        try? voice?.stop(fadeFrames: fadeFrames)
        do {
            try start(at: place, fadeFrames: fadeFrames, paused: phase == .paused)
        } catch {
            state.withLock { $0.phase = .stopped }
        }
    }

    private func start(at time: Double, fadeFrames: Int, paused: Bool = false) throws {
        let begin = time < duration ? time : 0
        let (volume, loops) = state.withLock { ($0.volume, $0.numberOfLoops < 0 ? Int.max : $0.numberOfLoops) }
        let stream = try FileStream(
            file: AudioFile(path: path), sampleRate: engine.format?.sampleRate ?? fileSampleRate,
            startFrame: Int64((begin * Double(fileSampleRate)).rounded()), loops: loops,
            readAhead: engine.configuration.readAhead)
        let voice = try engine.play(
            .stream(stream), on: bus, gain: volume, fadeInFrames: fadeFrames, paused: paused
        ) { [weak self] voice in self?.voiceEnded(voice) }
        state.withLock { state in
            state.nonFiniteSamples += state.stream?.nonFiniteSampleCount ?? 0
            state.voice = voice
            state.stream = stream
            state.origin = begin
            state.phase = paused ? .paused : .playing
        }
    }

    // Only the voice that plays now counts: those that a seek replaced end as well.
    private func voiceEnded(_ voice: Voice) {
        let (ending, handler) = state.withLock { state in
            guard state.voice === voice else {
                return (nil as Ending?, nil as (@Sendable (AudioPlayer, Ending) -> Void)?)
            }
            let ending = state.stream?.defect.map { Ending.damaged($0) } ?? .finished
            state.nonFiniteSamples += state.stream?.nonFiniteSampleCount ?? 0
            state.voice = nil
            state.stream = nil
            state.phase = .stopped
            state.origin = 0
            return (ending, state.onFinish)
        }
        guard let ending else { return }
        session.participantsChanged()
        handler?(self, ending)
    }

    // A server of another rate: what is in the ring was made for the old one (keeps HW-3, HW-5).
    private func follow(_ event: EngineEvent) {
        let format: HardwareFormat
        switch event {
        case .driver(.formatChanged(let new)), .driver(.serverReturned(let new)): format = new
        default: return
        }
        let place = currentTime
        let isOutdated = state.withLock { $0.stream.map { $0.sampleRate != format.sampleRate } ?? false }
        if isOutdated { seek(to: place) }
    }
}
