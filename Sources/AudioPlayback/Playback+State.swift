internal import AudioRendering
internal import Platform

extension Playback.State {
    /// The current position.
    var position: StreamPosition {
        guard let voice, let stream else { return origin }
        return stream.position(after: voice.framesRendered)
    }

    /// Releases the voice and its stream, keeps the count of non-finite samples, and sets the
    /// position. Returns the voice, for the caller to stop.
    mutating func release(at position: StreamPosition) -> Voice? {
        nonFiniteSamples += stream?.nonFiniteSampleCount ?? 0
        defer { voice = nil }
        stream = nil
        origin = position
        return voice
    }
}

extension Playback.Sound {
    /// Returns the channel map of a voice; nil: the engine's standard map. Mono on several channels
    /// has one of its own, because the engine would pan it instead, 3 dB lower in the center.
    func map(from channels: Int) throws -> ChannelMap? {
        guard map == nil, channels == 1, bus.channels > 1 else { return map }
        return try ChannelMap.standard(from: 1, to: bus.channels)
    }
}
