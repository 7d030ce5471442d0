/// A set of MIDI channels, 0…15. (Musicians count them from 1.)
public struct MIDIChannels: OptionSet, Hashable, Sendable {
    /// Bit n is channel n.
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// One channel; outside 0…15, none.
    public init(_ channel: Int) {
        rawValue = (0...15).contains(channel) ? 1 << UInt16(channel) : 0
    }

    /// All channels.
    public static let all = MIDIChannels(rawValue: .max)
}
