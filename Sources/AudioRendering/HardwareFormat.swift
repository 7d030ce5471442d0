/// The format that the server reports, never an echo of a request (keeps HW-1).
public struct HardwareFormat: Equatable, Sendable {
    /// The server's sample rate, in Hz.
    public var sampleRate: Int
    /// The period: the frames of one process callback.
    public var periodFrames: Int
    /// Output channels that are connected to the device.
    public var outputChannels: Int
    /// Input channels that are connected to the device.
    public var inputChannels: Int
    /// Latency in frames from an output port to the device's terminals, as the server reports it. 0
    /// until the ports are connected; `formatChanged` reports the value about a period after the
    /// start.
    public var outputLatencyFrames: Int
    /// Latency in frames from the device's terminals to an input port, reported like that of the
    /// output.
    public var inputLatencyFrames: Int
    /// The server's name and version, for display: "jackd2 1.9.21".
    public var server: String
    /// The name that identifies the server among those running: apps with equal names share its
    /// devices.
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

    /// The I/O buffer duration: the length of a period, in seconds.
    public var ioBufferDuration: Double { Double(periodFrames) / Double(sampleRate) }
}
