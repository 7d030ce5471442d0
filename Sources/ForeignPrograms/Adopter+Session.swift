internal import ArbiterService
internal import DesktopBridge
package import SessionPolicy

/// The session of a program: what the program does is reported to the arbiter, and what the arbiter
/// grants is applied to the program.
extension Adopter {
    /// Seconds for which a program may be silent before its session ends: between two sounds, or
    /// two tracks.
    private static let pauseLimit = 1.0
    /// Seconds until the arbiter is asked again for a session that it has refused.
    private static let registrationInterval = 10.0
    /// How often the user can press play in a held program, in how many seconds. A program that
    /// plays more often does so by itself.
    private static let (playLimit, playPeriod) = (3, 5.0)

    /// Reports to the arbiter what a program does now, and applies its grant. Idempotent.
    package mutating func reconsider(_ key: ProgramKey) {
        guard tools.isConnected, let program = programs[key] else { return }
        guard let kind = program.classification?.kind else {
            if let session = program.session { _ = tools.submit(.unregister(session)) }
            return dropSession(key)
        }
        if let session = program.session, tools.status(of: session) == nil {
            // An arbiter does not know it any longer: the program begins again, if it plays.
            dropSession(key)
        }
        guard let session = programs[key]?.session ?? register(key), let state = tools.status(of: session) else {
            // Its streams may have belonged to another program.
            return release(key)
        }
        configure(key, session, state, kind)
        detect(key)
        describe(key, session)
        reportSound(key, session)
        report(key, session)
        applyGrant(key)
    }

    /// Forgets the session, and frees the program.
    private mutating func dropSession(_ key: ProgramKey) {
        programs[key]?.session = nil
        programs[key]?.sessionKind = nil
        programs[key]?.configuration = nil
        programs[key]?.description = nil
        programs[key]?.awaitsActivation = false
        programs[key]?.pause = .none
        release(key)
    }

    /// Registers a session for a program that plays.
    private mutating func register(_ key: ProgramKey) -> SessionID? {
        guard let program = programs[key], program.isPlaying, program.registrationTimer == nil else { return nil }
        guard let session = tools.register(process: key.process) else {
            let timer = nextTimer()
            programs[key]?.registrationTimer = timer
            tools.start(.registration(timer), seconds: Self.registrationInterval)
            return nil
        }
        programs[key]?.session = session
        declareBackground(session)
        return session
    }

    /// A program that is not on the screen plays on.
    func declareBackground(_ session: SessionID) {
        guard let app = tools.status(of: session)?.app else { return }
        _ = tools.submit(.setDeclaresBackgroundAudio(app, true))
    }

    /// Configures the session for the kind of its program. That of an active session changes only
    /// to a stronger one, while the program plays: otherwise a player that is seen paused would
    /// interrupt others, and one that quits would seem to leave them without notice (CAT-3).
    private mutating func configure(
        _ key: ProgramKey, _ session: SessionID, _ state: SessionState, _ kind: ProgramKind
    ) {
        guard let program = programs[key] else { return }
        let awaitsFirst = program.awaitsActivation && !state.isActive && state.wait == nil
        if program.isReconfigured, program.hold == nil || awaitsFirst {
            return reconfigure(key, session, state, kind)
        }
        guard program.hold == nil else { return }
        guard program.sessionKind != kind else { return }
        let order = ProgramKind.allCases
        if state.isActive, let current = program.sessionKind {
            guard program.isPlaying, let new = order.firstIndex(of: kind), let old = order.firstIndex(of: current),
                new < old
            else { return }
        }
        _ = configure(key, session, as: kind)
    }

    /// Returns whether the arbiter has accepted the configuration of that kind.
    private mutating func configure(_ key: ProgramKey, _ session: SessionID, as kind: ProgramKind) -> Bool {
        let change = kind.configuration(interrupts: settings.playersInterrupt)
        // A program whose sound is detected must not lower others before it is audible.
        if kind.ducksOthers { reportDetection(session, programs[key].map { detects($0, as: kind) } ?? false) }
        guard tools.submit(.configure(session, change)) else { return false }
        programs[key]?.sessionKind = kind
        programs[key]?.configuration = change
        return true
    }

    /// Configures the session as the user's settings now say. One that is active, and will mix,
    /// leaves the others with notice first, so that those that it had interrupted resume. One that
    /// goes on interrupting must stay active: those that wait for it would resume, and interrupt
    /// it.
    private mutating func reconfigure(
        _ key: ProgramKey, _ session: SessionID, _ state: SessionState, _ kind: ProgramKind
    ) {
        programs[key]?.isReconfigured = false
        let change = kind.configuration(interrupts: settings.playersInterrupt)
        guard change != programs[key]?.configuration else {
            // It may have changed and changed back while the program was held.
            programs[key]?.sessionKind = kind
            return
        }
        let willMix = state.isPrimary && change.mixes
        if !willMix, configure(key, session, as: kind) { return }
        if state.isActive { _ = tools.submit(.deactivate(session, notifyOthers: true)) }
        _ = configure(key, session, as: kind)
    }

