internal import ArbiterService
package import DesktopBridge
internal import SessionPolicy

/// How a program is held while another one has the sound: its streams fade out and keep their
/// frame; the players that play are asked to pause; once they have paused, the streams run again,
/// in silence. So no sound is cut, no position is lost, and the user sees a paused player.
///
/// Only an event ends a hold: the activation of the session, or the end of its interruption. The
/// state of the session may be ahead of the events, and says nothing about resuming.
extension Adopter {
    /// Seconds after which players are asked to pause, even if the streams still fade.
    private static let fadeLimit = 0.5
    /// Seconds that a player has to report that it is paused, after it has accepted that.
    private static let answerLimit = 0.5
    /// How often a player is asked in one hold. After that, only its streams are held.
    static let requestLimit = 2
    /// Seconds that a player has to report that it plays again.
    private static let resumeLimit = 2.0
    /// Seconds after which a hold ends whose reason was missed.
    private static let orphanLimit = 1.0

    /// Applies what the arbiter grants to the program. Idempotent.
    mutating func applyGrant(_ key: ProgramKey) {
        guard let program = programs[key], let session = program.session, let state = tools.status(of: session),
            let grant = tools.grant(of: session)
        else { return }
        let isWaiting = state.wait != nil || (program.awaitsActivation && !state.isActive)
        if isWaiting, program.sessionKind?.mayBeHeld == true { return keepHeld(key) }
        guard program.hold == nil else {
            // The event that ends the hold follows.
            keepHeld(key)
            return watchOrphan(key)
        }
        setLevel(key, isWaiting || grant.isMuted ? nil : attenuation(of: program, by: grant))
    }

    /// Whether a program is held although its session neither waits nor is active.
    func isOrphan(_ key: ProgramKey) -> Bool {
        guard let program = programs[key], program.hold != nil, program.dueEnd == nil, tools.isConnected,
            let session = program.session, let state = tools.status(of: session)
        else { return false }
        return state.wait == nil && !state.isActive && !program.awaitsActivation
    }

    private mutating func watchOrphan(_ key: ProgramKey) {
        guard isOrphan(key), programs[key]?.hold?.orphanTimer == nil else { return }
        let timer = nextTimer()
        programs[key]?.hold?.orphanTimer = timer
        tools.start(.orphan(timer), seconds: Self.orphanLimit)
    }

    private func attenuation(of program: ForeignProgram, by grant: SessionGrant) -> Double {
        // The user's value replaces that of a prompt, but not the one of a call.
        guard let own = program.classification?.attenuation, grant.attenuation > 0 else { return grant.attenuation }
        return max(own, tools.isStrong(grant) ? grant.attenuation : 0)
    }

    /// Frees a program: players that were paused for others play again.
    mutating func release(_ key: ProgramKey) {
        endHold(key, plays: true)
        setLevel(key, 0)
        detect(key)
    }

    // MARK: Steps

    /// Begins to hold the program, or continues: with streams that it has opened since, players
    /// that have begun to play, or the next step.
    private mutating func keepHeld(_ key: ProgramKey) {
        guard let program = programs[key] else { return }
        guard let hold = program.hold else {
            let timer = nextTimer()
            programs[key]?.hold = .init(fading: Set(program.outputs.filter(\.isRunning).map(\.id)), timer: timer)
            programs[key]?.pause = .none
            holdStreams(key, milliseconds: Ramp.silence)
            tools.start(.fade(timer), seconds: Self.fadeLimit)
            return keepHeld(key)
        }
        switch hold.step {
        case .fading:
            holdStreams(key, milliseconds: 0)
            guard hold.fading.intersection(program.streams.keys).subtracting(reached).isEmpty else { return }
            programs[key]?.hold?.step = .held
            keepHeld(key)
        case .held:
            holdStreams(key, milliseconds: 0)
            pausePlayers(key)
            guard !program.players.isEmpty, !program.isPlaying, programs[key]?.hold?.pending.isEmpty == true else {
                return
            }
            programs[key]?.hold?.step = .released
            silenceStreams(key)
        case .released:
            guard program.isPlaying else { return silenceStreams(key) }
            programs[key]?.hold?.step = .held
            keepHeld(key)
        }
    }

