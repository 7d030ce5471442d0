public import SessionPolicy

/// What the user says of the devices of a media server that a pattern is of: it goes before whatever else tells what they are.
public struct DeviceOverride: Hashable, Sendable, Codable {
    /// How many there may be.
    public static let most = 64
    /// Bytes of a pattern, and of a name: 1 to this.
    public static let longestText = 128

    /// A pattern as the shell has for file names, `*`, `?` and `[…]`, whatever the case of letters: for the name of a JACK client, of a port, an alias of a port, or the id of
    /// a sound card.
    public var pattern: String
    /// What the device is; nil: what it was taken for.
    public var type: PortType?
    /// What it is called; nil: as it was.
    public var name: String?
    /// It is none at all for sessions.
    public var isHidden: Bool

    public init(pattern: String, type: PortType? = nil, name: String? = nil, isHidden: Bool = false) {
        self.pattern = pattern
        self.type = type
        self.name = name
        self.isHidden = isHidden
    }
}
