internal import AudioRendering
internal import AudioSessions
internal import Platform

/// Plays a content in a session: one voice with its stream at a time, and the session's reactions.
/// `AudioPlayer` and `AudioQueuePlayer` differ in their contents.
///
/// Every method is safe from any thread.
final class Playback: Sendable {
    enum Phase { case stopped, playing, paused }

    enum Event {
        /// Playback has ended on its own; the stream's defect, if it has one.
        case finished(defect: AudioFileError?)
        /// A move beyond the end has ended playback.
        case movedToEnd
        /// Playback could not be continued.
        case failed(any Error)
        case pausedBySession
        case resumed
    }

    struct State {
        var voice: Voice?
        var stream: AudioStream?
        /// Where the next stream begins, while there is none.
        var origin: StreamPosition
        var phase = Phase.stopped
        /// Whether the player was playing when the interruption began, and may resume when it ends.
        var wasPlaying = false
        /// The engine frame of a timed start that may lie ahead.
        var startFrame: UInt64?
        var nonFiniteSamples = 0
        var resumePolicy = PlaybackResumePolicy.automatic
        var sound: Sound
    }

    /// How the voice sounds.
    struct Sound {
        var bus: any AudioBus
        var map: ChannelMap?
        var volume: Float = 1
        var pan: Float = 0
        var speed: Float = 1
        /// The tempo of the stream; the pitch remains.
        var rate: Float = 1
    }

    let session: AudioSession
    let engine: AudioEngine
    let content: any PlaybackContent
    let state: Mutex<State>
    /// Serializes starting, pausing, resuming and replacing a voice. Never held across a call that
    /// waits for the server or notifies the app.
    let operation = Mutex(())
    private let listener = Mutex<(@Sendable (Event) -> Void)?>(nil)
    /// Sends whenever the phase, the place or the speed of playback has changed by a call, an event
    /// of the session or the end; not as it advances.
    let changes = Broadcaster<Void>()
    /// Sends on the thread of the call before playback starts or resumes.
    let willStart = Broadcaster<Void>()

    /// Throws the error that prevented the session's creation.
    init(_ content: any PlaybackContent, session: AudioSession, bus: any AudioBus) throws {
        engine = try session.engine
        self.session = session
        self.content = content
        state = Mutex(State(origin: content.beginning, sound: Sound(bus: bus)))
        session.attach(self)
    }

    deinit {
        let (voice, isInUse) = state.withLock { ($0.voice, $0.phase != .stopped) }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        // The session no longer refers to this player, which may have been paused part-way
        // (ACT-17).
        if isInUse { session.participantsChanged() }
    }

    /// Sets the one listener: on a thread of the engine or the session, or on the caller's thread.
    func listen(_ body: @escaping @Sendable (Event) -> Void) { listener.withLock { $0 = body } }
    func report(_ event: Event) { listener.withLock { $0 }?(event) }

    // MARK: Playing

    /// Starts playback from the current position, or from the beginning if the position is the end.
    /// `frame`: on that engine frame; nil: now. Activates the session first if necessary (keeps
    /// ACT-15).
    ///
    /// While the player is playing, the call has no effect. After the last frame it starts again,
    /// whether or not the end has been reported. `ifInterrupted`: only if an interruption has
    /// paused the player, and no call has paused or stopped it since. Returns false if that is not
    /// so.
    @discardableResult
    func play(atFrame frame: UInt64? = nil, fadeSeconds: Double? = nil, ifInterrupted: Bool = false) throws -> Bool {
        if ifInterrupted, !state.withLock({ $0.wasPlaying }) { return false }
        willStart.send(())
        // ACT-15: what cannot be played interrupts no other session.
        let isOpen = state.withLock { $0.voice.map { $0.state != .ended } ?? false }
        if !session.isActive, !isOpen { try content.check(position) }
        try session.activateToStart()
        var ending: Event?
        // Also if it fails: the phase may have changed.
        defer { if let ending { end(ending) } else { changed() } }
        return try operation.withLock { _ in
            let (phase, voice, wasPlaying) = state.withLock { ($0.phase, $0.voice, $0.wasPlaying) }
            if ifInterrupted, !wasPlaying { return false }
            let fade = fadeSeconds.map(frames)
            switch phase {
            case .playing:
                // The voice has ended, but its end is not reported yet: the call starts playback
                // again.
                guard let voice, voice.state == .ended else { return true }
                ending = takeEnding(of: voice)
                try start(at: position, fadeFrames: fade ?? 0, atFrame: frame)
            case .paused:
                if let voice, voice.state != .ended {
                    try resume(voice, fadeFrames: fade ?? fadeFrames, atFrame: frame)
                } else {
                    try start(at: position, fadeFrames: fade ?? 0, atFrame: frame)
                }
            case .stopped: try start(at: position, fadeFrames: fade ?? 0, atFrame: frame)
            }
            return true
        }
    }

