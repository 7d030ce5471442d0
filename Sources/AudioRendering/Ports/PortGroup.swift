public import AudioSessionTypes

/// A group of audio ports of the engine that other programs connect to, as a driver knows it.
public struct PortGroup: Hashable, Sendable {
    /// `input`: the engine receives from the ports; `output`: it sends to them.
    public var direction: DevicePort.Direction
    /// The name: 1…64 bytes, without a colon. The ports are named `name`_1, `name`_2…, unique among
    /// the engine's ports.
    public var name: String
    /// The channel count, 1…64.
    public var channels: Int

    public init(direction: DevicePort.Direction, name: String, channels: Int) {
        self.direction = direction
        self.name = name
        self.channels = channels
    }

    /// The names of the ports.
    public var portNames: [String] { channels > 0 ? (1...channels).map { "\(name)_\($0)" } : [] }
}
