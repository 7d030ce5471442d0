public import AudioRendering

/// What the user says of devices; it wins over all that is found out.
public struct DeviceOverride: Hashable, Sendable, Codable {
    /// Which ports: `*` stands for anything, `?` for one character, `[a-f]` for one of these, `[!a-f]` for any other. Compared with the
    /// client's name, the port's full name, its aliases and its sound card's id, without a difference between capital and small letters.
    public var pattern: String
    /// What they are; nil: what is found out.
    public var kind: HardwareKind?
    /// What they are called; nil: as is found out.
    public var name: String?
    /// Whether they are no device at all.
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
