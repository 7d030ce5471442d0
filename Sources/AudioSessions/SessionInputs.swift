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

    /// The linear gain of the inputs, 0…1.
    var gain: Float { gainFactor.withLock { $0 } }

    func setGain(_ gain: Float) {
        gainFactor.withLock { $0 = gain }
        for case let input as any SessionInput in participants.living { input.applyGain(gain) }
    }

    /// Starts an input; the arbiter activates the session in the same decision (ACT-15). If the
    /// arbiter refuses, throws and does not start it. If the arbiter stops
    /// it meanwhile, `stopInputsStoppedByArbiter` detects that afterwards.
    func start(_ input: any SessionInput) throws {
        defer { participants.reportPlaying() }
        try withLiving { inputs in
            stopStoppedByArbiter(inputs)
            guard !input.isRunning || !session.isActive else { return }
            try session.submit { .setInputRunning($0, true) }
            input.markStarted()
        }
    }

    func stop(_ input: any SessionInput) {
        let wasRunning = withLiving { inputs in
            let wasRunning = input.markStopped()
            if wasRunning { reportIfLast(of: inputs) }
            return wasRunning
        }
        if wasRunning { participants.reportPlaying() }
    }

    /// Reports that an input was released while it ran.
    func reportReleased() {
        withLiving { reportIfLast(of: $0) }
        participants.reportPlaying()
    }

    /// Stops the inputs that the arbiter has stopped: by a deactivation, a category change or the
    /// microphone's hardware switch. The arbiter's state is authoritative, so an input that was
    /// started again afterwards keeps running.
    func stopInputsStoppedByArbiter() {
        if withLiving({ stopStoppedByArbiter($0) }) { participants.reportPlaying() }
    }

    /// Marks inputs as stopped if the arbiter has stopped them, also before its notice has been
    /// delivered; returns whether any was running. [under `lock`]
    @discardableResult
    private func stopStoppedByArbiter(_ inputs: [any SessionInput]) -> Bool {
        session.status?.session.isInputRunning == false && inputs.filter { $0.markStopped() }.isEmpty == false
    }

    /// Notifies the arbiter when the last input has stopped. [under `lock`]
    private func reportIfLast(of inputs: [any SessionInput]) {
        if !inputs.contains(where: \.isRunning) { try? session.submit { .setInputRunning($0, false) } }
    }

    /// Runs `body` under the lock. The living participants are released after it: one whose last
    /// reference this has become stops its input, or reports that it was released, which takes the
    /// lock.
    private func withLiving<Value>(_ body: ([any SessionInput]) throws -> Value) rethrows -> Value {
        var living: [any SessionParticipant] = []
        defer { withExtendedLifetime(living) {} }
        return try lock.withLock { _ in
            living = participants.living
            return try body(living.compactMap { $0 as? any SessionInput })
        }
    }
}
