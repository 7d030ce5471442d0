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
/// the call. The user may play or stop them before.
struct Recovery {
    var left: Set<PausedPlayer>
    /// Whether all streams, and all players, that existed at the start are known. Until then, a
    /// program that plays may not have its session yet, and would be interrupted.
    var hasStreams = false
    var hasPlayers = false
}

extension Adopter {
    /// The players that are paused for other programs, and those that the last adopter has left
    /// so.
    package var pausedPlayers: Set<PausedPlayer> {
        programs.values.reduce(into: recovery.left) { all, program in
            guard let hold = program.hold else { return }
            for id in hold.paused { if let player = program.players[id].flatMap(mark) { all.insert(player) } }
        }
    }

    private func mark(_ player: ForeignPlayer) -> PausedPlayer? {
        guard let name = player.names.first, let process = player.process.flatMap(processes.mark) else { return nil }
        return PausedPlayer(process: process, name: name)
    }

    /// Seconds until the next look at the other sessions.
    private static let recoveryInterval = 0.5

    /// Notes what is known, and has the players play again that were left paused, as soon as that
    /// is possible.
    mutating func recover(_ note: (inout Recovery) -> Void) {
        note(&recovery)
        guard recovery.hasStreams, recovery.hasPlayers, !recovery.left.isEmpty, !hasEnded else { return }
        // Those that have ended, or that their users have started or stopped, are done.
        recovery.left.formIntersection(pausedPlayersThatCanPlay.compactMap(mark))
        guard !recovery.left.isEmpty else { return }
        guard let sessions = tools.allSessions, !sessions.contains(where: { $0.isActive && $0.mayInterrupt }) else {
            return tools.start(.recovery, seconds: Self.recoveryInterval)
        }
        playLeft()
    }

    /// Has all players play that were left paused.
    mutating func playLeft() {
        let left = recovery.left
        recovery.left = []
        for player in pausedPlayersThatCanPlay where mark(player).map(left.contains) == true { tools.play(player.id) }
    }

    private var pausedPlayersThatCanPlay: [ForeignPlayer] {
        players.values.filter { $0.status == .paused && $0.canPlay }.sorted { $0.id < $1.id }
    }
}

extension SessionState {
    /// Whether a media player may be paused because of this session.
    fileprivate var mayInterrupt: Bool { rank != .app || isPrimary }
}
