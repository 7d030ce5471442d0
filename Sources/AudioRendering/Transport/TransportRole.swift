/// Which transport an engine has, and what it does there.
public enum TransportRole: Hashable, Sendable {
    /// The engine's own transport, which no other program sees: the engine starts and stops it on
    /// any frame.
    case own
    /// The server's transport, which all its clients share: the engine follows it, wherever it was
    /// started or moved. Its beats are those of its leader or, without one, of the engine's tempo
    /// map.
    case follower
    /// The server's transport, which the engine follows, and whose leader it is: its tempo map says
    /// to all clients where the beats are. JACK calls the leader timebase master.
    case leader
}
