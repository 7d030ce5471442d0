internal import DesktopBridge
package import Platform
internal import SessionPolicy

/// A media player that is paused for another program, as the next adopter recognizes it.
package struct PausedPlayer: Hashable, Codable, Sendable {
    package var process: ProcessMark
    /// The first of its names on the bus.
    package var name: String

    package init(process: ProcessMark, name: String) {
        self.process = process
        self.name = name
    }
}

/// Players that an adopter that was killed has left paused: nobody else knows that they are to play
/// again.
///
/// Their sessions have ended with the killed adopter, and the arbiter no longer knows that they
/// wait. They play again once nothing is active that can have interrupted them: at once, or after
/// the call. Of several, the one that was paused last plays first, and the others wait for it if it
/// interrupts them. Their users may play or stop them before.
struct Recovery {
    /// In the order in which they were paused.
    var abandoned: [PausedPlayer]
    /// Whether all streams, and all players, that existed at the start are known. Until then, a
    /// program that plays may not have its session yet, and would be interrupted.
    var hasStreams = false
    var hasPlayers = false
    /// Whether a timer for the next look at the other sessions runs.
    var isTimed = false
    /// How often the last one was asked to play.
    var requests = 0
}

extension Adopter {
    /// Seconds until the next look at the other sessions, and until a player that was asked to play
    /// has done so.
    private static let (recoveryInterval, recoveryAnswer) = (0.5, 2.0)
    /// How often a player is asked to play.
    private static let recoveryRequests = 2

    /// The players that are paused for other programs, or have not played again since, and those
    /// that the last adopter has left so; in the order in which they were paused.
    package var pausedPlayers: [PausedPlayer] {
        var all = recovery.abandoned
        let programs = programs.values.sorted { $0.hold?.timer ?? 0 < $1.hold?.timer ?? 0 }
        for program in programs {
            let ids = (program.hold?.paused ?? []).union(program.resuming.keys)
            let marks = ids.sorted().compactMap { program.players[$0].flatMap(mark) }
            all += marks.filter { !all.contains($0) }
        }
        return all
    }

    private func mark(_ player: ForeignPlayer) -> PausedPlayer? {
        guard let name = player.names.first, let process = player.process.flatMap(processes.mark) else { return nil }
        return PausedPlayer(process: process, name: name)
    }

    /// Changes what is known, and has abandoned players play again as soon as that is possible.
    mutating func recover(_ change: (inout Recovery) -> Void) {
        change(&recovery)
        guard recovery.hasStreams, recovery.hasPlayers, !hasEnded else { return }
        let known = players.values.filter(\.canPlay).compactMap(mark)
        recovery.abandoned.removeAll { !known.contains($0) }
        guard let last = recovery.abandoned.last, !recovery.isTimed else { return }
        recovery.isTimed = true
        guard tools.isConnected, let sessions = tools.allSessions,
            !sessions.contains(where: { $0.isActive && $0.mayInterrupt })
        else { return tools.start(.recovery, seconds: Self.recoveryInterval) }
        tools.start(.recovery, seconds: Self.recoveryAnswer)
        guard recovery.requests < Self.recoveryRequests else { return removeAbandoned(last) }
        recovery.requests += 1
        play(last)
    }

    /// A player has reported what it does. One that plays, or that its user has stopped, is done.
    mutating func abandonedPlayerChanged(_ player: ForeignPlayer) {
        guard !recovery.abandoned.isEmpty, player.status != .paused, let mark = mark(player) else { return }
        removeAbandoned(mark)
    }

    private mutating func removeAbandoned(_ player: PausedPlayer) {
        if recovery.abandoned.last == player { recovery.requests = 0 }
        recovery.abandoned.removeAll { $0 == player }
    }

    /// Has all abandoned players play, as far as they are known.
    mutating func playAbandoned() {
        guard recovery.hasPlayers else { return }
        for player in recovery.abandoned { play(player) }
        recovery.abandoned = []
    }

    private func play(_ abandoned: PausedPlayer) {
        guard let player = players.values.first(where: { $0.status == .paused && mark($0) == abandoned }) else {
            return
        }
        tools.play(player.id)
    }
}

extension SessionState {
    /// Whether a media player may be paused because of this session.
    fileprivate var mayInterrupt: Bool { rank != .app || isPrimary }
}