    /// Pauses playback; the next `play()` resumes at the frame after the last audible one. Cancels
    /// a timed start and, during an interruption, the automatic resumption (keeps INT-7).
    func pause(fadeSeconds: Double? = nil) {
        let cancelsResumption = state.withLock { state in
            defer { state.wasPlaying = false }
            return state.wasPlaying
        }
        operation.withLock { _ in
            pauseVoice(fadeFrames: fadeSeconds.map(frames))
            state.withLock { $0.startFrame = nil }
        }
        if cancelsResumption { session.userPaused() }
        changed()
    }

    /// Pauses the voice with a fade of `fadeFrames`; nil means 5 ms. Returns whether the player was
    /// playing. The caller holds `operation`.
    @discardableResult
    func pauseVoice(fadeFrames: Int? = nil) -> Bool {
        let now = engine.currentFrame
        let (paused, waiting, wasPlaying) = state.withLock { state -> (Voice?, Voice?, Bool) in
            guard state.phase == .playing else { return (nil, nil, false) }
            state.phase = .paused
            // The core would still obey the command to start at a later frame: a voice that waits
            // for one is replaced.
            guard let frame = state.startFrame, frame > now else { return (state.voice, nil, true) }
            let position = state.position
            return (nil, state.release(at: position), true)
        }
        if let paused { try? paused.pause(fadeFrames: fadeFrames ?? self.fadeFrames) }
        if let waiting { try? waiting.stop(fadeFrames: self.fadeFrames) }
        return wasPlaying
    }

    /// Stops playback and keeps the position.
    func stop(fadeSeconds: Double? = nil) {
        operation.withLock { _ in
            content.streamWasReleased()
            let position = position
            let voice = state.withLock { state in
                state.phase = .stopped
                state.wasPlaying = false
                state.startFrame = nil
                return state.release(at: position)
            }
            if let voice { try? voice.stop(fadeFrames: fadeSeconds.map(frames) ?? fadeFrames) }
        }
        changed()
    }

    /// Moves to another position, and stays playing, paused or stopped. `position` is computed
    /// while no other call changes the position; nil: playback ends. Returns the error for which
    /// playback could not be continued there.
    @discardableResult
    func move(to position: (State) -> StreamPosition?) -> (any Error)? {
        // What has been heard until now is reported first.
        state.withLock { $0.stream }?.reportPassedSegments()
        let ending: Event? = operation.withLock { _ in
            content.streamWasReleased()
            guard let position = state.withLock({ position($0) }) else {
                let wasStopped = state.withLock { $0.phase == .stopped }
                let ending = endPlayback(.movedToEnd)
                return wasStopped ? nil : ending
            }
            let (phase, voice, frame) = state.withLock { ($0.phase, $0.release(at: position), $0.startFrame) }
            if let voice { try? voice.stop(fadeFrames: fadeFrames) }
            guard phase != .stopped else { return nil }
            if content.isEnd(position) { return phase == .playing ? endPlayback(.movedToEnd) : nil }
            do {
                try start(at: position, fadeFrames: fadeFrames, atFrame: frame, paused: phase == .paused)
                return nil
            } catch { return endPlayback(.failed(error)) }
        }
        if let ending { end(ending) } else { changes.send(()) }
        if case .failed(let error) = ending { return error }
        return nil
    }

    var isPlaying: Bool { state.withLock { $0.phase == .playing } }
    var isPaused: Bool { state.withLock { $0.phase == .paused } }
    var position: StreamPosition { state.withLock { $0.position } }

