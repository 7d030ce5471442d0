/// What the driver found: facts of the server, never echoes of a request (keeps HW-1).
public struct HardwareFormat: Equatable, Sendable {
    /// Frames per second of the server.
    public var sampleRate: Int
    /// Frames per period.
    public var periodFrames: Int
    /// Output channels that lead to the device.
    public var outputChannels: Int
    /// Input channels that come from the device.
    public var inputChannels: Int
    /// Frames from an output port to the air, as the server reports them.
    public var outputLatencyFrames: Int
    /// Frames from the air to an input port.
    public var inputLatencyFrames: Int
    /// The server and its version, for people: "jackd2 1.9.21".
    public var server: String
    /// Which server it is, among those that run: apps with equal names share its devices.
    public var serverName: String

    public init(
        sampleRate: Int, periodFrames: Int, outputChannels: Int, inputChannels: Int = 0,
        outputLatencyFrames: Int = 0, inputLatencyFrames: Int = 0, server: String, serverName: String? = nil
    ) {
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        self.outputChannels = outputChannels
        self.inputChannels = inputChannels
        self.outputLatencyFrames = outputLatencyFrames
        self.inputLatencyFrames = inputLatencyFrames
        self.server = server
        self.serverName = serverName ?? server
    }

    /// Length of a period in seconds.
    public var ioBufferDuration: Double { Double(periodFrames) / Double(sampleRate) }
}
