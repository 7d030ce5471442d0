internal import AudioRendering

/// A connection between a port of this client and a port of another one.
struct PortLink: Hashable, Sendable {
    /// The direction of the own port.
    var direction: DevicePort.Direction
    /// The own port's name within the client.
    var own: String
    /// The other port's full name.
    var far: String
}
