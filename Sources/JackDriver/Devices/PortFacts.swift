package import AudioRendering
internal import AudioSessionTypes

/// The properties of an audio port that is not this client's own, as the server lists it.
package struct PortFacts: Hashable, Sendable {
    /// The full name: client, colon, port.
    package var name: String
    package var aliases: [String]
    /// `output` if sound that is sent to the port leaves the server there.
    package var direction: DevicePort.Direction
    package var isPhysical: Bool
    package var isTerminal: Bool
    /// The latency in frames from the port to the device's terminals, or from the device's
    /// terminals to the port. Nil: not read.
    package var latencyFrames: Int?

    package init(
        _ name: String, aliases: [String] = [], direction: DevicePort.Direction, isPhysical: Bool = true,
        isTerminal: Bool = true, latencyFrames: Int? = 0
    ) {
        self.name = name
        self.aliases = aliases
        self.direction = direction
        self.isPhysical = isPhysical
        self.isTerminal = isTerminal
        self.latencyFrames = latencyFrames
    }

    /// The name of the client that owns the port.
    package var client: String { String(name.prefix { $0 != ":" }) }

    /// The port's name within its client.
    package var shortName: String { String(name.drop { $0 != ":" }.dropFirst()) }
}

extension DeviceOverride {
    /// Returns whether the pattern matches the client's name, the port's full name, one of its
    /// aliases, or the id of its sound card.
    func covers(_ port: PortFacts, card: SoundCard?) -> Bool {
        let names = [port.client, port.name] + port.aliases + (card.map { [$0.id] } ?? [])
        let glob = Glob(pattern)
        return names.contains { glob.matches($0) }
    }
}
