/// Other audio (group HINT), as a function of the state: who plays, that is, is active, with something that runs, neither muted nor silenced.
public struct OtherAudio: Hashable, Sendable {
    private var playing: [SessionID] = []
    private var playingPrimary: [SessionID] = []

    /// While nobody plays.
    public init() {}

    /// Of a state and what is granted in it.
    public init(_ state: PolicyState, _ standings: [Standing]) {
        for (session, standing) in zip(state.sessions, standings)
        where session.isActive && session.isRunning && !standing.verdict.isMuted {
            playing.append(session.id)
            if session.isPrimary { playingPrimary.append(session.id) }
        }
    }

    /// Whether another session plays: `isOtherAudioPlaying` (keeps HINT-1).
    public func isPlaying(besides id: SessionID) -> Bool { playing.contains { $0 != id } }

    /// Whether another primary one does: `secondaryAudioShouldBeSilencedHint` (keeps HINT-1).
    public func isPrimaryPlaying(besides id: SessionID) -> Bool { playingPrimary.contains { $0 != id } }
}

extension PolicyState {
    /// Whether an accepted call goes on.
    public var isInCall: Bool { sessions.contains { $0.isActive && $0.rank == .call && !$0.isRinging } }
}
