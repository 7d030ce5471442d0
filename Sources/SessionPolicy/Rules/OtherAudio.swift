/// Other audio (group HINT), as functions of the state.
extension PolicyState {
    /// Active, with something that runs, neither muted nor silenced.
    private func isPlaying(_ session: SessionState, _ standings: Standings) -> Bool {
        session.isActive && session.isRunning && !standings.standing(of: session).verdict.isMuted
    }

    /// Whether an accepted call goes on.
    public var isInCall: Bool { active.contains { $0.rank == .call && !$0.isRinging } }

    /// Those who play: whether any is another one is `isOtherAudioPlaying` (HINT-1).
    func playing(_ standings: Standings) -> [SessionID] {
        active.filter { isPlaying($0, standings) }.map(\.id)
    }

    /// Those who play and are primary: whether any is another one is `secondaryAudioShouldBeSilencedHint` (HINT-1).
    func playingPrimary(_ standings: Standings) -> [SessionID] {
        active.filter { $0.isPrimary && isPlaying($0, standings) }.map(\.id)
    }
}
