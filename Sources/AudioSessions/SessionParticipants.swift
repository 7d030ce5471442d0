internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The players, recorders and inputs of a session, held weakly. Any thread.
final class SessionParticipants: Sendable {
    private struct WeakParticipant { weak var participant: (any SessionParticipant)? }
    private let session: RegisteredSession
    private let list = Mutex<[WeakParticipant]>([])
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)

    init(of session: RegisteredSession) { self.session = session }

    var living: [any SessionParticipant] { list.withLock { $0.compactMap(\.participant) } }
    /// Whether any of them runs.
    var isRunning: Bool { living.contains(where: \.isRunning) }

    /// Adds a participant. Releasing it removes it.
    func add(_ participant: any SessionParticipant) {
        // The strong references are released after the lock: a participant whose last one they have
        // become reports its end, which takes the lock.
        let living = list.withLock { list in
            let living = list.compactMap(\.participant)
            list = (living + [participant]).map { WeakParticipant(participant: $0) }
            return living
        }
        withExtendedLifetime(living) {}
    }

    /// Sets the one observer, which is called when the arbiter was notified of another `isRunning`.
    func whenRunningChanges(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0 = body } }

    /// Reports to the arbiter whether a participant runs, if the arbiter does not know it (HINT-1).
    func reportRunning() {
        // Checks again after each report, because another thread may have changed the state and
        // reported it before this report.
        var hasChanged = false
        while let reported = session.status?.session.isRunning {
            let isRunning = isRunning
            guard reported != isRunning, (try? session.submit { .setRunning($0, isRunning) }) != nil else { break }
            hasChanged = true
        }
        if hasChanged { observer.withLock { $0 }?() }
    }

    /// Stops all of them after a deactivation (ACT-7).
    func stopAll() {
        for participant in living { participant.sessionDidDeactivate() }
        reportRunning()
    }
}
