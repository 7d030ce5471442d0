public import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Live input of a session: what comes in, for as long as it runs.
///
/// It is heard while the session is active, the app's permission is granted (PERM-1) and nothing mutes it (PERM-4, INT-10); else it is
/// silence. An interruption holds it, as it holds players; one by the muted microphone, or a deactivation, stops it for good, and it
/// starts again only by `start()` (INT-10). Letting go of it stops it.
public final class AudioSessionInput: Sendable {
    /// Where the frames are read, each with its time; a voice can play it in the same cycle (`VoiceSource.input`).
    public let capture: EngineInput
    private let session: AudioSession
    private let running = Locked(false)

    /// Channels of the device's input, for a session; it does not run yet. Throws when the engine has no input left, or the channels are none.
    public init(session: AudioSession, channels: Int = 1, firstChannel: Int = 0) throws {
        let (engine, bus) = (try session.engine, try session.bus)
        do throws(AudioEngineError) {
            capture = try engine.makeInput(for: bus, channels: channels, firstChannel: firstChannel)
        } catch {
            throw AudioSessionError(error)
        }
        self.session = session
        session.attach(self)
    }

    deinit {
        // The session knows it no more.
        guard halt() else { return }
        session.inputTurn.withLock { _ in session.tellInputsStopped() }
        session.participantsChanged()
    }

    /// Activates the session if it is not active, also when an interruption holds the input (ACT-15), and lets the input in; while nobody was asked, the user is (PERM-3). Throws, and
    /// nothing starts, when the activation is refused, the category has no input, or the microphone is muted (INT-10). Blocks as
    /// `setActive` does.
    public func start() throws {
        try session.activateToStart()
        guard !isRunning else { return }
        applyGain(session.inputGain)
        // Alone: what takes it back meanwhile is seen afterwards, by `followInputs`.
        try session.inputTurn.withLock { _ in
            try session.submit { .setInputRunning($0, true) }
            running.withLock { $0 = true }
        }
        session.participantsChanged()
    }

    /// Ramps to the session's input gain, in 5 ms.
    func applyGain(_ gain: Float) {
        try? capture.setGain(gain, rampFrames: (session.host.format?.sampleRate ?? 48_000) / 200)
    }

    /// Ends it; what is already in the ring can still be read.
    public func stop() {
        let wasRunning = session.inputTurn.withLock { _ in
            let wasRunning = halt()
            if wasRunning { session.tellInputsStopped() }
            return wasRunning
        }
        if wasRunning { session.participantsChanged() }
    }

    /// Returns whether it ran.
    fileprivate func halt() -> Bool {
        running.withLock { isRunning in
            defer { isRunning = false }
            return isRunning
        }
    }
}

extension AudioSessionInput: SessionParticipant {
    /// Whether it was started and nothing has stopped it since; it may be held by an interruption.
    public var isRunning: Bool { running.withLock { $0 } }

    /// INT-10: the arbiter took it back. Any other interruption only holds it.
    package func sessionWasInterrupted() { session.followInputs() }
    package func sessionOutputWasDisconnected(isGone: Bool) {}
    package func sessionInterruptionEnded(shouldResume: Bool) {}
    package func sessionDidDeactivate() { session.followInputs() }
}

extension AudioSession {
    private var inputs: [AudioSessionInput] { liveParticipants.compactMap { $0 as? AudioSessionInput } }

    /// Stops the inputs that the arbiter took back: by a deactivation, another category, the microphone's switch. The arbiter knows best
    /// whether input runs; a start that came after the taking back holds.
    func followInputs() {
        let stopped = inputTurn.withLock { _ in
            status?.session.isInputRunning == false && inputs.filter { $0.halt() }.isEmpty == false
        }
        if stopped { participantsChanged() }
    }

    /// Tells the arbiter when the last input has stopped. [in the input's turn]
    fileprivate func tellInputsStopped() {
        if !inputs.contains(where: \.isRunning) { try? submit { .setInputRunning($0, false) } }
    }

    /// What the session's inputs are multiplied by, 0…1; 1 unless set. JACK has no gain of its own: this one is ours.
    public var inputGain: Float { inputGainFactor.withLock { $0 } }

    /// Whether there is an input whose gain can be set.
    public var isInputGainSettable: Bool { isInputAvailable }

    /// Ramps every input of the session to a gain of 0…1; throws badParam beyond, and changes nothing.
    public func setInputGain(_ gain: Float) throws {
        guard gain >= 0, gain <= 1 else {
            throw AudioSessionError(.badParam, "An input gain of \(gain) was asked for; it must be from 0 to 1.")
        }
        inputGainFactor.withLock { $0 = gain }
        for participant in liveParticipants { (participant as? AudioSessionInput)?.applyGain(gain) }
    }
}
