import AudioRendering
import AudioSessions
import Platform

/// A player as sessions see it, which records its notifications.
final class Participant: SessionParticipant {
    private struct State {
        var isRunning = false
        var notified: [String] = []
    }
    private let state = Mutex(State())
    private let session: AudioSession
    private let note: @Sendable (String) -> Void

    init(_ session: AudioSession, note: @escaping @Sendable (String) -> Void = { _ in }) {
        self.session = session
        self.note = note
        session.attach(self)
    }

    func run(_ running: Bool) {
        state.withLock { $0.isRunning = running }
        session.participantsChanged()
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    func sessionWasInterrupted() { note("paused") }
    func sessionOutputWasDisconnected(isGone: Bool) { note("paused for good") }
    func sessionInterruptionEnded(shouldResume: Bool) { note("may resume: \(shouldResume)") }

    func sessionDidDeactivate() {
        state.withLock { $0.isRunning = false }
        note("stopped")
    }
}
