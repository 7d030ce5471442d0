public import SessionPolicy

/// The user's description of the devices of an audio server that match a pattern. It takes
/// precedence over every other source of information about them.
public struct DeviceOverride: Hashable, Sendable, Codable {
    /// The maximum number of overrides.
    public static let maximumCount = 64
    /// The maximum length of a pattern and of a name in bytes; the minimum is 1.
    public static let maximumTextLength = 128

    /// A pattern as the shell uses it for file names, with `*`, `?` and `[…]`, not case-sensitive.
    /// It is matched against the name of a JACK client, the name or an alias of a port, and the id
    /// of a sound card.
    public var pattern: String
    /// The kind of the device; nil to keep the detected one.
    public var type: PortType?
    /// The name of the device; nil to keep its own.
    public var name: String?
    /// Whether the device is hidden from sessions.
    public var isHidden: Bool

    public init(pattern: String, type: PortType? = nil, name: String? = nil, isHidden: Bool = false) {
        self.pattern = pattern
        self.type = type
        self.name = name
        self.isHidden = isHidden
    }
}
