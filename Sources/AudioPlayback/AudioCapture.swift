public import AudioRendering
public import AudioSessions
internal import Platform

/// Captures the microphone for an app that records sound together with pictures, and configures the
/// session for that (PLAY-5).
///
/// When it starts to use the microphone, it sets the session's category to playAndRecord, with the
/// mode and the options of its `configuration`, and activates the session. An app that has
/// configured its session itself sets `automaticallyConfiguresSession` to false: the capture then
/// uses the session as it is, and alters nothing.
///
/// To record to a file, use an `AudioRecorder`; its sessions are the app's to configure. Every
/// method is safe from any thread.
public final class AudioCapture: Sendable {
    /// What the session is configured for.
    public struct Configuration: Hashable, Sendable {
        /// By default, that of a camera.
        public var mode = AudioSession.Mode.videoRecording
        /// By default, playback is on the speaker, and headsets may be used.
        public var options: AudioSession.CategoryOptions = [.defaultToSpeaker, .allowBluetoothHFP]

        public init() {}
    }

    /// The session whose input is captured.
    public let session: AudioSession
    /// What the session is configured for, unless `automaticallyConfiguresSession` is false.
    public let configuration: Configuration

    private let input: AudioSessionInput
    private let isAutomatic = Mutex(true)
    /// Serializes starts and stops.
    private let lifecycle = Mutex(())

    /// Creates a capture of `channels` input channels, without starting it, and without changing
    /// the session. `captureFrames` frames may wait to be read. Throws what `AudioSessionInput`
    /// throws.
    public init(
        session: AudioSession = .shared, channels: Int = 1, captureFrames: Int = 65_536,
        configuration: Configuration = Configuration()
    ) throws {
        self.session = session
        self.configuration = configuration
        input = try AudioSessionInput(session: session, channels: channels, captureFrames: captureFrames)
    }

    /// Whether the capture configures the session when it starts; true by default.
    public var automaticallyConfiguresSession: Bool {
        get { isAutomatic.withLock { $0 } }
        set { isAutomatic.withLock { $0 = newValue } }
    }

    /// Starts to capture: configures the session, if it does so automatically, activates it, and
    /// asks the user for permission if no answer exists (PERM-3). After `stop()` the session stays
    /// configured and active. Does nothing while the capture runs.
    ///
    /// Throws, and leaves the session configured as it was, when its configuration has no input, or
    /// the activation is refused. Blocks as `setActive` does.
    public func start() throws {
        try lifecycle.withLock { _ in
            guard !input.isRunning || !session.isActive else { return }
            guard automaticallyConfiguresSession else { return try input.start() }
            try session.configureForCapture(
                mode: configuration.mode, options: configuration.options, start: input.start, stop: input.stop)
        }
    }

    /// Stops the capture. Frames that wait can still be read. The session stays as it is.
    public func stop() { lifecycle.withLock { _ in input.stop() } }

    /// Whether it captures, or would if the session allowed it.
    public var isRunning: Bool { input.isRunning }

    /// Returns the oldest frames that wait, at most `maximumFrames`, with the time at which they
    /// were captured, on the clock of `AudioEngine.currentFrame`; nil if there are none. Call it
    /// repeatedly, for instance with each picture: by default, 65,536 frames may wait, which is 1.4
    /// s at 48 kHz.
    public func read(maximumFrames: Int = 4_096) -> EngineInput.Block? {
        input.capture.read(maximumFrames: maximumFrames)
    }

    /// The number of frames lost because they were not read in time.
    public var lostFrames: UInt64 { input.capture.lostFrames }
}
