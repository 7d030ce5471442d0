/// The sessions that play, which determine the hints about other audio (group HINT): those that are
/// active and running, and that no rule mutes. A function of the state and its grants.
public struct OtherAudio: Hashable, Sendable {
    private var playing: [SessionID] = []
    private var playingPrimary: [SessionID] = []

    /// Creates the value of a state in which no session plays.
    public init() {}

    /// Creates the value of a state and the grants in it.
    public init(_ state: PolicyState, _ resolvedGrants: [ResolvedGrant]) {
        for (session, resolvedGrant) in zip(state.sessions, resolvedGrants)
        where session.isActive && session.isRunning && !resolvedGrant.grant.isMuted {
            playing.append(session.id)
            if session.isPrimary { playingPrimary.append(session.id) }
        }
    }

    /// Returns whether another session plays: `isOtherAudioPlaying` (keeps HINT-1).
    public func isPlaying(otherThan id: SessionID) -> Bool { playing.contains { $0 != id } }

    /// Returns whether another primary session plays: `secondaryAudioShouldBeSilencedHint`
    /// (keeps HINT-1).
    public func isPrimaryPlaying(otherThan id: SessionID) -> Bool { playingPrimary.contains { $0 != id } }
}

extension PolicyState {
    /// Whether an accepted call is active.
    public var isInCall: Bool { sessions.contains { $0.isActive && $0.rank == .call && !$0.isRinging } }
}
