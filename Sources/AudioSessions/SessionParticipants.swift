internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The players, recorders and inputs of a session, held weakly, and whether the session plays. Any
/// thread.
final class SessionParticipants: Sendable {
    private struct WeakParticipant { weak var participant: (any SessionParticipant)? }
    private let session: RegisteredSession
    private let list = Mutex<[WeakParticipant]>([])
    /// Whether the app's own sources play, if the app has stated it.
    private let statement = Mutex<Bool?>(nil)
    /// The participants' `isRunning` at the last report.
    private let lastRunning = Mutex(false)
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)

    init(of session: RegisteredSession) { self.session = session }

    var living: [any SessionParticipant] { list.withLock { $0.compactMap(\.participant) } }
    /// Whether any of them runs.
    var isRunning: Bool { living.contains(where: \.isRunning) }
    /// Whether the session plays: a participant that is no recorder runs, or the session's bus has
    /// signal, unless the app has stated otherwise about that (HINT-3).
    var isPlaying: Bool {
        living.contains { $0.isRunning && !$0.isRecorder } || (statement.withLock { $0 } ?? session.hasSignal)
    }

    /// Whether any of them is paused part-way.
    var isPaused: Bool { living.contains(where: \.isPaused) }

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

    /// Sets whether the session plays by other sources than participants; nil: whether its bus has
    /// signal.
    func state(isPlaying: Bool?) {
        statement.withLock { $0 = isPlaying }
        reportPlaying()
    }

    /// Sets the one observer, which is called when the arbiter was notified of another `isPlaying`,
    /// or the participants' `isRunning` has changed.
    func whenRunningChanges(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0 = body } }

    /// Reports to the arbiter whether the session plays (HINT-1), and whether it is paused part-way
    /// (ACT-17), if the arbiter does not know it.
    func reportPlaying() {
        // Paused first, and resumed last: the session is in use all the time.
        let isPaused = isPaused
        if isPaused { reportPaused() }
        defer { if !isPaused { reportPaused() } }
        // Checks again after each report, because another thread may have changed the state and
        // reported it before this report.
        var hasChanged = false
        while let reported = session.status?.session.isRunning {
            let isPlaying = isPlaying
            guard reported != isPlaying, (try? session.submit { .setRunning($0, isPlaying) }) != nil else { break }
            hasChanged = true
        }
        let isRunning = isRunning
        let wasRunning = lastRunning.withLock { last in
            defer { last = isRunning }
            return last
        }
        if hasChanged || isRunning != wasRunning { observer.withLock { $0 }?() }
    }

    /// Reports to the arbiter whether the session is audible, if it lowers others only while it is,
    /// and the arbiter does not know it (DUCK-2). The render core has lowered them already.
    func reportAudible() {
        while let reported = session.status?.session, reported.ducksOnlyWhileAudible {
            let isAudible = session.isAudible
            guard reported.isAudible != isAudible, (try? session.submit { .setAudible($0, isAudible) }) != nil else {
                return
            }
        }
    }

    private func reportPaused() {
        // It has an effect only while the session is active; an activation is reported afterwards.
        while let reported = session.status?.session, reported.isActive {
            let isPaused = isPaused
            guard reported.isPaused != isPaused, (try? session.submit { .setPaused($0, isPaused) }) != nil else {
                return
            }
        }
    }

    /// Stops all of them after a deactivation (ACT-7).
    func stopAll() {
        for participant in living { participant.sessionDidDeactivate() }
        reportPlaying()
    }
}
