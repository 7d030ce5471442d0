public import AudioSessionTypes

/// A MIDI port of the engine, as a driver knows it.
public struct MIDIPort: Hashable, Sendable {
    /// `input`: the engine receives from it; `output`: the engine sends to it.
    public var direction: DevicePort.Direction
    /// The port's number in the render core, 0…15 for each direction.
    public var number: Int
    /// The name, unique among the engine's ports: 1…64 bytes, without a colon.
    public var name: String

    public init(direction: DevicePort.Direction, number: Int, name: String) {
        self.direction = direction
        self.number = number
        self.name = name
    }
}
