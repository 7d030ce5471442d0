public import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The live input of a session: a stream of captured frames, delivered from `start()` until
/// `stop()`.
///
/// It delivers sound while the session is active, the app has permission to record (PERM-1) and
/// nothing mutes the input (PERM-4, INT-10); otherwise it delivers silence. An interruption
/// suspends it, as it suspends players. If the microphone is muted in hardware, or the session is
/// deactivated, it stops: only `start()` starts it again (INT-10). Releasing the object stops the
/// input.
public final class AudioSessionInput: Sendable {
    /// The source of the frames, each with its time. A voice can play it in the same cycle
    /// (`VoiceSource.input`).
    public let capture: EngineInput
    private let session: AudioSession
    private let running = Mutex(false)

    /// Creates an input for a session, without starting it. It captures `channels` channels of the
    /// session's route, from `firstChannel`, which counts from 0. `captureFrames` frames may wait
    /// to be read; further ones are lost. Throws resourceNotAvailable if the engine has no free
    /// input or the channels are invalid.
    public init(
        session: AudioSession, channels: Int = 1, firstChannel: Int = 0, captureFrames: Int = 65_536
    ) throws {
        let (engine, bus) = (try session.engine, try session.bus)
        do throws(AudioEngineError) {
            capture = try engine.makeInput(
                for: bus, channels: channels, firstChannel: firstChannel, captureFrames: captureFrames)
        } catch {
            throw AudioSessionError(error)
        }
        self.session = session
        session.attach(self)
    }

    deinit {
        // The session no longer refers to this input.
        if markStopped() { session.inputs.reportReleased() }
    }

    /// Starts the input. Activates the session if it is not active, even if it is interrupted
    /// (ACT-15), and asks the user for permission if no answer exists (PERM-3).
    ///
    /// Throws, and does not start the input, when the activation is refused, the category has no
    /// input, or the microphone is muted (INT-10). The session is then as it was, and nobody was
    /// interrupted. If the engine cannot start after the activation was granted, deactivates the
    /// session, notifies others and throws. Blocks as `setActive` does.
    public func start() throws {
        try session.limits.activateToStart { [session] in
            self.applyGain(session.inputGain)
            try session.inputs.start(self)
        }
    }

    /// Stops the input. Frames that are already in the ring buffer remain readable.
    public func stop() { session.inputs.stop(self) }
}

extension AudioSessionInput: SessionInput {
    /// Whether the input was started and has not been stopped since. An interruption may have
    /// suspended it.
    public var isRunning: Bool { running.withLock { $0 } }
    /// True.
    public var isRecorder: Bool { true }

    func markStarted() { running.withLock { $0 = true } }

    func markStopped() -> Bool {
        running.withLock { isRunning in
            defer { isRunning = false }
            return isRunning
        }
    }

    func applyGain(_ gain: Float) {
        try? capture.setGain(gain, rampFrames: (session.host.format?.sampleRate ?? 48_000) / 200)
    }

    /// INT-10: stops the input if the arbiter has stopped it. Any other interruption only suspends
    /// it.
    public func sessionWasInterrupted() { session.inputs.stopInputsStoppedByArbiter() }
    public func sessionOutputWasDisconnected(isGone: Bool) {}
    public func sessionInterruptionEnded(shouldResume: Bool) {}
    public func sessionDidDeactivate() { session.inputs.stopInputsStoppedByArbiter() }
}

extension AudioSession {
    /// Whether the user's settings have a recording continue when the session's input becomes
    /// another one (ROUTE-4).
    package var recordsThroughInputChange: Bool { host.arbiter.settings.recordsThroughInputChange }

    /// The uids of the input ports in the session's route; does not connect to the server.
    package var inputPorts: [String] { registered.status?.route.inputs.map(\.uid) ?? [] }

    /// Whether input ports that are missing in the route may be back soon: the server has returned
    /// without them (SRV-2). Participants are notified when this ends, by `sessionInputChanged`.
    package var awaitsDevices: Bool { host.awaitsDevices }

    /// Whether the arbiter counts an input of the session as running: an interruption does not
    /// change that, except by the microphone's switch (INT-10).
    package var isInputRunning: Bool { registered.status?.session.isInputRunning ?? false }

    /// The gain applied to the session's inputs, 0…1; 1 by default. A linear factor. JACK does not
    /// provide an input gain, so the library applies this one.
    public var inputGain: Float { inputs.gain }

    /// Whether the input gain can be set: true if any input is available, because the library
    /// applies the gain.
    public var isInputGainSettable: Bool { isInputAvailable }

    /// Ramps the gain of every input of the session to `gain`, 0…1, within 5 ms. Throws badParam
    /// for other values and changes nothing.
    public func setInputGain(_ gain: Float) throws {
        guard gain >= 0, gain <= 1 else {
            throw AudioSessionError(.badParam, "An input gain of \(gain) was requested; it must be from 0 to 1.")
        }
        inputs.setGain(gain)
    }
}
