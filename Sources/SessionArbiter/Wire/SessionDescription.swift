/// What the client that owns a session says about it, for people and tools. The arbiter decides
/// nothing by it.
public struct SessionDescription: Hashable, Sendable, Codable {
    /// The name of the program, for people: "mpv". One that differs from the executable's name is
    /// shown in quotation marks before it.
    public var name: String?
    /// Why the session is as it is. `audiosession-adopt` says which evidence decided: "settings",
    /// "role", "mediaPlayer" or "none".
    public var evidence: String?
    /// The value of the evidence: "org.mpris.MediaPlayer2.mpv".
    public var detail: String?
    /// The entry of the user's settings that applies to the program; nil if none does.
    public var entry: String?
    /// How the program is controlled, if it does not obey its gate itself: "level", "hold" and
    /// "player", as far as they apply, and "detection" if its sound is detected. Nil for one that
    /// does.
    public var controls: [String]?

    /// The maximum number of bytes in a string.
    package static let maximumLength = 256
    /// The maximum number of controls.
    package static let maximumControls = 8

    public init(
        name: String? = nil, evidence: String? = nil, detail: String? = nil, entry: String? = nil,
        controls: [String]? = nil
    ) {
        self.name = name
        self.evidence = evidence
        self.detail = detail
        self.entry = entry
        self.controls = controls
    }

    /// Whether the arbiter accepts it.
    package var isWithinLimits: Bool {
        let strings = [name, evidence, detail, entry].compactMap(\.self) + (controls ?? [])
        return strings.allSatisfy { $0.utf8.count <= Self.maximumLength }
            && controls?.count ?? 0 <= Self.maximumControls
    }

    /// Returns the description with strings that the arbiter accepts: longer ones are cut off.
    package var shortened: SessionDescription {
        SessionDescription(
            name: name.map(Self.shorten), evidence: evidence.map(Self.shorten), detail: detail.map(Self.shorten),
            entry: entry.map(Self.shorten),
            controls: controls.map { $0.prefix(Self.maximumControls).map(Self.shorten) })
    }

    private static func shorten(_ text: String) -> String {
        var text = text
        while text.utf8.count > maximumLength { text.removeLast() }
        return text
    }
}
