internal import AudioRendering
internal import Dispatch
internal import Platform

/// The system sounds of a host that were requested and have not ended. Any thread.
final class SystemSounds: Sendable {
    /// The serial queue that starts system sounds: the first one may have to wait for the audio
    /// server.
    let queue = DispatchQueue(label: "audio-session.system-sounds", qos: .userInteractive)
    /// The session of the app's system sounds; nil before the first one (PLAY-4).
    let output = Mutex<(any HostedSession)?>(nil)
    private let state = Mutex(State())

    /// The number of sounds that may play at once.
    static let limit = 32

    private struct State {
        var sounds: [UInt64: Sound] = [:]
        var lastNumber: UInt64 = 0
        var idleHandler: (@Sendable () -> Void)?
    }

    private struct Sound {
        var voice: Voice?
        var whenEnded: @Sendable ((any Error)?) -> Void
    }

    /// Reports the end of sounds that the end of their host cuts off.
    deinit { endAll(SystemSoundError.interrupted) }

    /// Whether a sound plays or is to play.
    var isSounding: Bool { state.withLock { !$0.sounds.isEmpty } }

    /// Sets what is called whenever a sound has ended.
    func setIdleHandler(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.idleHandler = handler } }

    /// Adds a sound and returns its number; nil if too many play. `whenEnded` is called once.
    func add(_ whenEnded: @escaping @Sendable ((any Error)?) -> Void) -> UInt64? {
        state.withLock { state in
            guard state.sounds.count < Self.limit else { return nil }
            state.lastNumber += 1
            state.sounds[state.lastNumber] = Sound(whenEnded: whenEnded)
            return state.lastNumber
        }
    }

    /// Whether a sound has not ended.
    func has(_ number: UInt64) -> Bool { state.withLock { $0.sounds[number] != nil } }

    /// Stores the voice of a sound; stops it if the sound has ended meanwhile.
    func setVoice(_ voice: Voice, of number: UInt64) {
        let isStored = state.withLock { state in
            state.sounds[number]?.voice = voice
            return state.sounds[number] != nil
        }
        if !isStored { try? voice.stop() }
    }

    /// Reports the end of a sound, unless it was reported.
    func end(_ number: UInt64, _ error: (any Error)?) {
        let (sound, idleHandler) = state.withLock { ($0.sounds.removeValue(forKey: number), $0.idleHandler) }
        guard let sound else { return }
        idleHandler?()
        sound.whenEnded(error)
    }

    /// Ends all sounds. The audio server may be gone: what is left of them is not heard when it
    /// returns, because the voices are stopped before the next frame.
    func endAll(_ error: any Error) {
        for (number, sound) in state.withLock({ $0.sounds }) {
            try? sound.voice?.stop()
            end(number, error)
        }
    }
}
