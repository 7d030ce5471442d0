/// One port of a device: its channels of one direction (ROUTE-1).
public struct DevicePort: Hashable, Sendable, Codable {
    /// The direction of a port's signal.
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable { case input, output }

    /// Unique among the ports of the same server, and the same each time the device is plugged in.
    public var uid: String
    /// The name to display.
    public var name: String
    /// The kind of device behind the port.
    public var type: PortType
    /// Whether the port is an input or an output.
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

/// The ports through which a session plays and records.
public struct Route: Hashable, Sendable, Codable {
    public var inputs: [DevicePort]
    public var outputs: [DevicePort]

    public init(inputs: [DevicePort] = [], outputs: [DevicePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}

extension PortType {
    /// Returns the type of the same device's port in the given direction, where the types differ:
    /// `headphones` for output, `headsetMic` for input.
    package func inDirection(_ direction: DevicePort.Direction) -> PortType {
        switch (self, direction) {
        case (.headphones, .input): .headsetMic
        case (.headsetMic, .output): .headphones
        case (.builtInSpeaker, .input), (.builtInReceiver, .input): .builtInMic
        case (.builtInMic, .output): .builtInSpeaker
        case (.lineOut, .input): .lineIn
        case (.lineIn, .output): .lineOut
        default: self
        }
    }
}
