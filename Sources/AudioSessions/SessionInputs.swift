internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// One input of a session, for `SessionInputs`.
protocol SessionInput: SessionParticipant {
    /// Marks the input as started.
    func markStarted()
    /// Marks the input as stopped; returns whether it was running.
    func markStopped() -> Bool
    /// Ramps the input to a linear gain in 5 ms.
    func applyGain(_ gain: Float)
}

/// The state that the inputs of a session share: whether the arbiter counts them as running, and
/// their gain. Any thread.
final class SessionInputs: Sendable {
    private let session: RegisteredSession
    private let participants: SessionParticipants
    /// Serializes starting and stopping inputs, so that the arbiter and the inputs agree on their
    /// state.
    private let lock = Mutex(())
    private let gainFactor = Mutex<Float>(1)

    init(of session: RegisteredSession, _ participants: SessionParticipants) {
        self.session = session
        self.participants = participants
    }

    private var living: [any SessionInput] { participants.living.compactMap { $0 as? any SessionInput } }

    /// The linear gain of the inputs, 0…1.
    var gain: Float { gainFactor.withLock { $0 } }

    func setGain(_ gain: Float) {
        gainFactor.withLock { $0 = gain }
        for input in living { input.applyGain(gain) }
    }

    /// Starts an input. If the arbiter refuses, throws and does not start it. If the arbiter stops
    /// it meanwhile, `stopInputsStoppedByArbiter` detects that afterwards.
    func start(_ input: any SessionInput) throws {
        try lock.withLock { _ in
            // The arbiter may have stopped an input whose notice has not been delivered yet.
            guard !input.isRunning || session.status?.session.isInputRunning != true else { return }
            try session.submit { .setInputRunning($0, true) }
            input.markStarted()
        }
        participants.reportRunning()
    }

    func stop(_ input: any SessionInput) {
        let wasRunning = lock.withLock { _ in
            let wasRunning = input.markStopped()
            if wasRunning { reportIfLast() }
            return wasRunning
        }
        if wasRunning { participants.reportRunning() }
    }

    /// Reports that an input was released while it ran.
    func reportReleased() {
        lock.withLock { _ in reportIfLast() }
        participants.reportRunning()
    }

    /// Stops the inputs that the arbiter has stopped: by a deactivation, a category change or the
    /// microphone's hardware switch. The arbiter's state is authoritative, so an input that was
    /// started again afterwards keeps running.
    func stopInputsStoppedByArbiter() {
        let stopped = lock.withLock { _ in
            session.status?.session.isInputRunning == false && living.filter { $0.markStopped() }.isEmpty == false
        }
        if stopped { participants.reportRunning() }
    }

    /// Notifies the arbiter when the last input has stopped. [under `lock`]
    private func reportIfLast() {
        if !living.contains(where: \.isRunning) { try? session.submit { .setInputRunning($0, false) } }
    }
}
