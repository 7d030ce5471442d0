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

/// The latency that an engine itself adds to some output channels of a driver: inserts, delay
/// compensation and limiters.
public struct OutputLatency: Equatable, Sendable {
    /// Channels among the driver's output channels, from 0 on.
    public let channels: Range<Int>
    /// The least and the greatest latency, in frames: buses have different latencies.
    public let frames: ClosedRange<Int>

    public init(channels: Range<Int>, frames: ClosedRange<Int>) {
        self.channels = channels
        self.frames = frames
    }

    /// Merges latencies channel by channel where they overlap, and omits channels without any.
    static func merge(_ latencies: [OutputLatency]) -> [OutputLatency] {
        var byChannel: [Int: ClosedRange<Int>] = [:]
        for latency in latencies {
            for channel in latency.channels {
                let other = byChannel[channel] ?? latency.frames
                byChannel[channel] =
                    min(
                        other.lowerBound, latency.frames.lowerBound)...max(
                        other.upperBound, latency.frames.upperBound)
            }
        }
        var merged: [OutputLatency] = []
        for (channel, frames) in byChannel.sorted(by: { $0.key < $1.key }) where frames.upperBound > 0 {
            if let last = merged.last, last.channels.upperBound == channel, last.frames == frames {
                merged[merged.count - 1] = OutputLatency(
                    channels: last.channels.lowerBound..<(channel + 1), frames: frames)
            } else {
                merged.append(OutputLatency(channels: channel..<(channel + 1), frames: frames))
            }
        }
        return merged
    }
}
