/// What kind of device is behind a port. The names are those of the session's port types.
public enum HardwareKind: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt
}

/// One way into or out of a device: channels of one direction that belong together.
public struct HardwarePort: Hashable, Sendable, Codable {
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable { case input, output }

    /// The same whenever the same device is plugged in; another one for every port of a driver.
    public var uid: String
    /// For people.
    public var name: String
    public var kind: HardwareKind
    public var direction: Direction
    /// 1 or more.
    public var channels: Int
    /// Frames from the port to the air, or from the air to it, as the server reports them.
    public var latencyFrames: Int

    public init(
        uid: String, name: String, kind: HardwareKind, direction: Direction, channels: Int, latencyFrames: Int = 0
    ) {
        self.uid = uid
        self.name = name
        self.kind = kind
        self.direction = direction
        self.channels = channels
        self.latencyFrames = latencyFrames
    }
}

/// What is plugged in and out as one: a headset is its headphones and its microphone.
public struct HardwareDevice: Hashable, Sendable, Codable {
    /// The same whenever the same device is plugged in.
    public var uid: String
    public var ports: [HardwarePort]

    public init(uid: String, ports: [HardwarePort]) {
        self.uid = uid
        self.ports = ports
    }

    /// The uid of the server's own ports where nothing more is known of them: a clock without a sound card, or a card of no known kind. Their
    /// uids are `output` and `input`.
    public static let unknownUID = "server"
}