    /// Seconds in frames of the engine; at most 3,600, and 0 for a NaN.
    func frames(_ seconds: Double) -> Int {
        guard seconds > 0 else { return 0 }
        return Int(min(seconds, 3600) * Double(engine.format?.sampleRate ?? 48_000))
    }

    /// 5 ms in frames: short enough not to be heard as a delay, long enough not to click.
    var fadeFrames: Int { frames(0.005) }

    // MARK: Inside

    /// Stops playback, moves to the beginning, and returns the ending for the caller to report.
    private func endPlayback(_ ending: Event) -> Event {
        let voice = state.withLock { state in
            state.phase = .stopped
            state.wasPlaying = false
            state.startFrame = nil
            return state.release(at: content.beginning)
        }
        if let voice { try? voice.stop(fadeFrames: fadeFrames) }
        return ending
    }

    /// Reports to the session and to the listener that playback has stopped.
    private func end(_ ending: Event) {
        changed()
        report(ending)
    }

    /// Starts a new voice at a position.
    private func start(
        at position: StreamPosition, fadeFrames: Int = 0, atFrame frame: UInt64? = nil, paused: Bool = false
    ) throws {
        let sound = state.withLock { $0.sound }
        let stream = try content.open(
            at: position,
            StreamSettings(
                sampleRate: engine.format?.sampleRate, busChannels: sound.bus.channels,
                readAhead: engine.configuration.readAhead, tempo: Double(sound.rate)))
        // Started paused, so that the voice is stored before it can end.
        let voice = try engine.play(
            .stream(stream), on: sound.bus, gain: sound.volume, pan: Pan(sound.pan), speed: sound.speed,
            map: try sound.map(from: stream.channels), fadeInFrames: fadeFrames, paused: true
        ) { [weak self] voice in self?.voiceEnded(voice) }
        state.withLock { state in
            _ = state.release(at: position)
            state.voice = voice
            state.stream = stream
            state.startFrame = frame
            state.phase = paused ? .paused : .playing
        }
        guard !paused else { return }
        do {
            try voice.resume(fadeFrames: fadeFrames, at: frame)
        } catch {
            state.withLock { state in
                _ = state.release(at: position)
                state.phase = .stopped
            }
            try? voice.stop()
            throw error
        }
    }

    /// Resumes playback. If the server's rate has changed, replaces the stream with one at the new
    /// rate: until then, the old stream plays at a scaled speed (HW-3).
    private func resume(_ voice: Voice, fadeFrames: Int, atFrame frame: UInt64?) throws {
        if let rate = engine.format?.sampleRate, state.withLock({ $0.stream?.sampleRate != rate }) {
            let position = position
            state.withLock { _ = $0.release(at: position) }
            try? voice.stop(fadeFrames: fadeFrames)
            try start(at: position, fadeFrames: fadeFrames, atFrame: frame)
        } else {
            try voice.resume(fadeFrames: fadeFrames, at: frame)
            state.withLock { state in
                state.startFrame = frame
                state.phase = .playing
            }
        }
    }

    /// Reports to the session and to the observers that playback has started, paused or stopped.
    func changed() {
        session.participantsChanged()
        changes.send(())
    }

    private func voiceEnded(_ voice: Voice) {
        if case .stream(let stream) = voice.source { stream.reportPassedSegments() }
        if let ending = takeEnding(of: voice) { end(ending) } else { changed() }
    }

    /// Stops the player after its voice has ended. Returns the ending to report; nil if there is
    /// none, or if `voice` is not the current one: voices that a seek replaced end as well.
    private func takeEnding(of voice: Voice) -> Event? {
        state.withLock { state in
            guard state.voice === voice, let stream = state.stream else { return nil }
            state.phase = .stopped
            state.startFrame = nil
            // The engine was closed, or the voice was stolen or refused: the player keeps its
            // position.
            guard voice.endReason == .finished else {
                let position = state.position
                _ = state.release(at: position)
                return nil
            }
            // An interruption may have come between the last frame and this.
            state.wasPlaying = false
            _ = state.release(at: content.beginning)
            return .finished(defect: stream.defect)
        }
    }
}
