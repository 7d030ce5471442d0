/// The identity of one bus of an engine, for as long as a reference to it exists. Another bus of
/// the same name has another identity.
public final class BusIdentity: Sendable {
    /// The name of a mixer's bus; nil for a session's bus.
    public let name: String?
    /// The slot in the engine's plan. It is free for other buses once this bus is removed and is no
    /// longer referenced or played on.
    public let slot: Int

    init(name: String?, slot: Int) {
        self.name = name
        self.slot = slot
    }
}

/// The identity of one send among the engine's sends.
final class SendIdentity: Sendable {
    let slot: Int

    init(slot: Int) { self.slot = slot }
}
