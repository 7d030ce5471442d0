internal import AudioRendering

/// What an open client has in addition to the ports for devices, over `close` and `open`.
struct ClientSetup: Sendable {
    /// MIDI ports, and audio ports for other programs.
    var blocks: [PortBlock] = []
    /// What these are connected to, by name.
    var links: [String: [[String]]] = [:]
    /// The icons of ports, by name.
    var icons: [String: [UInt8]] = [:]
    /// Whether the nodes of other clients are of interest.
    var watchesNodes = false
    var transport = TransportRole.own
}