    /// Activates the session when the program begins to play, and reports what it does.
    private mutating func report(_ key: ProgramKey, _ session: SessionID) {
        guard let program = programs[key], let before = tools.status(of: session) else { return }
        let plays = program.isPlaying
        switch before.activity {
        case .inactive where plays && program.hold == nil: activate(key)
        case .inactive:
            if program.awaitsActivation, program.hold == nil {
                // The user has stopped the program before it was its turn.
                _ = tools.submit(.deactivate(session, notifyOthers: true))
                programs[key]?.awaitsActivation = false
            }
        // It was granted, and may have been interrupted since.
        case .active, .waiting: programs[key]?.awaitsActivation = false
        }
        guard let state = tools.status(of: session), state.isActive else { return }
        programs[key]?.awaitsActivation = false
        endHold(key, plays: true)
        if state.isRunning != plays { _ = tools.submit(.setRunning(session, plays)) }
        let takesInput = program.takesInput
        if state.isInputRunning != takesInput { _ = tools.submit(.setInputRunning(session, takesInput)) }
        let isPaused = program.isPaused
        if state.isPaused != isPaused { _ = tools.submit(.setPaused(session, isPaused)) }
        reportPause(key, session, isSilent: !plays && !isPaused && !takesInput)
    }

    /// Ends the session of a program that has been silent for a while.
    private mutating func reportPause(_ key: ProgramKey, _ session: SessionID, isSilent: Bool) {
        switch programs[key]?.pause {
        case _ where !isSilent: programs[key]?.pause = .none
        case .over?:
            programs[key]?.pause = .none
            _ = tools.submit(.deactivate(session, notifyOthers: true))
        case .timed?, nil: break
        case .some(.none):
            let timer = nextTimer()
            programs[key]?.pause = .timed(timer)
            tools.start(.pause(timer), seconds: Self.pauseLimit)
        }
    }

    /// Activates the session. If the arbiter refuses, the program waits in silence, and is
    /// activated as soon as that is possible (ACT-14).
    private mutating func activate(_ key: ProgramKey) {
        guard let program = programs[key], let session = program.session, !program.awaitsActivation else { return }
        if tools.submit(.activate(session)) { return }
        let isPending = tools.submit(.requestActivation(session))
        programs[key]?.awaitsActivation = isPending
    }

    // MARK: Interruptions

    /// The arbiter has changed a session, or has reported something about it.
    package mutating func sessionChanged(_ session: SessionID, _ effect: Effect.Kind) {
        guard let key = programs.first(where: { $0.value.session == session })?.key else { return }
        switch effect {
        case .activated:
            // Unless a later request is pending: the session is inactive then.
            if case .inactive = tools.status(of: session)?.activity { break }
            programs[key]?.awaitsActivation = false
        case .interruptionEnded(let shouldResume):
            // It had been granted, whether or not that has been seen.
            programs[key]?.awaitsActivation = false
            endInterruption(key, session, shouldResume: shouldResume)
        case .waitLapsed:
            programs[key]?.awaitsActivation = false
            endInterruption(key, session, shouldResume: false)
        case .deactivatedBySystem:
            programs[key]?.awaitsActivation = false
            endHold(key, plays: tools.status(of: session) == nil)
        default: break
        }
        reconsider(key)
    }

    /// A paused player stays paused unless it is to resume. A program that cannot be paused, and
    /// that its user could therefore not resume, continues in any case.
    mutating func endInterruption(_ key: ProgramKey, _ session: SessionID, shouldResume: Bool) {
        // It may be active again, or wait for the next one.
        guard let program = programs[key], let state = tools.status(of: session), !state.isActive, state.wait == nil
        else { return }
        let continues =
            if let hold = program.hold, !hold.paused.isEmpty {
                shouldResume
            } else {
                program.isPlaying || (program.hold != nil && program.players.isEmpty)
            }
        if continues { activate(key) }
        guard tools.isConnected else {
            programs[key]?.dueEnd = shouldResume
            return
        }
        let waits = programs[key]?.awaitsActivation == true || tools.status(of: session)?.isActive == true
        if !waits { endHold(key, plays: false) }
    }

    /// The user has pressed play in a program that is held: it is activated, if the rules allow
    /// that (INT-5), and otherwise held again. A program that does so by itself stays held.
    mutating func userPlays(_ key: ProgramKey, _ player: ForeignPlayer.ID) {
        guard let session = programs[key]?.session, let state = tools.status(of: session) else { return }
        let now = tools.now
        var plays = programs[key]?.userPlays.filter { now - $0 < Self.playPeriod } ?? []
        plays.append(now)
        programs[key]?.userPlays = Array(plays.suffix(Self.playLimit + 1))
        guard plays.count <= Self.playLimit else {
            programs[key]?.hold?.requests[player] = Self.requestLimit
            return
        }
        let wasActive = state.isActive
        guard tools.submit(.activate(session)) else { return }
        programs[key]?.awaitsActivation = false
        guard !wasActive else { return }
        // Of several players, the user has chosen this one.
        programs[key]?.hold?.paused = [player]
        programs[key]?.hold?.pending = [:]
    }
}
