/// The kind of device behind a port.
public enum PortType: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt
}

/// An input or output of a device (ROUTE-1).
public struct DevicePort: Hashable, Sendable, Codable {
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable { case input, output }

    /// Unique to this port, and the same each time the device is plugged in.
    public var uid: String
    /// The name to display.
    public var name: String
    public var type: PortType
    public var direction: Direction
    /// The number of channels, at least 1.
    public var channels: Int

    public init(uid: String, name: String, type: PortType, direction: Direction, channels: Int) {
        self.uid = uid
        self.name = name
        self.type = type
        self.direction = direction
        self.channels = channels
    }
}

/// A unit that is plugged in and unplugged as a whole. A headset, for example, consists of its
/// headphones and its microphone.
public struct Device: Hashable, Sendable, Codable {
    /// Unique among the devices of the same server.
    public var uid: String
    public var ports: [DevicePort]
    /// The name of the audio server that has the device; the apps of that server see it. Nil for a
    /// virtual device that only the policy knows, which every app sees.
    public var server: String?

    public init(uid: String, ports: [DevicePort], server: String? = nil) {
        self.uid = uid
        self.ports = ports
        self.server = server
    }

    /// The uid of the device that holds the audio server's own ports, whose hardware is not known.
    /// Sessions use it only if they may use no other device.
    public static let serverUID = "server"

    var isServer: Bool { uid == Self.serverUID }

    /// Returns whether an app of this server sees the device; nil stands for a server that is not
    /// known.
    func isSeen(from server: String?) -> Bool { self.server == nil || self.server == server }
}

/// The ports through which a session plays and records.
public struct Route: Hashable, Sendable, Codable {
    public var inputs: [DevicePort]
    public var outputs: [DevicePort]

    public init(inputs: [DevicePort] = [], outputs: [DevicePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}
