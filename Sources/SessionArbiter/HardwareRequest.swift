/// A value that replaces one of the server until that is restored.
package protocol HardwareOverride: Equatable {
    var before: Int { get }
    var ours: Int { get }
    init(before: Int, ours: Int)
    var isPossible: Bool { get }
}

extension HardwareOverride {
    /// Returns the override that results from two, of which each was made without knowledge of the
    /// other. If one of them replaced the value that the other one had set, the server's own value
    /// is that from before both, and the later value is in effect; otherwise `self` takes
    /// precedence.
    package func combined(with other: Self) -> Self {
        if other.before == ours { return Self(before: before, ours: other.ours) }
        if before == other.ours { return Self(before: other.before, ours: ours) }
        return self
    }
}

/// A period that replaces the server's own one until it is restored (HW-2).
public struct BufferSizeOverride: Hashable, Sendable, Codable, HardwareOverride {
    /// The server's own period, in frames.
    public var before: Int
    /// The requested period, in frames.
    public var ours: Int

    public init(before: Int, ours: Int) {
        self.before = before
        self.ours = ours
    }

    /// Whether both are periods that a server can have.
    package var isPossible: Bool { (1...8_192).contains(before) && (1...8_192).contains(ours) }
}

/// A sample rate that replaces the server's own one until it is restored (HW-2).
public struct SampleRateOverride: Hashable, Sendable, Codable, HardwareOverride {
    /// The server's own sample rate in Hz.
    public var before: Int
    /// The requested sample rate in Hz.
    public var ours: Int

    public init(before: Int, ours: Int) {
        self.before = before
        self.ours = ours
    }

    /// Whether both are rates that a server can have.
    package var isPossible: Bool { (1_000...768_000).contains(before) && (1_000...768_000).contains(ours) }
}

/// The hardware values that the active sessions prefer, resolved into one request.
public struct HardwareRequest: Hashable, Sendable, Codable {
    /// In seconds; nil if no session prefers a duration.
    public var ioBufferDuration: Double?
    /// The override of the period that is in effect; nil if the server has its own period.
    public var bufferSizeOverride: BufferSizeOverride?
    /// In Hz; nil if no session prefers a rate.
    public var sampleRate: Double?
    /// The override of the sample rate that is in effect; nil if the server has its own rate.
    public var sampleRateOverride: SampleRateOverride?

    private enum CodingKeys: String, CodingKey {
        case ioBufferDuration, sampleRate
        case bufferSizeOverride = "loan"
        case sampleRateOverride = "rateLoan"
    }

    public init(
        ioBufferDuration: Double? = nil, bufferSizeOverride: BufferSizeOverride? = nil, sampleRate: Double? = nil,
        sampleRateOverride: SampleRateOverride? = nil
    ) {
        self.ioBufferDuration = ioBufferDuration
        self.bufferSizeOverride = bufferSizeOverride
        self.sampleRate = sampleRate
        self.sampleRateOverride = sampleRateOverride
    }
}
