package import AudioRendering

/// What a server says of one audio port that is not this client's own.
package struct PortFacts: Hashable, Sendable {
    /// In full: client, colon, port.
    package var name: String
    package var aliases: [String]
    /// Output: sound that is sent to it leaves the server there.
    package var direction: HardwarePort.Direction
    package var isPhysical: Bool
    package var isTerminal: Bool
    /// Frames from the port to the air, or from the air to it.
    package var latencyFrames: Int

    package init(
        _ name: String, aliases: [String] = [], direction: HardwarePort.Direction, isPhysical: Bool = true,
        isTerminal: Bool = true, latencyFrames: Int = 0
    ) {
        self.name = name
        self.aliases = aliases
        self.direction = direction
        self.isPhysical = isPhysical
        self.isTerminal = isTerminal
        self.latencyFrames = latencyFrames
    }

    /// Who offers it.
    package var client: String { String(name.prefix { $0 != ":" }) }

    /// Its name within the client.
    package var shortName: String { String(name.drop { $0 != ":" }.dropFirst()) }
}
