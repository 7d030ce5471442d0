/// The identity of one bus of an engine, for as long as a reference to it exists. Another bus of
/// the same name has another identity.
public final class BusIdentity: Sendable {
    /// The name of a mixer's bus; nil for a session's bus.
    public let name: String?
    /// The slot in the engine's plan. It is free for other buses once this bus is removed and is no
    /// longer referenced or played on.
    public let slot: Int

    private let feeds: BusIdentity?

    /// Creates the identity of a session's bus, or of a bus of that session's mixer.
    init(name: String? = nil, slot: Int, session: BusIdentity? = nil) {
        self.name = name
        self.slot = slot
        feeds = session
    }

    /// The identity of the session's bus that the bus feeds; a session's bus returns itself.
    var session: BusIdentity { feeds ?? self }

    /// The error for calls on a bus that no longer exists.
    var removed: AudioEngineError { name.map { .busRemoved(name: $0) } ?? .engineGone }
}

/// The identity of one send among the engine's sends.
final class SendIdentity: Sendable {
    let slot: Int
    let ends: BusGraph.Send.Ends
    /// The identity of the bus of the mixer's session.
    let session: BusIdentity

    init(slot: Int, ends: BusGraph.Send.Ends, session: BusIdentity) {
        self.slot = slot
        self.ends = ends
        self.session = session
    }
}
