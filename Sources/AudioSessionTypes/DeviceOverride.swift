/// The user's description of the devices of an audio server that match a pattern. It takes
/// precedence over every other source of information about them.
public struct DeviceOverride: Hashable, Sendable, Codable {
    /// The maximum number of overrides.
    public static let maximumCount = 64
    /// The maximum length of a pattern and of a name in bytes; the minimum is 1.
    public static let maximumTextLength = 128

    /// The ports that the override covers: `*` matches any text, `?` one character, `[a-f]` one of
    /// these, `[!a-f]` any other. The pattern is compared, ignoring case, with the client's name,
    /// the port's full name, its aliases and the id of its sound card.
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
