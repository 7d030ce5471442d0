/// One output of the device: consecutive channels that session buses lead to.
public struct OutputRoute: Hashable, Sendable {
    /// Index of its first channel among the device's outputs.
    public var firstChannel: Int
    /// 1…the engine's `maximumChannels`.
    public var channels: Int

    public init(firstChannel: Int, channels: Int) {
        self.firstChannel = firstChannel
        self.channels = channels
    }
}
