public import AudioRendering
@_exported public import AudioSessions
internal import Platform

/// Records the input of a session to sound files (PLAY-2).
///
/// `record()` activates the session and records from the next frame on; `pause()` and `record()`
/// continue in the same file, without a frame more or less than was heard in between. An
/// interruption pauses the recording; `stop()` completes it.
///
/// A recording is not lost. If the program is killed or the computer loses power, its file can be
/// opened and lacks at most the last second. If the disk is full, what was written can be opened.
/// A file never replaces another: if `take.wav` exists, the recording goes to `take-2.wav`, and so
/// on; `recording` has the names. A sample rate that changes on the way begins another file.
///
/// The extension of the path selects the format: wav (RF64 beyond 4 GiB), w64, caf and aiff hold
/// 32-bit floats, flac 24-bit integers; opus is lossy.
///
/// Every method is safe from any thread.
public final class AudioRecorder: Sendable {
    public typealias Configuration = AudioRecording.Configuration
    public typealias File = AudioRecording.File
    public typealias Gap = AudioRecording.Gap
    public typealias Ending = AudioRecording.Ending
    public typealias Level = AudioRecording.Level
    public typealias Event = AudioRecording.Event

    /// What the recorder does when an interruption ends (INT-9).
    public enum ResumePolicy: Equatable, Sendable {
        /// Stays paused until `record()`: the user decides.
        case never
        /// Resumes if it was recording and the system recommends it.
        case ifRecommended
        /// Resumes if it was recording, whether or not the system recommends it.
        case always
    }

    /// The path of the first file, unless its name is taken.
    public let path: AudioFilePath
    /// The session whose input is recorded.
    public let session: AudioSession
    /// What is recorded.
    public let configuration: Configuration

    let state = Mutex(State())
    let listeners = Broadcaster<Event>()
    /// Serializes changes of the monitor.
    let monitoring = Mutex(())

    struct State {
        var phase = Phase.stopped
        var writer: RecordingWriter?
        var input: AudioSessionInput?
        /// The uids of the session's input ports when recording last started.
        var inputPorts: [String] = []
        /// Whether they are missing since the server's return, and are awaited.
        var awaitsInput = false
        /// Whether it was recording when the interruption began, and may resume when it ends.
        var wasRecording = false
        /// The number of starts so far, and that of the one in progress.
        var startCount = 0
        var startInProgress: Int?
        /// Whether `pause()` was called during the start.
        var pausesAfterStart = false
        var recording: AudioRecording?
        var resumePolicy = ResumePolicy.never
        var monitorGain: Float?
        var monitor: Voice?
    }

    enum Phase { case stopped, recording, paused }

    /// Formats whose files can be opened after their program was killed; `aif` is accepted as well.
    public static let knownExtensions = AudioFileWriter.knownExtensions.filter { $0 != "ogg" }

