/// What an engine itself delays on the way to some of a driver's output channels.
public struct OutputLatency: Equatable, Sendable {
    /// Among the driver's output channels, from 0 on.
    public let channels: Range<Int>
    /// Frames: of what is delayed least, and most. Buses have latencies of their own.
    public let frames: ClosedRange<Int>

    public init(channels: Range<Int>, frames: ClosedRange<Int>) {
        self.channels = channels
        self.frames = frames
    }

    /// The same, channel by channel where they overlap, without those that nothing delays.
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