    /// Asks the players to pause that play, or were just asked to play again: the streams are
    /// silent.
    private mutating func pausePlayers(_ key: ProgramKey) {
        guard let program = programs[key], let hold = program.hold else { return }
        let now = tools.now
        let asked = program.players.values.filter { player in
            let isResuming = program.resuming[player.id].map { now - $0 < Self.resumeLimit } == true
            return (player.status == .playing || isResuming) && player.canPause
                && hold.pending[player.id] == nil && hold.requests[player.id] ?? 0 < Self.requestLimit
        }
        for player in asked.map(\.id).sorted() {
            programs[key]?.resuming[player] = nil
            programs[key]?.hold?.paused.insert(player)
            programs[key]?.hold?.pending[player] = 0
            programs[key]?.hold?.requests[player, default: 0] += 1
            tools.pause(player)
        }
    }

    /// Ends the hold. The players that were paused for it play again if `plays`.
    mutating func endHold(_ key: ProgramKey, plays: Bool) {
        guard let program = programs[key], let hold = program.hold else { return }
        programs[key]?.hold = nil
        programs[key]?.dueEnd = nil
        guard plays else { return }
        let now = tools.now
        for id in hold.paused.sorted() {
            guard let player = program.players[id] else { continue }
            // One that has not paused yet receives both requests in this order.
            guard player.status != .playing || hold.pending[id] != nil else { continue }
            programs[key]?.resuming[id] = now
            tools.play(id)
        }
    }

    /// The last command for a stream is in effect, or never will be.
    mutating func streamReached(_ id: StreamID) {
        reached.insert(id)
        guard let key = key(of: id), programs[key]?.hold?.step == .fading else { return }
        reconsider(key)
    }

    // MARK: Players

    /// Players of the program have appeared, changed or vanished.
    mutating func playersMoved(_ key: ProgramKey, from before: [ForeignPlayer.ID: ForeignPlayer]) {
        guard let program = programs[key] else { return }
        // Those that play, or that the user has stopped, need not play again.
        let resuming = program.resuming.filter { id, _ in
            guard let player = program.players[id] else { return false }
            return player.status == .paused || (player.status == .stopped && before[id]?.status != .paused)
        }
        programs[key]?.resuming = resuming
        guard var hold = program.hold else { return }
        for id in before.keys where program.players[id] == nil { hold.forget(id) }
        let hadPaused = !hold.paused.isEmpty
        var started: ForeignPlayer.ID?
        for player in program.players.values {
            guard let old = before[player.id], old.status != player.status else { continue }
            if hold.pending[player.id] != nil {
                // Its answer, whether it says paused or stopped.
                if player.status != .playing { hold.pending[player.id] = nil }
            } else if player.status == .playing {
                if isStartedByUser(player, from: old.status, hold) { started = player.id }
            } else if player.status == .stopped {
                hold.paused.remove(player.id)
            }
        }
        programs[key]?.hold = hold
        if let started { return userPlays(key, started) }
        if hadPaused, hold.paused.isEmpty, let session = program.session {
            // The user does not want to hear it any longer (INT-7).
            _ = tools.submit(.userPaused(session))
        }
    }

    /// Whether it is the user who has started a player during a hold, and neither its next track
    /// nor a radio that has connected again.
    private func isStartedByUser(
        _ player: ForeignPlayer, from old: ForeignPlayer.Status, _ hold: ForeignProgram.Hold
    ) -> Bool {
        hold.paused.contains(player.id) || (old == .paused && hold.step != .fading)
    }

    /// A player has accepted to pause, or has refused or not replied: then its streams stay held.
    package mutating func playerAnswered(_ id: ForeignPlayer.ID, accepted: Bool) {
        for (key, program) in programs where program.hold?.pending[id] != nil {
            if accepted {
                let timer = nextTimer()
                programs[key]?.hold?.pending[id] = timer
                tools.start(.answer(timer), seconds: Self.answerLimit)
            } else {
                programs[key]?.hold?.pending[id] = nil
                programs[key]?.hold?.requests[id] = Self.requestLimit
                reconsider(key)
            }
        }
    }
}
