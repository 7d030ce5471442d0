package import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The session in which the system sounds of an app play, which is never activated (PLAY-4). The
/// arbiter's grant for that session, in its gate, makes them silent.
package final class SystemSoundOutput: HostedSession {
    let registered: RegisteredSession
    private weak let host: AudioSessionHost?
    private weak let sounds: SystemSounds?

    /// How long a sound may wait for the audio server: later, the user no longer knows what it was
    /// for.
    private static let startLimit = Duration.seconds(5)

    private init(on host: AudioSessionHost, in engine: AudioEngine) throws {
        let receiver = SessionReceiver { [weak host] in host?.reportAgainAsync() }
        let connection = try SessionConnection(at: host.app, in: engine, receiver)
        registered = RegisteredSession(.success(connection), of: host.app)
        self.host = host
        sounds = host.systemSounds
        receiver.setHandler { [weak self] in self?.receive($0) }
        // If it is refused, `deinit` unregisters the session.
        try registered.submit { .playSystemSounds($0) }
        host.idleSuspension?.add { [weak sounds] in sounds?.isSounding ?? false }
        host.systemSounds.setIdleHandler { [weak host] in host?.idleSuspension?.update() }
        host.add(self)
    }

    deinit { try? registered.submit { .unregister($0) } }

    /// Plays a buffer as a system sound of `host`'s app. `whenEnded` is called once, on a thread of
    /// the library, with nil when the sound has ended, or with the error for which it was not
    /// played to its end. Any thread; does not wait.
    package static func play(
        on host: AudioSessionHost, _ buffer: AudioBuffer, whenEnded: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let sounds = host.systemSounds
        let requested = host.clock.now
        guard let number = sounds.add(whenEnded) else {
            return sounds.queue.async { whenEnded(AudioEngineError.noFreeVoice(limit: SystemSounds.limit)) }
        }
        sounds.queue.async {
            do {
                guard sounds.has(number) else { return }
                let output = try output(on: host)
                let engine = try output.start()
                guard host.clock.now - requested < startLimit else { throw SystemSoundError.late }
                let bus = try output.registered.connection.get().bus
                let voice = try engine.play(.buffer(buffer), on: bus, priority: .high) { [weak sounds] voice in
                    sounds?.end(number, SystemSoundError(voice.endReason))
                }
                sounds.setVoice(voice, of: number)
            } catch {
                sounds.end(number, error)
            }
        }
    }

    /// Returns the output of a host; creates it for the first sound. [sound queue]
    private static func output(on host: AudioSessionHost) throws -> SystemSoundOutput {
        if let output = host.systemSounds.output.withLock({ $0 }) as? SystemSoundOutput { return output }
        let output = try SystemSoundOutput(on: host, in: try host.engine.get())
        host.systemSounds.output.withLock { $0 = output }
        return output
    }

    /// Connects to the server and starts it if necessary, as an activation does, and returns the
    /// engine. Starts it in any case: it may be about to be suspended. [sound queue]
    private func start() throws -> AudioEngine {
        guard let host else { throw AudioEngineError.engineGone }
        let engine = try host.engine.get()
        let wasOpen = engine.format != nil
        do throws(DriverError) {
            try engine.open()
            if !wasOpen {
                host.applyAllRoutes()
            } else if !isRouted {
                host.reportDevices()
                host.applyRoute(of: registered)
            }
            try host.startEngine()
        } catch {
            throw AudioSessionError(error)
        }
        return engine
    }

    /// Whether the bus has outputs.
    private var isRouted: Bool { (try? registered.connection.get().auxiliaryBuses.uids.isEmpty) == false }

    /// Handles a notice of the arbiter. The app is notified of none.
    private func receive(_ notice: SessionNotice) {
        guard case .routeChanged = notice.effect.kind else { return }
        host?.applyRouteAsync(of: registered)
    }

    // MARK: HostedSession

    /// Registers again with an arbiter that has restored the session as an ordinary one, as an
    /// older version does. If it refuses, ends the sounds: it would pause them.
    func reportPlaying() {
        guard registered.status?.session.playsSystemSounds == false else { return }
        do {
            try registered.submit { .playSystemSounds($0) }
        } catch {
            sounds?.output.withLock { $0 = nil }
            sounds?.endAll(error)
        }
    }

    func receive(_ event: DriverEvent) {}
    func notifyReset() {}
    func playbackEnded() {}
    func signalChanged() {}
}
