public import AudioRendering
public import AudioSessions
internal import Dispatch
internal import Platform

/// A short sound of the user interface: a click, an alert, the arrival of a message (PLAY-4).
///
/// A system sound needs no audio session: it interrupts and ducks nothing, and no other app counts
/// it as other audio. It is heard from the background too, and silent while a call or another app's
/// conversation is active, while a recorder mutes (CAT-4), while the app is interrupted or
/// suspended, and with the silent switch on (VOL-2). The samples are kept in memory, so a sound
/// starts with the next period.
///
/// For everything else use an `AudioPlayer`. Any thread, but not the render thread.
public final class SystemSound: Sendable {
    /// The longest that a system sound may be, in seconds.
    public static let maximumDuration = 30.0

    /// The length in seconds.
    public let duration: Double
    private let buffer: AudioBuffer
    /// Nil: the shared one.
    private let host: AudioSessionHost?

    /// Loads a sound file of at most 30 s, in any format that libsndfile decodes. `host` is nil for
    /// the host of this process. Throws `AudioFileError`, or `SystemSoundError.tooLong`.
    public convenience init(path: String, host: AudioSessionHost? = nil) throws {
        try self.init(path: AudioFilePath(path), host: host)
    }

    /// Loads a sound file whose name need not be valid UTF-8, like the other initializer.
    public convenience init(path: AudioFilePath, host: AudioSessionHost? = nil) throws {
        self.init(try Self.load(path), host: host)
    }

    /// Loads a sound of the user's sound theme. `theme` is the name of another theme; by default it
    /// is the one in the environment's `AUDIOSESSION_SOUND_THEME`, or else `freedesktop`. A theme
    /// without this sound uses that of the themes that it inherits.
    ///
    /// Throws `SystemSoundError.noSuchSound` or `.disabled`, or what loading a file throws.
    public convenience init(_ name: Name, theme: String? = nil, host: AudioSessionHost? = nil) throws {
        self.init(try Self.load(name, SoundTheme(theme)), host: host)
    }

    private init(_ buffer: AudioBuffer, host: AudioSessionHost?) {
        self.buffer = buffer
        self.host = host
        duration = Double(buffer.frameCount) / Double(buffer.sampleRate ?? 48_000)
    }

    /// Plays the sound. Each call plays it once more; up to 32 system sounds of an app may play at
    /// once.
    ///
    /// Returns at once. The first sound of an app connects to the audio server, and starts it if
    /// necessary. `whenEnded` is called once, on a thread of the library that also starts other
    /// sounds, so it must be short: with nil when the sound has ended, heard or not, and otherwise
    /// with the error.
    public func play(whenEnded: @escaping @Sendable ((any Error)?) -> Void = { _ in }) {
        Self.play(on: host, { [buffer] in buffer }, whenEnded)
    }

    /// Plays a sound of the user's sound theme: `SystemSound.play(.bell)`. Returns at once; loads
    /// the sound when it is played for the first time, and then keeps it in memory. `host` is nil
    /// for the host of this process. `whenEnded` is called as by the other method.
    public static func play(
        _ name: Name, host: AudioSessionHost? = nil,
        whenEnded: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        play(on: host, { try cache.buffer(of: name) }, whenEnded)
    }

    /// Loads and plays a sound on another thread: the shared host may first have to start the
    /// arbiter.
    private static func play(
        on host: AudioSessionHost?, _ load: @escaping @Sendable () throws -> AudioBuffer,
        _ whenEnded: @escaping @Sendable ((any Error)?) -> Void
    ) {
        loading.async {
            do {
                let buffer = try load()
                SystemSoundOutput.play(on: host ?? .shared, buffer, whenEnded: whenEnded)
            } catch {
                whenEnded(error)
            }
        }
    }

    // MARK: Loading

    /// Concurrent, so that a sound that is in memory does not wait for one that is loaded.
    static let loading = DispatchQueue(
        label: "audio-session.sound-files", qos: .userInteractive, attributes: .concurrent)
    /// The sounds that were played by name.
    private static let cache = Cache()

    private final class Cache: Sendable {
        private let buffers = Mutex<[Name: AudioBuffer]>([:])

        func buffer(of name: Name) throws -> AudioBuffer {
            if let buffer = buffers.withLock({ $0[name] }) { return buffer }
            let buffer = try SystemSound.load(name, SoundTheme())
            buffers.withLock { $0[name] = buffer }
            return buffer
        }
    }

    private static func load(_ name: Name, _ theme: SoundTheme) throws -> AudioBuffer {
        switch theme.entry(of: name.rawValue) {
        case .file(let path): return try load(AudioFilePath(path))
        case .disabled: throw SystemSoundError.disabled(name: name.rawValue, theme: theme.name)
        case nil:
            throw SystemSoundError.noSuchSound(name: name.rawValue, theme: theme.name, folders: theme.folders)
        }
    }

    private static func load(_ path: AudioFilePath) throws -> AudioBuffer {
        let file = try AudioFile(path: path)
        let limit = Int(maximumDuration * Double(file.sampleRate))
        var (samples, block) = ([Float](), [Float]())
        while file.frameCount <= limit, samples.count <= limit * file.channels {
            let count = file.read(into: &block, maximumFrames: 8_192)
            guard count > 0 else {
                return try AudioBuffer(interleaved: samples, channels: file.channels, sampleRate: file.sampleRate)
            }
            samples.append(contentsOf: block.prefix(count * file.channels))
        }
        throw SystemSoundError.tooLong(path: path.description, limit: maximumDuration)
    }
}
