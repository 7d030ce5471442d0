/// An app, or a part of one, that sends sound to other apps within a cycle (PLAY-6). It is known by
/// the names of its ports.
public struct NodeDescription: Hashable, Sendable {
    /// What a node does, which decides what it must have.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Makes sound by itself: has outputs.
        case generator
        /// Processes sound: has inputs and outputs.
        case effect
        /// Plays the notes that it receives: has a MIDI input and outputs.
        case instrument
    }

    /// What the node does.
    public var kind: Kind
    /// The node's name for users, unique within its client: 1…40 bytes.
    public var name: String
    /// The icon: a PNG file of at most 32 KiB, up to 128 pixels wide and high; empty if there is
    /// none, and with jackd.
    public var icon: [UInt8]
    /// The name of the node's client at the server.
    public var client: String
    /// The full names of the audio ports that receive sound, by channel.
    public var inputs: [String]
    /// The full names of the audio ports that send sound, by channel.
    public var outputs: [String]
    /// The full name of the MIDI port that receives notes and commands; nil: none.
    public var midiInput: String?

    public init(
        kind: Kind, name: String, icon: [UInt8] = [], client: String, inputs: [String] = [], outputs: [String],
        midiInput: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.icon = icon
        self.client = client
        self.inputs = inputs
        self.outputs = outputs
        self.midiInput = midiInput
    }

    /// The most ports in each direction.
    public static let maximumPorts = 64
    /// The maximum length of a name, in bytes.
    public static let maximumName = 40
    /// The maximum size of an icon, in bytes.
    public static let maximumIcon = 32 * 1024

    /// Whether the node is complete and within the limits.
    public var isValid: Bool {
        let hasPorts: Bool =
            switch kind {
            case .generator: true
            case .effect: !inputs.isEmpty
            case .instrument: midiInput != nil
            }
        return hasPorts && !outputs.isEmpty && max(inputs.count, outputs.count) <= Self.maximumPorts
            && (1...Self.maximumName).contains(name.utf8.count) && icon.count <= Self.maximumIcon
    }

    /// What the names of a node's ports begin with: they are "Hall (effect) in_1", "Hall (effect)
    /// out_1" and "Hall (effect) midi", for example. Every client with such ports is a node.
    public static func portPrefix(of name: String, kind: Kind) -> String { "\(name) (\(kind.rawValue))" }
}
