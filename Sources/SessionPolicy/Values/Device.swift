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
    public var uid: String
    public var ports: [DevicePort]

    public init(uid: String, ports: [DevicePort]) {
        self.uid = uid
        self.ports = ports
    }

    /// The audio server's own ports, of which nothing more is known. It is used where no device of a known kind serves.
    public static let serverUID = "server"

    var isServer: Bool { uid == Self.serverUID }
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
