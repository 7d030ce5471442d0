/// The kind of a device's port. The names are those of the session's port types.
public enum HardwareKind: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt
}

/// One port of a device: channels of one direction that belong together.
public struct HardwarePort: Hashable, Sendable, Codable {
    /// The direction of a port's signal.
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable { case input, output }

    /// The port's id: the same whenever the same device is plugged in, and unique within the
    /// driver.
    public var uid: String
    /// The name, for display.
    public var name: String
    /// The kind of device behind the port.
    public var kind: HardwareKind
    /// Whether the port is an input or an output.
    public var direction: Direction
    /// The channel count, 1 or more.
    public var channels: Int
    /// Latency in frames between the port and the device's terminals, as the server reports it.
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

/// A unit that is plugged in and unplugged as a whole: a headset is its headphones and its
/// microphone.
public struct HardwareDevice: Hashable, Sendable, Codable {
    /// The device's id: the same whenever the same device is plugged in.
    public var uid: String
    /// The device's ports.
    public var ports: [HardwarePort]

    public init(uid: String, ports: [HardwarePort]) {
        self.uid = uid
        self.ports = ports
    }

    /// The uid of the server's own ports if nothing more is known about them: a server without a
    /// sound card, or a card of unknown kind. The uids of these ports are `output` and `input`.
    public static let unknownUID = "server"
}
