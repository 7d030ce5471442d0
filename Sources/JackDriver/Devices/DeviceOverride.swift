public import AudioRendering

/// The user's description of a device. It takes precedence over everything that is detected.
public struct DeviceOverride: Hashable, Sendable, Codable {
    /// The ports that the override covers: `*` matches any text, `?` one character, `[a-f]` one of
    /// these, `[!a-f]` any other. The pattern is compared, ignoring case, with the client's name,
    /// the port's full name, its aliases and the id of its sound card.
    public var pattern: String
    /// The kind of the ports; nil: as detected.
    public var kind: HardwareKind?
    /// The name of the device; nil: as detected.
    public var name: String?
    /// Whether the ports are ignored.
    public var isHidden: Bool

    public init(pattern: String, kind: HardwareKind? = nil, name: String? = nil, isHidden: Bool = false) {
        self.pattern = pattern
        self.kind = kind
        self.name = name
        self.isHidden = isHidden
    }

    func covers(_ port: PortFacts, card: SoundCard?) -> Bool {
        let names = [port.client, port.name] + port.aliases + (card.map { [$0.id] } ?? [])
        let glob = Glob(pattern)
        return names.contains { glob.matches($0) }
    }
}
