/// What kind of device is behind a port.
public enum PortType: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt
}

/// One way into or out of a device (ROUTE-1).
public struct DevicePort: Hashable, Sendable, Codable {
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable { case input, output }

    /// The same whenever the same device is plugged in; another one for every port.
    public var uid: String
    /// For people.
    public var name: String
    public var type: PortType
    public var direction: Direction
    /// 1 or more.
    public var channels: Int

    public init(uid: String, name: String, type: PortType, direction: Direction, channels: Int) {
        self.uid = uid
        self.name = name
        self.type = type
        self.direction = direction
        self.channels = channels
    }
}

/// What is plugged in and out as one: a headset is its headphones and its microphone.
public struct Device: Hashable, Sendable, Codable {
    /// Its own among those of its server.
    public var uid: String
    public var ports: [DevicePort]
    /// The media server that has it, by name: seen by the apps of that server. Nil: a stand-in of the policy's own, which every app sees.
    public var server: String?

    public init(uid: String, ports: [DevicePort], server: String? = nil) {
        self.uid = uid
        self.ports = ports
        self.server = server
    }

    /// The audio server's own ports, of which nothing more is known. It is used where no device of a known kind serves.
    public static let serverUID = "server"

    var isServer: Bool { uid == Self.serverUID }

    /// Whether an app of this server sees it; nil: of a server that is not known.
    func isSeen(from server: String?) -> Bool { self.server == nil || self.server == server }
}

/// Where a session's sound goes and comes from.
public struct Route: Hashable, Sendable, Codable {
    public var inputs: [DevicePort]
    public var outputs: [DevicePort]

    public init(inputs: [DevicePort] = [], outputs: [DevicePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}
