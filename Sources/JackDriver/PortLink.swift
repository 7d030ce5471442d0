internal import AudioRendering

/// A connection between a port of the client's own and somebody's.
struct PortLink: Hashable, Sendable {
    /// Which way the own port goes.
    var direction: HardwarePort.Direction
    /// The own port's name within the client.
    var own: String
    /// The other port's full name.
    var far: String
}
