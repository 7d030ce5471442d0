/// One output of the device: consecutive channels that session buses are routed to.
public struct OutputRoute: Hashable, Sendable {
    /// The index of the first channel among the device's outputs.
    public var firstChannel: Int
    /// The channel count, 1…the engine's `maximumChannels`.
    public var channels: Int

    public init(firstChannel: Int, channels: Int) {
        self.firstChannel = firstChannel
        self.channels = channels
    }
}