    /// Creates a recorder, without activating the session or creating a file. Throws
    /// `AudioFileError.unknownFormat`, the error that prevented the session's creation, or badParam
    /// for a value of the configuration that is out of range.
    public convenience init(
        path: String, session: AudioSession = .shared, configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: AudioFilePath(path), session: session, configuration: configuration)
    }

    /// Creates a recorder for files whose names need not be valid UTF-8, like the other
    /// initializer.
    public init(
        path: AudioFilePath, session: AudioSession = .shared, configuration: Configuration = Configuration()
    ) throws {
        guard (Self.knownExtensions + ["aif"]).contains(path.pathExtension) else {
            throw AudioFileError.unknownFormat(path: path.description, known: Self.knownExtensions)
        }
        let maximumChannels = try session.engine.configuration.maximumChannels
        guard (1...maximumChannels).contains(configuration.channels), configuration.firstChannel >= 0,
            configuration.preRoll >= 0, configuration.preRoll <= 60, configuration.maximumBytes ?? 1 > 0
        else {
            throw AudioSessionError(
                .badParam,
                """
                A recorder of \(configuration.channels) channels from channel \(configuration.firstChannel), with a \
                pre-roll of \(configuration.preRoll) s and at most \(configuration.maximumBytes ?? .max) bytes, was \
                requested; the engine allows 1 to \(maximumChannels) channels from channel 0 on, a pre-roll of 0 to \
                60 s, and 1 byte or more.
                """)
        }
        self.path = path
        self.session = session
        self.configuration = configuration
        session.attach(self)
    }

    deinit {
        let state = self.state.withLock { $0 }
        state.writer?.schedule(.finish(.stopped))
        state.input?.stop()
        try? state.monitor?.stop(fadeFrames: fadeFrames)
        if state.phase != .stopped { session.participantsChanged() }
    }

    // MARK: Recording

    /// Starts the input without recording: the levels and the monitor show what would be recorded,
    /// and `record()` then starts without a delay. Activates the session, and throws as `record()`
    /// does. No effect while recording or paused.
    public func prepare() throws { try start(.prepared) }

    /// Records from the next frame on, or resumes a paused recording. Activates the session if it
    /// is not active, and asks the user for permission if there is no answer (PERM-3); until it is
    /// granted, silence is recorded.
    ///
    /// `duration` in seconds ends the recording; pauses do not count. Without one, a resumed
    /// recording keeps the rest of the earlier one. No effect while recording. Throws errors of the
    /// file, the session and the server; then nothing records, no file is left, and the session is
    /// as it was. A file that cannot be written interrupts nobody. Blocks as `setActive` does.
    public func record(forDuration duration: Double? = nil) throws { try start(.now, duration) }

    /// Records from a frame of `AudioEngine.currentFrame` on; at once if it has passed. Otherwise
    /// like the other method.
    public func record(atFrame frame: UInt64, forDuration duration: Double? = nil) throws {
        try start(.at(frame: frame), duration)
    }

    /// Records from the first sound on: a sample of that magnitude (linear, above 0, at most 1),
    /// and `Configuration.preRoll` before it. Otherwise like the other methods.
    public func record(fromLevel level: Float, forDuration duration: Double? = nil) throws {
        guard level > 0, level <= 1 else {
            throw AudioSessionError(
                .badParam, "A start at a level of \(level) was requested; it must be above 0, at most 1.")
        }
        try start(.from(level: level), duration)
    }

    /// Pauses; `record()` resumes in the same file. The input stays on: its levels and the monitor
    /// remain. Cancels a start that was to come, and, during an interruption, the automatic
    /// resumption.
    public func pause() {
        let (writer, cancelsResumption) = state.withLock { state -> (RecordingWriter?, Bool) in
            defer { state.wasRecording = false }
            state.pausesAfterStart = true
            guard state.phase == .recording else { return (nil, state.wasRecording) }
            state.phase = .paused
            return (state.writer, false)
        }
        writer?.schedule(.pause)
        if cancelsResumption { session.userPaused() }
        session.participantsChanged()
    }

    /// Continues in another file, from the next frame on: no frame is lost or in both. No effect
    /// while stopped, or if the file has no frame.
    public func beginNextFile() { state.withLock { $0.writer }?.schedule(.nextFile) }

    /// Ends the recording, completes its files and returns it; nil if there was none. Waits for the
    /// disk, at most 30 s: a file that takes longer is completed when the disk answers. Returns nil
    /// without waiting if an event handler calls it.
    @discardableResult
    public func stop() -> AudioRecording? { end(.stopped)?.waitForEnd(seconds: 30) }

    /// Stops, and removes the files of the last recording. Throws `notWritable` for the first one
    /// that cannot be removed, after it has tried all. Not for event handlers: there, `stop()` does
    /// not wait.
    public func deleteRecording() throws {
        stop()
        let files = state.withLock { $0.recording.take() }?.files ?? []
        let failures = files.compactMap { file in
            do throws(AudioFileError) {
                try RecordingFiles.delete(file.path)
                return nil as AudioFileError?
            } catch { return error }
        }
        if let failure = failures.first { throw failure }
    }

    // MARK: State

    /// Whether it records, or will at a frame or level. An interruption makes this false.
    public var isRecording: Bool { state.withLock { $0.phase == .recording } }
    /// The recorded time in seconds, without pauses; 0 while stopped.
    public var currentTime: Double { state.withLock { $0.writer }?.seconds ?? 0 }
    /// The number of recorded frames; 0 while stopped.
    public var currentFrames: Int { state.withLock { $0.writer }?.frames ?? 0 }
    /// The level of each recorded channel; empty while stopped.
    public var levels: [Level] { state.withLock { $0.writer }?.levels ?? [] }
    /// The last recording, once it has ended; nil if there is none, and while another one runs.
    public var recording: AudioRecording? { state.withLock { $0.recording } }

    /// What the recorder does when an interruption ends; `never` by default (INT-9).
    public var resumePolicy: ResumePolicy {
        get { state.withLock { $0.resumePolicy } }
        set { state.withLock { $0.resumePolicy = newValue } }
    }

    /// Plays the input in the session, in the same cycle, while it is on. A linear gain, 0 or more;
    /// nil, as initially: off. With the microphone near a loudspeaker, it feeds back. Values that
    /// are negative or not finite are ignored.
    public var monitorGain: Float? {
        get { state.withLock { $0.monitorGain } }
        set {
            guard newValue.map({ $0 >= 0 && $0.isFinite }) ?? true else { return }
            state.withLock { $0.monitorGain = newValue }
            updateMonitor()
        }
    }

    /// Adds a handler for events. It is called on the thread that writes the files, one event at a
    /// time: one that takes several seconds loses frames, as a disk does.
    public func onEvent(_ handler: @escaping @Sendable (Event) -> Void) { _ = listeners.add(handler) }

    /// The events from now on, until the recorder is released.
    public var events: AsyncStream<Event> { listeners.sequence }
}
