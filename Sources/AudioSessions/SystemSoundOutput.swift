package import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Plays the system sounds of an app in a session of their own, which is never activated (PLAY-4).
/// The arbiter's grant for that session, in its gate, makes them silent.
///
/// Any thread. Sounds start on a serial queue of the library, because the first one may have to
/// wait for the audio server.
package final class SystemSoundOutput: HostedSession {
    let registered: RegisteredSession
    private weak let host: AudioSessionHost?
    private let sounds = Mutex(Sounds())

    /// The number of sounds that may play at once; further ones are refused.
    package static let maximumSounds = 32

    /// The sounds that were requested and have not ended.
    private struct Sounds {
        var list: [UInt64: Sound] = [:]
        var lastNumber: UInt64 = 0

        struct Sound {
            var voice: Voice?
            var whenEnded: @Sendable ((any Error)?) -> Void
        }
    }

    private init(on host: AudioSessionHost, in engine: AudioEngine) throws {
        let receiver = SessionReceiver { [weak host] in host?.reportAgainAsync() }
        let connection = try SessionConnection(at: host.app, in: engine, receiver)
        registered = RegisteredSession(.success(connection), of: host.app)
        self.host = host
        receiver.setHandler { [weak self] in self?.receive($0) }
        do {
            try registered.submit { .playSystemSounds($0) }
        } catch {
            try? registered.submit { .unregister($0) }
            throw error
        }
        host.idleSuspension?.add { [weak self] in self?.isSounding ?? false }
        host.add(self)
    }

    deinit { try? registered.submit { .unregister($0) } }

    /// Plays what `load` returns as a system sound of `host`'s app. `whenEnded` is called once, on
    /// a thread of the library, with nil when the sound has ended, or with the error for which it
    /// was not played to its end. Does not wait.
    package static func play(
        on host: AudioSessionHost, _ load: @escaping @Sendable () throws -> AudioBuffer,
        whenEnded: @escaping @Sendable ((any Error)?) -> Void
    ) {
        host.systemSoundQueue.async {
            do {
                try output(on: host).play(load(), whenEnded)
            } catch {
                whenEnded(error)
            }
        }
    }

    /// Returns the output of a host; creates it for the first sound. [sound queue]
    private static func output(on host: AudioSessionHost) throws -> SystemSoundOutput {
        if let output = host.systemSounds.withLock({ $0 }) as? SystemSoundOutput { return output }
        let output = try SystemSoundOutput(on: host, in: try host.engine.get())
        host.systemSounds.withLock { $0 = output }
        return output
    }

    private var isSounding: Bool { sounds.withLock { !$0.list.isEmpty } }

    /// Plays a buffer. `whenEnded` is called once. [sound queue]
    private func play(_ buffer: AudioBuffer, _ whenEnded: @escaping @Sendable ((any Error)?) -> Void) {
        let number = sounds.withLock { sounds -> UInt64? in
            guard sounds.list.count < Self.maximumSounds else { return nil }
            sounds.lastNumber += 1
            sounds.list[sounds.lastNumber] = Sounds.Sound(voice: nil, whenEnded: whenEnded)
            return sounds.lastNumber
        }
        guard let number else { return whenEnded(AudioEngineError.noFreeVoice(limit: Self.maximumSounds)) }
        do {
            guard let host else { throw AudioEngineError.engineGone }
            let engine = try host.engine.get()
            try start(engine, on: host)
            let voice = try engine.play(.buffer(buffer), on: registered.connection.get().bus) { [weak self] voice in
                self?.end(number, voice.endReason == .finished ? nil : SystemSoundError.interrupted)
            }
            sounds.withLock { $0.list[number]?.voice = voice }
        } catch {
            end(number, error)
        }
    }

    /// Reports the end of a sound, unless it was reported.
    private func end(_ number: UInt64, _ error: (any Error)?) {
        guard let sound = sounds.withLock({ $0.list.removeValue(forKey: number) }) else { return }
        host?.idleSuspension?.update()
        sound.whenEnded(error)
    }

    /// Connects to the server and starts it if necessary, as an activation does.
    private func start(_ engine: AudioEngine, on host: AudioSessionHost) throws {
        guard !engine.driver.isRendering || !isRouted else { return }
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            try engine.open()
            wasOpen ? host.reportDevices() : host.applyAllRoutes()
            host.applyRoute(of: registered)
            try host.startEngine()
        } catch {
            throw AudioSessionError(error)
        }
    }

    /// Whether the bus has outputs.
    private var isRouted: Bool { (try? registered.connection.get().auxiliaryBuses.uids.isEmpty) == false }

    /// Handles a notice of the arbiter. The app is notified of none.
    private func receive(_ notice: SessionNotice) {
        guard case .routeChanged = notice.effect.kind else { return }
        host?.applyRouteAsync(of: registered)
    }

    // MARK: HostedSession

    /// Ends the sounds when the server is lost: a click that is heard seconds later would be wrong.
    func receive(_ event: DriverEvent) {
        guard case .serverLost = event else { return }
        for (number, sound) in sounds.withLock({ $0.list }) {
            // Takes effect before the first frame after the server's return.
            try? sound.voice?.stop()
            end(number, SystemSoundError.interrupted)
        }
    }

    func notifyReset() {}
    func playbackEnded() {}
    func signalChanged() {}
    func reportPlaying() {}
}

/// Why a system sound was not played to its end.
public enum SystemSoundError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The audio server was lost, or the engine was closed, while it played.
    case interrupted
    /// No theme has a sound of this name.
    case noSuchSound(name: String, theme: String, folders: [String])
    /// The user's theme turns this sound off.
    case disabled(name: String, theme: String)
    /// The file plays for longer than a system sound may.
    case tooLong(path: String, seconds: Double, limit: Double)

    public var description: String {
        switch self {
        case .interrupted:
            "The sound was cut off, because the audio server was lost or the engine was closed; play it again."
        case .noSuchSound(let name, let theme, let folders):
            """
            There is no sound '\(name)' in theme '\(theme)', nor in those that it inherits, in \
            \(folders.map { "'\($0)'" }.joined(separator: ", ")); install a theme (Debian: sound-theme-freedesktop) \
            or use another name.
            """
        case .disabled(let name, let theme):
            "Theme '\(theme)' disables the sound '\(name)'; choose another theme to hear it."
        case .tooLong(let path, let seconds, let limit):
            """
            '\(path)' plays for \(Int(seconds.rounded(.up))) s, but a system sound lasts at most \(Int(limit)) s; \
            play it with an AudioPlayer.
            """
        }
    }
}
